"""DBOS Transact, a library of durable functions, on SQLite or PostgreSQL. Run by its own Python."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from dbos import DBOS

from tests.bench.talk import answer


def database(url: str) -> str:
    """Where DBOS keeps its tables: a file of its own, or the server's database."""
    if url.startswith("sqlite"):
        return f"sqlite:///{os.environ['FLOWSITE_VAR']}/dbos-{uuid.uuid4().hex}.sqlite3"
    return url.replace("postgres://", "postgresql://")


DBOS(config={"name": "bench", "system_database_url": database(os.environ["DATABASE_URL"]), "log_level": "ERROR"})


@DBOS.step()  # type: ignore[untyped-decorator, unused-ignore]
def add(x: int) -> int:
    """One step."""
    return x + 1


@DBOS.workflow()  # type: ignore[untyped-decorator, unused-ignore]
def chain(steps: int) -> int:
    """Steps one after another."""
    x = 0
    for _ in range(steps):
        x = add(x)
    return x


def timed(steps: int, work: Callable[[], Any]) -> dict[str, float]:
    """Steps, seconds and processor time of some work."""
    clock, processor = time.perf_counter(), time.process_time()
    if work() != steps:
        raise RuntimeError("DBOS did not do all steps.")
    return {"steps": steps, "seconds": time.perf_counter() - clock, "cpu": time.process_time() - processor}


def linear(quick: bool) -> dict[str, float]:
    """LINEAR."""
    steps = 10 if quick else 100
    return timed(steps, lambda: chain(steps))


def many(quick: bool) -> dict[str, float]:
    """MANY."""
    runs, steps = (5, 5) if quick else (50, 10)

    def work() -> int:
        started = [DBOS.start_workflow(chain, steps) for _ in range(runs)]
        return sum(one.get_result() for one in started)

    return timed(runs * steps, work)


def long(quick: bool) -> dict[str, float]:
    """LONG."""
    steps = 500 if quick else 2_000
    return timed(steps, lambda: chain(steps))


def main() -> None:
    """Answer what is asked."""
    DBOS.launch()
    chain(1)
    answer({"LINEAR": linear, "MANY": many, "LONG": long, "version": lambda: version("dbos")})
    os._exit(0)


if __name__ == "__main__":
    main()
