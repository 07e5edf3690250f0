"""Every example of the foreign formats, as their documentation shows it: read, checked and, where it says how, run.

The files in examples/ hold the foreign document, ours, the places of losses, the errors that are left, and a run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from editor.language.catalog import SkillSpec, StaticCatalog
from editor.language.formats import FORMATS, OWN, read_any
from editor.language.json_gate import clean_json
from editor.language.schema import document_text, parse_document
from editor.language.validation import check
from runner.simulation.flow_test import run_flow_test
from runner.simulation.flow_test_file import read_flow_test

FILES = sorted((Path(__file__).parent / "examples").glob("*.json"))
SKILLS = ("research-planner@1.0.0", "source-ranker@1.0.0", "citation-extractor@1.0.0", "report-synthesizer@1.0.0")
CATALOG = StaticCatalog(skill_specs={name: SkillSpec(name, 1, "v1:0") for name in SKILLS})
EXAMPLES = [pytest.param(json.loads(path.read_text()), id=path.stem) for path in FILES]


def test_the_examples_are_there() -> None:
    assert len(FILES) >= 15


@pytest.mark.parametrize("example", EXAMPLES)
def test_one_format_recognises_it(example: dict[str, Any]) -> None:
    assert [known.name for known in FORMATS if known.recognises(example["document"])] == [example["format"]]


@pytest.mark.parametrize("example", EXAMPLES)
def test_it_reads_as_our_document_and_says_what_it_lost(example: dict[str, Any]) -> None:
    found = read_any(example["document"], example["ours"]["id"])
    assert found.format == example["format"]
    assert found.imported.document == example["ours"]
    assert [loss.place for loss in found.imported.losses] == example["losses"]
    assert all(loss.what and loss.instead for loss in found.imported.losses)


@pytest.mark.parametrize("example", EXAMPLES)
def test_ours_passes_our_gate_and_checks(example: dict[str, Any]) -> None:
    ours = example["ours"]
    assert clean_json(ours) == ours
    problems = check(parse_document(ours), CATALOG)
    assert [found.code for found in problems if found.severity == "error"] == example["errors"]


@pytest.mark.parametrize("example", EXAMPLES)
def test_ours_is_our_form_and_stays_as_it_is(example: dict[str, Any]) -> None:
    found = read_any(example["ours"])
    assert (found.format, found.imported.document, found.imported.losses) == (OWN, example["ours"], ())
    definition = parse_document(example["ours"]).definition
    assert definition is not None
    normal = document_text(definition)
    again = parse_document(normal).definition
    assert again is not None
    assert document_text(again) == normal


@pytest.mark.parametrize("example", [one for one in EXAMPLES if "run" in one.values[0]])
def test_it_runs_as_the_format_says(example: dict[str, Any]) -> None:
    test = read_flow_test(json.dumps({"name": "t", "flow": example["ours"], **example["run"]}), "example")
    assert run_flow_test(test).failures == []
