"""Names at a place of a flow, as the editor asks for them."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from tests.integration.api.conftest import Program, refusal
from tests.support.flows import publish

DOCUMENT = {
    "format": 1,
    "id": "named",
    "inputs": [{"name": "topic", "type": "short_text", "required": True}],
    "nodes": [
        {"id": "first", "type": "set_variable", "config": {"variable": "n", "value": 1}},
        {"id": "second", "type": "transform", "config": {"fields": {}}},
    ],
    "edges": [{"id": "on", "source": "first", "target": "second"}],
}


@pytest.fixture(autouse=True)
def named(people: dict[str, User]) -> None:
    publish(DOCUMENT, people["analyst"])


def told(program: Program, **asked: Any) -> dict[str, Any]:
    answer = program.post("flows/named/names/", asked)
    assert answer.status_code == 200, answer.content
    return {one["name"]: one for one in answer.json()["names"]}


def test_of_the_draft_and_of_the_document_that_is_sent(analyst: Program):
    found = told(analyst, node="second")
    assert found["n"]["type"] == "whole number" and found["n"]["certain"] and found["n"]["sources"] == ["first"]
    assert found["steps.first.output"]["kind"] == "step"
    unconnected = {**DOCUMENT, "edges": [], "start": "first"}
    assert "n" not in told(analyst, node="second", document=unconnected)
    assert "output" in told(analyst, edge="on")


def test_tells_what_value_expressions_may_call(analyst: Program):
    functions = analyst.post("flows/named/names/", {"node": "first"}).json()["functions"]
    assert {"if(c, a, b)", ".trim()", "base64(t)"} <= set(functions)


@pytest.mark.parametrize("asked", [{}, {"node": "first", "edge": "on"}, {"rule": -1}, {"node": 3}])
def test_one_place_must_be_named(analyst: Program, asked: dict[str, Any]):
    assert refusal(analyst.post("flows/named/names/", asked), 400)["code"] == "validation_failed"


def test_a_place_that_is_not_there(analyst: Program):
    assert refusal(analyst.post("flows/named/names/", {"node": "third"}), 404)["code"] == "not_found"
