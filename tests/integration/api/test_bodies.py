"""Bodies that are no good: refused with 400 or 413 in the one shape, and nothing is half-done."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from editor.models import Draft, Flow
from editor.services import create_flow
from runner.models import Run
from tests.integration.api.conftest import Program, refusal
from tests.integration.pages.samples import LARGE
from tests.support.flows import publish

MIB = 1024 * 1024

NASTY = {
    "broken": ('{"id": "a"', "line 1"),
    "empty": ("", "id"),
    "no JSON": ("id=a", "Broken JSON"),
    "NaN": ('{"id": "a", "document": {"x-n": NaN}}', "NaN"),
    "Infinity": ('{"id": "a", "document": {"x-n": -Infinity}}', "Infinity"),
    "too large a float": ('{"id": "a", "document": {"x-n": 1e999}}', "too large"),
    "NUL": ('{"id": "a", "name": "\\u0000"}', "NUL"),
    "NUL in a key": ('{"id": "a", "document": {"\\u0000": 1}}', "NUL"),
    "a raw NUL": ('{"id": "a", "name": "\x00"}', "control character"),
    "a lone surrogate": ('{"id": "a", "name": "\\ud800"}', "surrogate"),
    "a doubled key": ('{"id": "a", "id": "b"}', "twice"),
    "deep lists": ('{"id": "a", "document": ' + "[" * 100_000 + "]" * 100_000 + "}", "deeper"),
    "deep objects": ('{"id": "a", "document": ' + '{"x-a":' * 70 + "1" + "}" * 70 + "}", "deeper"),
    "a list": ("[]", "dictionary"),
    "a text": ('"text"', "dictionary"),
    "a number": ("12", "dictionary"),
    "null": ("null", ""),
    "digits without end": ('{"id": "a", "document": {"x-n": ' + "9" * 100_000 + "}}", "too long"),
    "an unknown field": ('{"id": "a", "owner": 5}', "no such field"),
    "a wrong type": ('{"id": "a", "name": 5}', "string"),
    "a list for an object": ('{"id": "a", "document": []}', "object"),
    "null for a text": ('{"id": "a", "name": null}', "null"),
}


@pytest.mark.parametrize("what", NASTY)
def test_a_nasty_body_is_refused_and_nothing_is_made(analyst: Program, what: str):
    text, told = NASTY[what]
    error = refusal(analyst.post("flows/", text), 400)
    assert error["code"] in ("validation_failed", "limit_exceeded") and told in error["message"]
    assert not Flow.objects.exists()


def test_bytes_that_are_no_utf_8_are_refused(analyst: Program):
    assert "UTF-8" in refusal(analyst.post("flows/", b'{"id": "\xff"}'), 400)["message"]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_bodies_of_another_kind_are_415(analyst: Program, kind: str):
    answer = analyst.client.generic("POST", "/api/flows/", '{"id": "a"}', content_type=kind)
    assert refusal(answer, 415)["code"] == "validation_failed"
    assert not Flow.objects.exists()


def test_a_body_over_the_limit_is_413(analyst: Program):
    error = refusal(analyst.post("flows/", b" " * (4 * MIB + 1)), 413)
    assert error["code"] == "value_too_large"


def test_a_document_may_have_two_mebibytes_however_it_is_written(analyst: Program, people: dict[str, User]):
    flow = create_flow("big", by=people["analyst"])
    frame = '{"format":1,"id":"big","x-t":""}'
    just = '{"format":1,"id":"big","x-t":"' + "t" * (2 * MIB - len(frame) - 100) + '"}'
    answer = analyst.send("PUT", "flows/big/draft/", f'{{"revision":1,"document":{just}}}')
    assert answer.status_code == 200
    over = '{"format":1,"id":"big","x-t":"' + "t" * 2 * MIB + '"}'
    error = refusal(analyst.send("PUT", "flows/big/draft/", f'{{"revision":2,"document":{over}}}'), 413)
    assert error["code"] == "value_too_large"
    draft = Draft.objects.get(flow=flow)
    assert (draft.revision, len(draft.document)) == (2, len(just))


def test_a_document_may_be_nested_64_deep(analyst: Program, people: dict[str, User]):
    create_flow("deep", by=people["analyst"])

    def save(levels: int) -> Any:
        inner = '{"x-a":' * levels + "1" + "}" * levels
        document = f'{{"format":1,"id":"deep","x-in":{inner}}}'
        return analyst.send("PUT", "flows/deep/draft/", f'{{"revision":1,"document":{document}}}')

    assert refusal(save(64), 400)["code"] == "limit_exceeded"
    assert save(63).status_code == 200


def test_inputs_and_signals_pass_the_same_gate(analyst: Program, people: dict[str, User]):
    publish(LARGE, people["analyst"])
    for inputs in (
        '{"word": "\\u0000"}',
        '{"items": [NaN]}',
        '{"word": "\\udc00"}',
        '{"items": ' + "[" * 99 + "]" * 99 + "}",
    ):
        refusal(analyst.post("runs/", f'{{"flow": "large", "inputs": {inputs}}}'), 400)
    assert not Run.objects.exists()
    run = analyst.post("runs/", {"flow": "large", "inputs": {"items": [2**70, 1.5, "ü", None]}})
    assert run.status_code == 201
    for value in ("NaN", '"\\u0000"'):
        refusal(analyst.post(f"runs/{run.json()['id']}/signals/", f'{{"key": "a", "value": {value}}}'), 400)
