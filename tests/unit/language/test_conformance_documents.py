"""Every document of the conformance set, read and checked. What a run of it does is the engine's tests' to see."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editor.language.catalog import Catalog, HandlerSpec, SitePolicy, StaticCatalog, ToolSpec
from editor.language.problems import Problem
from editor.language.schema import parse_document
from editor.language.validation import check

FOLDER = Path(__file__).parents[2] / "conformance"
FILES = sorted([*FOLDER.glob("flows/*.json"), *FOLDER.glob("flows-more/*.json")])
CASES = [pytest.param(path, id=f"{path.parent.name}/{path.stem}") for path in FILES]


def catalog_of(case: dict[str, Any]) -> Catalog:
    """Give the catalog of a flow test: what it declares, and a tool for every reply."""
    declared = {name: ToolSpec(name, "", **spec) for name, spec in case.get("tools", {}).items()}
    replied = [name for name in case.get("replies", {}) if ":" not in name]
    tools = {name: ToolSpec(name, "", {}) for name in replied} | declared
    handlers = {
        name.removeprefix("handler:"): HandlerSpec(name.removeprefix("handler:"))
        for name in case.get("replies", {})
        if name.startswith("handler:")
    }
    flows = {}
    for name, document in case.get("flows", {}).items():
        flow, _, version = name.partition("@")
        flows[flow, int(version)] = parse_document(document).definition
    roles = {name: tuple(bound) for name, bound in case.get("roles", {}).items()}
    return StaticCatalog(tools, handlers, {}, roles, (), flows, SitePolicy(default="allow"))


def problems_of(case: dict[str, Any]) -> tuple[Problem, ...]:
    return check(parse_document(case["flow"]), catalog_of(case))


@pytest.mark.parametrize("path", CASES)
def test_a_document_has_the_problems_the_set_names(path: Path):
    case = json.loads(path.read_text())
    found = problems_of(case)
    errors = {problem.code for problem in found if problem.severity == "error"}
    warnings = {problem.code for problem in found if problem.severity == "warning"}
    told = "\n".join(f"{problem.code} {problem.path} {problem.message}" for problem in found)
    assert errors == set(case["expect"].get("problems", [])), told
    assert warnings >= set(case["expect"].get("warnings", [])), told


def test_the_set_is_complete():
    assert len([path for path in FILES if path.parent.name == "flows"]) == 72
    assert len([path for path in FILES if path.parent.name == "flows-more"]) == 26
