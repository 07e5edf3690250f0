"""Small flows and what tests do with runs of them, in the test's own process: no worker, no broker."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from django.db import connections

from editor.models import FlowVersion
from editor.services import freeze_trial
from runner.catalog import CATALOG
from runner.models import Approval, Run, StepRun
from runner.services.runs import start_run
from runner.services.working import work_on
from runner.tools.registry import TOOLS, tool

PROGRAM = {"kind": "user", "id": "1", "name": "test"}


def document(nodes: Sequence[dict[str, Any]], edges: Sequence[str] = (), **more: Any) -> dict[str, Any]:
    """A document of these nodes; an edge is written `source>target`."""
    return {
        "format": 1,
        "id": "test_flow",
        "name": "Test",
        "nodes": list(nodes),
        "edges": [{"source": edge.partition(">")[0], "target": edge.partition(">")[2]} for edge in edges],
        **more,
    }


def transform(node_id: str, **more: Any) -> dict[str, Any]:
    """A node that needs no handler."""
    return {"id": node_id, "type": "transform", "config": {"fields": {"made_by": node_id}}, **more}


def call(node_id: str, tool_name: str, arguments: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """A node that calls a tool."""
    config: dict[str, Any] = {"tool": tool_name, "arguments": arguments or {}}
    return {"id": node_id, "type": "tool_call", "config": config, **more}


def chain(count: int, make: Callable[[str], dict[str, Any]] = transform) -> dict[str, Any]:
    """A document of nodes one after another: n0, n1, …"""
    ids = [f"n{place}" for place in range(count)]
    edges = [f"{one}>{other}" for one, other in pairwise(ids)]
    return document([make(node_id) for node_id in ids], edges)


def freeze(written: dict[str, Any]) -> FlowVersion:
    """A trial version of a document."""
    return freeze_trial(written, by=None, catalog=CATALOG)


def start(written: dict[str, Any], **options: Any) -> str:
    """Start a run of a document; gives its id."""
    given = {"inputs": {}, "actor": PROGRAM} | options
    return start_run(freeze(written), **given).run_id


def work(run_id: str, rounds: int = 100) -> Run:
    """Do what is due in a run until nothing is."""
    for _ in range(rounds):
        if not work_on(run_id):
            return Run.objects.get(pk=run_id)
    raise AssertionError("the run does not come to rest")


def finish(written: dict[str, Any], **options: Any) -> Run:
    """Start a run and work on it until it rests."""
    return work(start(written, **options))


def step(run_id: str, path: str, attempt: int = 1) -> StepRun:
    """The step run of a path's first visit."""
    return StepRun.objects.get(run_id=run_id, path=path, visit=1, attempt=attempt)


def open_approval(run_id: str) -> Approval:
    """The one open approval of a run."""
    return Approval.objects.get(run_id=run_id, status="open")


def event_types(run: Run) -> list[str]:
    """The types of a run's events, in order."""
    return list(run.events.order_by("seq").values_list("type", flat=True))


def offer_tool(name: str, function: Callable[..., Any], **options: Any) -> None:
    """Offer a function as a tool of this process, in place of one with this name."""
    TOOLS._tools.pop(name, None)
    tool(name=name, **options)(function)


def at_once(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Call `work(0)`, `work(1)`, … at the same moment in threads with connections of their own.

    Gives what each returned or raised.
    """
    results: list[Any] = [None] * count
    barrier = threading.Barrier(count)

    def one(place: int) -> None:
        try:
            barrier.wait()
            results[place] = work(place)
        except BaseException as error:
            results[place] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=one, args=(place,)) for place in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
