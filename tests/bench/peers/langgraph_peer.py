"""LangGraph with a checkpoint after every step (`durability="sync"`), on SQLite or PostgreSQL, under its own Python."""

from __future__ import annotations

import os
import sqlite3
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

from tests.bench.talk import answer


class Number(TypedDict):
    """The state of the graphs."""

    x: int


def make_saver(url: str) -> Any:
    """The keeper of checkpoints."""
    if url.startswith("sqlite"):
        from langgraph.checkpoint.sqlite import SqliteSaver

        path = os.path.join(os.environ["FLOWSITE_VAR"], f"langgraph-{uuid.uuid4().hex}.sqlite3")
        saver: Any = SqliteSaver(sqlite3.connect(path, check_same_thread=False))
    else:
        from langgraph.checkpoint.postgres import PostgresSaver
        from psycopg.rows import dict_row
        from psycopg_pool import ConnectionPool

        options = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
        saver = PostgresSaver(ConnectionPool(url, max_size=8, kwargs=options))
    saver.setup()
    return saver


def chain(saver: Any, steps: int) -> Any:
    """Nodes one after another."""
    graph: Any = StateGraph(Number)
    before: str = START
    for place in range(steps):
        graph.add_node(f"n{place}", lambda state: {"x": state["x"] + 1})
        graph.add_edge(before, f"n{place}")
        before = f"n{place}"
    graph.add_edge(before, END)
    return graph.compile(checkpointer=saver)


def loop(saver: Any, steps: int) -> Any:
    """A node that goes round."""
    graph: Any = StateGraph(Number)
    graph.add_node("n", lambda state: {"x": state["x"] + 1})
    graph.add_edge(START, "n")
    graph.add_conditional_edges("n", lambda state: "n" if state["x"] < steps else END, ["n", END])
    return graph.compile(checkpointer=saver)


def run(graph: Any, steps: int) -> None:
    """Run a graph to its end, under an id of its own."""
    options = {"configurable": {"thread_id": uuid.uuid4().hex}, "recursion_limit": steps + 10}
    if graph.invoke({"x": 0}, options, durability="sync")["x"] != steps:
        raise RuntimeError("LangGraph did not do all steps.")


def timed(steps: int, work: Callable[[], None]) -> dict[str, float]:
    """Steps, seconds and processor time of some work."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return {"steps": steps, "seconds": time.perf_counter() - clock, "cpu": time.process_time() - processor}


def main() -> None:
    """Answer what is asked."""
    saver = make_saver(os.environ["DATABASE_URL"])
    graphs = {steps: chain(saver, steps) for steps in (5, 10, 100)}

    def linear(quick: bool) -> dict[str, float]:
        steps = 10 if quick else 100
        return timed(steps, lambda: run(graphs[steps], steps))

    def many(quick: bool) -> dict[str, float]:
        runs, steps = (5, 5) if quick else (50, 10)

        def work() -> None:
            with ThreadPoolExecutor(8) as pool:
                list(pool.map(lambda _: run(graphs[steps], steps), range(runs)))

        return timed(runs * steps, work)

    def long(quick: bool) -> dict[str, float]:
        steps = 500 if quick else 2_000
        graph = loop(saver, steps)
        return timed(steps, lambda: run(graph, steps))

    verbs: dict[str, Callable[..., Any]] = {"LINEAR": linear, "MANY": many, "LONG": long}
    answer({**verbs, "version": lambda: version("langgraph")})


if __name__ == "__main__":
    main()
