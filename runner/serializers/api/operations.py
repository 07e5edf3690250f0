"""Stops of the incident switch and what stands still, as programs see them, and how something is stopped."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from editor.serializers.fields import Given, Query, QueryBoolean, QueryWhole, Text
from runner.services.stops import LONGEST_TEXT, SCOPES

LONGEST_STILL_MS = 366 * 24 * 3_600_000


class StopFilter(Query):
    """Which stops."""

    active = QueryBoolean(default=True, help_text="`false`: those that were released, the newest first.")


class StopShape(serializers.Serializer[Any]):
    """What an admin has stopped. `scope`: everything (`all`), one `flow` or one `tool`, named by `target`."""

    id = serializers.IntegerField()
    scope = serializers.ChoiceField(choices=list(SCOPES))
    target = serializers.CharField(allow_blank=True)
    reason = serializers.CharField()
    by = serializers.CharField()
    at = serializers.DateTimeField()
    released_at = serializers.DateTimeField(allow_null=True)
    released_by = serializers.CharField(allow_null=True)
    release_note = serializers.CharField(allow_blank=True)


class StopGiven(Given):
    """What is to be stopped, and why. `target` is the id of a flow or the name of a tool; none for `all`."""

    scope = serializers.ChoiceField(choices=list(SCOPES))
    target = Text(required=False, max_length=200)
    reason = Text(max_length=LONGEST_TEXT)


class ReleaseGiven(Given):
    """Why it may go on."""

    note = Text(max_length=LONGEST_TEXT)


class StuckQuery(Query):
    """How long a run must have stood still to be listed."""

    still_ms = QueryWhole(
        default=3_600_000, min_value=1_000, max_value=LONGEST_STILL_MS, help_text="Milliseconds without an event."
    )


class StuckRow(serializers.Serializer[Any]):
    """One thing that stands still. `run`, `flow`, `step` and `approval` are null where there is none."""

    what = serializers.CharField()
    since = serializers.DateTimeField()
    age_ms = serializers.IntegerField()
    advice = serializers.CharField()
    run = serializers.SerializerMethodField()
    flow = serializers.CharField(source="flow_id", allow_null=True)
    step = serializers.SerializerMethodField()
    approval = serializers.SerializerMethodField()

    def get_run(self, row: Any) -> str | None:
        return row.run_id or None

    def get_step(self, row: Any) -> str | None:
        return row.step_id or None

    def get_approval(self, row: Any) -> str | None:
        return row.approval_id or None


class StuckSection(serializers.Serializer[Any]):
    """Things that stand still for one kind of reason. `more`: there are others."""

    key = serializers.CharField()
    title = serializers.CharField()
    more = serializers.BooleanField()
    rows = StuckRow(many=True)


class ProcessShape(serializers.Serializer[Any]):
    """A worker or sweeper that showed a sign of life in the last hour."""

    name = serializers.CharField()
    kind = serializers.CharField()
    at = serializers.DateTimeField()
    age_ms = serializers.IntegerField()
    queues = serializers.ListField(child=serializers.CharField())


class StuckShape(serializers.Serializer[Any]):
    """All that stands still now, and who is there to move it."""

    count = serializers.IntegerField()
    sections = StuckSection(many=True)
    processes = ProcessShape(many=True)
