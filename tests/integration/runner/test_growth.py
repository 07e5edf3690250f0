"""What a durable step costs does not grow with the run: statements, rows and bytes, early and late in one run."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django.db import connection

from runner.models import Run
from runner.services import steps
from runner.services.history import verify_history
from runner.store.transactions import Memory
from tests.support.runs import document, start, step
from tests.support.watching import Watch

pytestmark = pytest.mark.django_db(transaction=True)

_TABLES = ("runner_run", "runner_steprun", "runner_event", "runner_statevalue", "runner_scope", "runner_snapshot")


def _rows() -> dict[str, int]:
    with connection.cursor() as cursor:
        counts = {}
        for table in _TABLES:
            cursor.execute(f"SELECT count(*) FROM {table}")
            counts[table] = cursor.fetchone()[0]
    return counts


def _loop(passes: int) -> dict[str, Any]:
    """A counter that goes round: two steps in each pass."""
    nodes = [
        {"id": "count", "type": "set_variable", "config": {"variable": "n", "value": {"$expr": "n + 1"}}},
        {"id": "look", "type": "transform", "config": {"fields": {"n": "$n", "text": "always the same"}}},
    ]
    written = document(nodes, ["count>look"], policy={"max_iterations": passes + 10})
    written["start"] = "count"
    written["inputs"] = [{"name": "n", "type": "integer", "required": True}]
    written["edges"].append({"source": "look", "target": "count", "when": f"n < {10_000 + passes}"})
    return written


def _cost(run_id: str, segment: steps.Segment, upto: int) -> tuple[Counter[str], dict[str, int], int]:
    """Work until the run has so many steps, then watch the next two: one whole pass."""
    command = segment._claim(_pending(run_id))
    assert command is not None
    while Run.objects.values_list("steps", flat=True).get(pk=run_id) < upto or command.node != "count":
        command = segment._perform(command)
        assert command is not None
    before, watch = _rows(), Watch()
    with connection.execute_wrapper(watch):
        command = segment._perform(command)
        assert command is not None
        command = segment._perform(command)
        assert command is not None
    after = _rows()
    segment._release(command)
    segment.memory = Memory()
    return Counter(watch.statements), {table: after[table] - before[table] for table in _TABLES}, watch.bytes


def _pending(run_id: str) -> str:
    return str(Run.objects.get(pk=run_id).step_runs.get(status="pending").pk)


def test_a_step_costs_the_same_at_step_10_and_at_step_2000(settings: Any) -> None:
    settings.FLOWSITE = settings.FLOWSITE | {"SEGMENT_STEPS": 10**6, "SEGMENT_MS": 10**9}
    # Numbers of the same length early and late, so that bytes can be compared exactly.
    run_id = start(_loop(2_000), inputs={"n": 10_000})
    place = steps.step_place(step(run_id, "count").id)
    assert place is not None
    segment = steps.Segment(place, steps.program_of(place.version), steps.dispatcher_of(place.version))
    early, early_rows, early_bytes = _cost(run_id, segment, 10)
    late, late_rows, late_bytes = _cost(run_id, segment, 2_000)
    assert early == late
    assert early_rows == late_rows | {"runner_snapshot": early_rows["runner_snapshot"]}
    assert early["UPDATE runner_run"] == 4  # for each of the two steps: the lock, and the last statement
    assert sum(early.values()) <= 2 * 8, early
    # Event numbers and visits have more digits; nothing else may differ.
    assert abs(late_bytes - early_bytes) <= 0.03 * early_bytes, (early_bytes, late_bytes)
    assert verify_history(run_id).is_whole
