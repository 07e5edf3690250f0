"""What an explanation of a check is, and short ways to write the two flows of its example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Explanation:
    """Why a check is made: `reason` in a few sentences, `wrong` a document with just this problem, `right` the same
    one mended. Both are whole documents as JSON."""

    code: str
    reason: str
    wrong: Json
    right: Json

    def as_json(self) -> Json:
        """Give it as the API shows it: of the examples only what tells something."""
        return {"code": self.code, "reason": self.reason, "wrong": told(self.wrong), "right": told(self.right)}


def told(document: Json) -> Json:
    """A document without what is the same in every example: format 1, its id, no edges."""
    left_out = ("id",) if document.get("format") != 1 else ("format", "id")
    return {key: value for key, value in document.items() if key not in left_out and value != []}


def node(node_id: str, type_: str = "one_of", /, **keys: Any) -> Json:
    """Write a node."""
    return {"id": node_id, "type": type_, **keys}


def put(node_id: str, variable: str, value: Any = 1, **keys: Any) -> Json:
    """Write a node that sets a variable."""
    return node(node_id, "set_variable", config={"variable": variable, "value": value}, **keys)


def say(node_id: str, text: Any, **keys: Any) -> Json:
    """Write a node that makes a text."""
    return node(node_id, "transform", config={"fields": {"text": text}}, **keys)


def call(node_id: str, tool: str, **keys: Any) -> Json:
    """Write a node that calls a tool."""
    return node(node_id, "tool_call", config={"tool": tool}, **keys)


def edge(source: str, target: str, on: str | None = None, when: str | None = None) -> Json:
    """Write an edge."""
    drawn = {"source": source, "target": target, "on": on, "when": when}
    return {key: value for key, value in drawn.items() if value is not None}


def flow(*nodes: Json, edges: tuple[Json, ...] = (), **top: Any) -> Json:
    """Write a document."""
    return {"format": 1, "id": "example", **top, "nodes": list(nodes), "edges": list(edges)}
