"""Two runs side by side, as programs see it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rest_framework import serializers

from editor.serializers.fields import AnyJson, Query
from editor.serializers.flows import DifferenceShape
from runner.engine.comparing import ASPECTS, Row, Visit
from runner.engine.retry import step_run_id
from runner.models.fields import to_instant
from runner.serializers.api.runs import RunSummary, UsageShape
from runner.services.comparisons import RunsCompared

MOST_ROWS = 1_000
STATUSES = ["running", "waiting", "succeeded", "failed", "canceled", "skipped"]


class ComparisonQuery(Query):
    """Which steps are told."""

    show = serializers.ChoiceField(
        choices=["different", "all"], default="different", help_text="`all`: also steps in which nothing differs."
    )


class InputCompared(serializers.Serializer[Any]):
    """An input in both runs. A side that has none is null, and `kind` says so; a covered one tells no values."""

    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=["same", "changed", "added", "removed", "covered"])
    before = AnyJson()
    after = AnyJson()


class RouteShape(serializers.Serializer[Any]):
    """A way on: for which outcome, and to which node; null: no edge fitted."""

    on = serializers.CharField()
    target = serializers.CharField(allow_null=True)


class VisitShape(serializers.Serializer[Any]):
    """What a visit of a node came to. `run` and `seq`: the event to look at it; of a fork it may be its origin's."""

    step = serializers.CharField(help_text="Id of the step run: the last attempt.")
    status = serializers.ChoiceField(choices=STATUSES)
    error = serializers.CharField(allow_null=True, help_text="Code of what it failed with.")
    attempts = serializers.IntegerField()
    route = RouteShape(many=True)
    usage = UsageShape()
    began_at = serializers.DateTimeField(allow_null=True)
    ended_at = serializers.DateTimeField(allow_null=True)
    run = serializers.CharField()
    seq = serializers.IntegerField()


class StepCompared(serializers.Serializer[Any]):
    """A visit of a node in both runs; null: the run did not come there."""

    path = serializers.CharField()
    visit = serializers.IntegerField()
    node = serializers.CharField()
    differs = serializers.ListField(child=serializers.ChoiceField(choices=ASPECTS))
    covered = serializers.BooleanField(help_text="Sensitive values were not compared.")
    open = serializers.BooleanField(help_text="One of the runs has not come so far yet.")
    before = VisitShape(allow_null=True)
    after = VisitShape(allow_null=True)


class ComparisonShape(serializers.Serializer[Any]):
    """Two runs side by side. `first`: the first step in which they differ; null: none does.

    `versions`: null where both ran the same version. `complete` is false where the histories are too long to be
    compared to their ends, or more steps differ than are told.
    """

    before = RunSummary()
    after = RunSummary()
    inputs = InputCompared(many=True)
    versions = DifferenceShape(allow_null=True)
    first = StepCompared(allow_null=True)
    steps = StepCompared(many=True)
    complete = serializers.BooleanField()


def told_comparison(compared: RunsCompared, *, show_all: bool) -> dict[str, Any]:
    """What ComparisonShape describes."""
    rows = [row for row in compared.steps.rows if show_all or row.differs]
    first = compared.steps.first
    return {
        "before": RunSummary(compared.before).data,
        "after": RunSummary(compared.after).data,
        "inputs": [InputCompared(row).data for row in compared.inputs],
        "versions": None if compared.versions is None else compared.versions.as_json(),
        "first": None if first is None else _row(first),
        "steps": [_row(row) for row in rows[:MOST_ROWS]],
        "complete": not compared.is_cut and len(rows) <= MOST_ROWS,
    }


def _row(row: Row) -> dict[str, Any]:
    path, visit = row.key
    return {
        "path": path,
        "visit": visit,
        "node": row.one.node,
        "differs": list(row.differs),
        "covered": row.is_covered,
        "open": row.is_open,
        "before": _visit(row.before),
        "after": _visit(row.after),
    }


def _visit(visit: Visit | None) -> dict[str, Any] | None:
    if visit is None:
        return None
    return {
        "step": step_run_id(visit.at.run, visit.path, visit.visit, visit.attempt),
        "status": visit.status,
        "error": (visit.error or {}).get("code"),
        "attempts": visit.attempts,
        "route": [{"on": on, "target": target or None} for on, target in visit.route],
        "usage": visit.usage.as_json(),
        "began_at": _moment(visit.began_ms),
        "ended_at": _moment(visit.ended_ms),
        "run": visit.at.run,
        "seq": visit.at.seq,
    }


def _moment(ms: int | None) -> datetime | None:
    return None if ms is None else to_instant(ms)
