"""Short ways to import documents in tests, and to run what came of them."""

from __future__ import annotations

import json
from typing import Any

from editor.language.catalog import StaticCatalog
from editor.language.formats import Imported, read_any
from editor.language.schema import parse_document
from editor.language.validation import check
from runner.simulation.flow_test import run_flow_test
from runner.simulation.flow_test_file import read_flow_test


def imported(document: dict[str, Any]) -> Imported:
    """Read a foreign document."""
    found = read_any(document, "t")
    assert found.format != "flowsite", "no format recognises the document"
    return found.imported


def step(document: dict[str, Any]) -> dict[str, Any]:
    """Read a document and give its first node."""
    first: dict[str, Any] = imported(document).document["nodes"][0]
    return first


def places(document: dict[str, Any]) -> list[str]:
    """Where an import loses something."""
    return [loss.place for loss in imported(document).losses]


def edges(document: dict[str, Any]) -> list[tuple[str, str, str | None]]:
    """The edges of ours: source, target, condition."""
    drawn = imported(document).document["edges"]
    return [(edge["source"], edge["target"], edge.get("when")) for edge in drawn]


def errors(document: dict[str, Any]) -> list[str]:
    """Codes of the errors that our checks find in ours."""
    found = check(parse_document(imported(document).document), StaticCatalog())
    return [problem.code for problem in found if problem.severity == "error"]


def run(document: dict[str, Any], **test: Any) -> list[str]:
    """Run ours in the simulator; give what differs from `expect`."""
    whole = {"name": "t", "flow": imported(document).document, **test}
    return run_flow_test(read_flow_test(json.dumps(whole), "t")).failures
