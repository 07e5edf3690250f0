"""Rows are written by the columns that differ from what is remembered: what lies in the tables must not tell."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from runner.models import Run, Scope, StateValue, StepRun
from runner.services.working import work_on
from tests.bench.meters import Statements
from tests.support.runs import chain, document, offer_tool, start, step, work

pytestmark = pytest.mark.django_db(transaction=True)

#: What is drawn, or depends on when and by whom something was done.
_OWN = {
    "id",
    "run_id",
    "version_id",
    "salt",
    "head_hash",
    "rev",
    "seq",
    "worker",
    "input_digest",
    "not_before",
    "notes",
}


def _rows(run_id: str) -> list[dict[str, Any]]:
    """All that runs of one flow have in common, however they were worked on."""
    found: list[dict[str, Any]] = list(Run.objects.filter(pk=run_id).values())
    found += StepRun.objects.filter(run_id=run_id).order_by("path", "visit", "attempt").values()
    found += Scope.objects.filter(run_id=run_id).order_by("n").values()
    found += StateValue.objects.filter(run_id=run_id).order_by("scope", "kind", "key").values()
    return [
        {
            name: value
            for name, value in row.items()
            if name not in _OWN and not name.endswith(("_at", "_ts", "step_id"))
        }
        for row in found
    ]


def _varied() -> dict[str, Any]:
    """Calls, a failure that is caught, a loop, and values that come and go."""
    nodes: list[dict[str, Any]] = [
        {"id": "call", "type": "tool_call", "config": {"tool": "often", "arguments": {"n": 1}}, "output_variable": "n"},
        {"id": "each", "type": "for_each", "config": {"items": 3, "concurrency": 2}},
        {"id": "inside", "type": "transform", "config": {"fields": {"n": "$index"}}, "parent": "each"},
        {
            "id": "fails",
            "type": "tool_call",
            "config": {"tool": "never", "arguments": {}},
            "retry": {"max_attempts": 2},
        },
        {"id": "mend", "type": "transform", "config": {"fields": {"mended": True}}},
        {"id": "count", "type": "set_variable", "config": {"variable": "n", "value": {"$expr": "n + 1"}}},
    ]
    written = document(nodes, ["call>each", "each>fails", "mend>count"])
    written["edges"] += [
        {"source": "fails", "target": "mend", "on": "error"},
        {"source": "count", "target": "count", "when": "n < 5"},
    ]
    return written


def test_with_and_without_a_memory_the_same_is_written(settings: Any) -> None:
    offer_tool("often", often, read_only=True)
    offer_tool("never", never, read_only=True)
    whole = work(start(_varied()))
    assert whole.status == "succeeded", whole.error
    settings.FLOWSITE = settings.FLOWSITE | {"SEGMENT_STEPS": 1}
    in_pieces = start(_varied())
    while work_on(in_pieces):
        pass
    assert _rows(in_pieces) == _rows(whole.pk)
    assert Run.objects.get(pk=in_pieces).seq == whole.seq


def often(n: int) -> int:
    """Give a number back."""
    return n


def never() -> int:
    """Fail."""
    raise ValueError("it never works")


def test_an_ended_step_and_its_run_are_written_by_what_changed() -> None:
    run_id = start(chain(3))
    counted = Statements()
    with connection.execute_wrapper(counted):
        work(run_id)
    steps = [text for text in counted.texts if text.startswith("UPDATE runner_steprun SET")]
    ended = next(text for text in steps if '"status"' in text and '"ended_at"' in text)
    assert '"input"' not in ended and '"round"' not in ended and "hint_at" not in ended
    assert all("WHERE id = %s AND status = %s AND fence = %s" in text for text in steps)
    runs = [text for text in counted.texts if text.startswith('UPDATE runner_run SET "')]
    between = [text for text in runs if '"ended_at"' not in text]
    assert between and all('"status"' not in text and '"seq"' in text for text in between)
    assert step(run_id, "n2").dispatch_count == 0
