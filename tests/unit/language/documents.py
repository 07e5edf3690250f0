"""Short ways to write flow documents in tests."""

from __future__ import annotations

from typing import Any

from editor.language.catalog import Catalog, StaticCatalog
from editor.language.problems import Problem
from editor.language.schema import parse_document
from editor.language.validation import check

EMPTY = StaticCatalog()


def node(node_id: str, type_: str = "one_of", /, **keys: Any) -> dict[str, Any]:
    """Write a node; `config` and the other keys come as keyword arguments."""
    return {"id": node_id, "type": type_, **keys}


def put(node_id: str, key: str, value: Any = 1, **keys: Any) -> dict[str, Any]:
    """Write a node that sets a state key."""
    return node(node_id, "set_variable", config={"variable": key, "value": value}, **keys)


def say(node_id: str, text: Any, **keys: Any) -> dict[str, Any]:
    """Write a node that reads what the placeholders of a text name."""
    return node(node_id, "transform", config={"fields": {"text": text}}, **keys)


def edge(source: str, target: str, on: str | None = None, when: str | None = None) -> dict[str, Any]:
    """Write an edge."""
    drawn = {"source": source, "target": target, "on": on, "when": when}
    return {key: value for key, value in drawn.items() if value is not None}


def flow(nodes: list[dict[str, Any]], edges: list[dict[str, Any]] | None = None, **top: Any) -> dict[str, Any]:
    """Write a document."""
    return {"format": 1, "id": "t", "name": "t", **top, "nodes": nodes, "edges": edges or []}


def problems(document: dict[str, Any], catalog: Catalog = EMPTY) -> tuple[Problem, ...]:
    """Read and check a document."""
    return check(parse_document(document), catalog)


def codes(document: dict[str, Any], catalog: Catalog = EMPTY, severity: str = "error") -> list[str]:
    """Give the codes of the problems of one severity, sorted, each as often as it occurs."""
    return sorted(found.code for found in problems(document, catalog) if found.severity == severity)


def warnings(document: dict[str, Any], catalog: Catalog = EMPTY) -> set[str]:
    """Give the codes of the warnings, but for tools and handlers that this empty site does not have."""
    return set(codes(document, catalog, "warning")) - {"unknown_tool", "unknown_handler"}


def only(document: dict[str, Any], code: str, catalog: Catalog = EMPTY) -> Problem:
    """Give the one problem with this code; fails if there are several or none."""
    found = [problem for problem in problems(document, catalog) if problem.code == code]
    assert len(found) == 1, found
    return found[0]
