"""The flows that the benchmark runs: each step does next to nothing, so that what is left is the runner."""

from __future__ import annotations

from typing import Any

from tests.support.runs import chain, document


def linear(steps: int) -> dict[str, Any]:
    """Steps one after another."""
    return chain(steps)


def fan_out(leaves: int) -> dict[str, Any]:
    """One step, many at the same time, and one that waits for all of them."""
    read_only: dict[str, Any] = {"type": "transform", "read_only": True}
    names = [f"leaf{place}" for place in range(leaves)]
    nodes = [
        {"id": "start", **read_only, "config": {"fields": {}}, "fan_out": True, "synthesis": "join"},
        *({"id": name, **read_only, "config": {"fields": {"made_by": name}}} for name in names),
        {"id": "join", "type": "transform", "config": {"fields": {}}},
    ]
    return document(nodes, [f"start>{name}" for name in names] + [f"{name}>join" for name in names])


def long(steps: int, inputs: list[str] | None = None) -> dict[str, Any]:
    """A counter that goes round until it has gone `steps` times; `inputs` are texts that only lie in the state."""
    count = {"id": "count", "type": "set_variable", "config": {"variable": "n", "value": {"$expr": "n + 1"}}}
    written = document([count], policy={"max_iterations": steps + 10})
    written["start"] = "count"
    written["inputs"] = [{"name": "n", "type": "integer", "required": True}]
    written["inputs"] += [{"name": name, "type": "long_text"} for name in inputs or ()]
    written["edges"] = [{"source": "count", "target": "count", "when": f"n < {steps}"}]
    return written


def loop(items: int) -> dict[str, Any]:
    """A step for each of many items, ten at a time."""
    each = {"id": "each", "type": "for_each", "config": {"items": items, "concurrency": 10}}
    inside = {"id": "inside", "type": "transform", "config": {"fields": {"n": "$index"}}, "parent": "each"}
    return document([each, inside])


def large(nodes: int) -> dict[str, Any]:
    """A document of many nodes that read one another: for checks, not for runs."""
    written = chain(nodes)
    for before, node in zip(written["nodes"], written["nodes"][1:], strict=False):
        node["config"]["fields"]["before"] = f"{{{{steps.{before['id']}.output.made_by}}}}"
    return written
