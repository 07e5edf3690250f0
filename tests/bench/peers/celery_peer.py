"""A plain Celery chord of 100 tasks that do nothing, on a worker of two processes: nothing of it survives a crash."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from importlib.metadata import version

from celery import Celery, chord

from flowsite.supervisor.parent_death import die_with_parent
from tests.bench.talk import ROOT, answer

app = Celery("bench", broker=os.environ["REDIS_URL"], backend=os.environ["REDIS_URL"])
app.conf.update(task_default_queue="bench-chord", broker_connection_retry_on_startup=True)


@app.task(name="bench.noop")  # type: ignore[untyped-decorator, unused-ignore]
def noop(x: int) -> int:
    """A leaf."""
    return x + 1


@app.task(name="bench.total")  # type: ignore[untyped-decorator, unused-ignore]
def total(found: list[int]) -> int:
    """The join."""
    return len(found)


def fan_out(quick: bool) -> dict[str, float]:
    """FANOUT."""
    leaves = 10 if quick else 100
    clock, processor = time.perf_counter(), time.process_time()
    if chord([noop.s(place) for place in range(leaves)], total.s()).apply_async().get(timeout=60) != leaves:
        raise RuntimeError("The chord did not run all its tasks.")
    return {"steps": leaves + 2, "seconds": time.perf_counter() - clock, "cpu": time.process_time() - processor}


def main() -> None:
    """Start the worker, and answer what is asked."""
    parent = os.getpid()
    words = ["-m", "celery", "--quiet", "--app", "tests.bench.peers.celery_peer:app", "worker", "--concurrency", "2"]
    words += ["--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "ERROR"]
    words += ["--queues", "bench-chord"]
    worker = subprocess.Popen(
        [sys.executable, "-W", "ignore", *words],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=2,
        preexec_fn=lambda: die_with_parent(parent),
    )
    try:
        noop.delay(0).get(timeout=60)
        answer({"FANOUT_WORKER": fan_out, "version": lambda: version("celery")})
    finally:
        worker.terminate()
        worker.wait()


if __name__ == "__main__":
    main()
