"""Runs, their events and artifacts as programs see them, and what may be sent about them."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from editor import pseudonyms
from editor.serializers.errors import Error
from editor.serializers.fields import END, AnyJson, Given, JsonObject, Matching, Query, QueryBoolean, QueryWhole, Text
from editor.serializers.flows import SLUG, Username
from runner.engine.statuses import RunStatus
from runner.services import run_filters

LARGEST_NUMBER = 999_999_999
RUN_ID = r"^[0-9a-f]{32}" + END
STATUSES = [status.value for status in RunStatus]
FILTER_STATUSES = list(run_filters.STATUSES)


class VersionOfRun(serializers.Serializer[Any]):
    """The version that a run is bound to; a trial was run without being published, and has no number."""

    number = serializers.IntegerField(allow_null=True)
    content_hash = serializers.CharField()


class UsageShape(serializers.Serializer[Any]):
    """What was used so far. Money is whole micro-dollars: 1,000,000 are one US dollar."""

    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    cost_micros = serializers.IntegerField()
    units = serializers.FloatField()


class Actor(JsonObject):
    """Who did something, `kind`, `id` and `name`; somebody whose data was erased by their pseudonym."""

    def to_representation(self, value: Any) -> Any:
        return pseudonyms.shown(value)


class RunSummary(serializers.Serializer[Any]):
    """A run in a list."""

    id = serializers.CharField()
    flow = serializers.CharField(source="flow_id", allow_null=True, help_text="null: a trial of a file.")
    version = VersionOfRun()
    preset = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(choices=STATUSES)
    started_by = Username()
    started_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)
    trial = serializers.ListField(
        child=serializers.CharField(), allow_null=True, help_text="Of a try of single steps: their nodes."
    )
    steps = serializers.IntegerField(help_text="Attempts so far, of all steps.")
    failed_steps = serializers.IntegerField(
        help_text="Of a run that succeeded: how many of its steps failed for good, on a path that went on all the same."
    )
    usage = UsageShape(source="*")


class RunValues(serializers.Serializer[Any]):
    """What went in and what came out. `covered`: inputs that are left out, since the flow marks them as sensitive."""

    inputs = JsonObject()
    covered = serializers.ListField(child=serializers.CharField())
    result = AnyJson()


class RunShape(RunSummary):
    """One run. `error` says why it failed; `values` is there if it was asked for."""

    seq = serializers.IntegerField(help_text="Number of the newest event.")
    paused_at = serializers.DateTimeField(allow_null=True)
    parent_run = serializers.CharField(allow_null=True, help_text="Of a sub-run: the run that started it.")
    parent_step = serializers.CharField(allow_null=True, help_text="Of a sub-run: the step run that waits for it.")
    forked_from = serializers.CharField(allow_null=True, help_text="Of a fork: the run that it went on from.")
    forked_seq = serializers.IntegerField(allow_null=True, help_text="Of a fork: the event that it went on from.")
    live = serializers.IntegerField(help_text="Steps that have not ended.")
    running = serializers.IntegerField()
    waiting_person = serializers.IntegerField()
    waiting_other = serializers.IntegerField()
    actor = Actor(help_text="Who started it: `kind`, `id`, `name`.")
    policy = JsonObject()
    error = Error(allow_null=True)
    values = RunValues(required=False)


class ValuesQuery(Query):
    """Whether to read the values too: they may be large."""

    values = QueryBoolean(default=False, help_text="`true`: read the values as well. They may be large.")


class RunFilter(Query):
    """Which runs."""

    flow = Matching(SLUG, required=False, help_text="Of this flow.")
    version = QueryWhole(
        required=False,
        min_value=1,
        max_value=LARGEST_NUMBER,
        help_text="Of this version of the flow.",
    )
    status = serializers.ChoiceField(
        choices=FILTER_STATUSES,
        required=False,
        help_text="`succeeded`: without a failed step; `with_failed_step`: succeeded although steps failed for good; "
        "`problem`: failed, or succeeded with a failed step.",
    )
    started_by = Text(required=False, max_length=150, help_text="Started by the person of this name.")
    preset = Text(required=False, max_length=200, help_text="Started with this preset.")
    since = serializers.DateTimeField(required=False, help_text="Started at this time or later.")
    until = serializers.DateTimeField(required=False, help_text="Started at this time or earlier.")
    input = Text(
        required=False, max_length=200, help_text="Path of a value in the inputs, as `order.id`; goes with `value`."
    )
    value = Text(
        required=False,
        max_length=400,
        help_text="What the input is: a text, number or truth value, whole, in upper or lower case. Inputs that the "
        "flow marks as sensitive are never found, nor are texts of more than 200 characters.",
    )
    error = Text(
        required=False, max_length=200, help_text="The code, or whole words of the message, of what it failed with."
    )
    parent_run = Matching(RUN_ID, required=False, help_text="Sub-runs of this run.")
    forked_from = Matching(RUN_ID, required=False, help_text="Forks of this run.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Filters that only make sense together come together."""
        problems = run_filters.RunFilters.of(attrs).problems()
        if problems:
            raise serializers.ValidationError({name: [told] for name, told in problems.items()})
        return attrs


class RunCounts(serializers.Serializer[Any]):
    """How many runs fit, by what may be asked for as `status`.

    If `complete` is false, there are more than were looked at: numbers of statuses that are not live are those of the
    newest `total` runs.
    """

    total = serializers.IntegerField()
    complete = serializers.BooleanField(source="is_all")
    by_status = serializers.DictField(child=serializers.IntegerField())


@extend_schema_field(
    {"oneOf": [{"type": "integer", "minimum": 1, "maximum": LARGEST_NUMBER}, {"type": "string", "const": "draft"}]}
)
class VersionChoice(serializers.Field):  # type: ignore[type-arg]
    """Number of a version, or `draft`."""

    default_error_messages = {"invalid": "Give the number of a version, or “draft”."}

    def to_internal_value(self, data: Any) -> Any:
        is_number = isinstance(data, int) and not isinstance(data, bool) and 1 <= data <= LARGEST_NUMBER
        if not is_number and data != "draft":
            self.fail("invalid")
        return data


class RunStart(Given):
    """Which flow to run, and with what. Without `version` it is the newest one that is published."""

    flow = Matching(SLUG)
    version = VersionChoice(required=False)
    preset = Text(required=False, max_length=200)
    inputs = JsonObject(required=False)


class SignalGiven(Given):
    """A value for the wait with this key."""

    key = Text(min_length=1, max_length=255, allow_blank=False)
    value = AnyJson(required=False)


class RetryGiven(Given):
    """What to try again with; without `arguments`, with the same."""

    arguments = JsonObject(required=False)


class ArtifactShape(serializers.Serializer[Any]):
    """Something that a step produced. `size`: bytes of its content as JSON."""

    id = serializers.CharField()
    artifact = serializers.CharField()
    type = serializers.CharField()
    filename = serializers.CharField()
    size = serializers.IntegerField(source="content_size")
    step = serializers.CharField(source="step_run_id", help_text="Id of the step run.")
    created_at = serializers.DateTimeField()


class EventShape(serializers.Serializer[Any]):
    """A fact of a run, as it was hashed; only an erased person's name is the pseudonym. `ts` is in milliseconds since
    1970; absent parts are left out."""

    run = serializers.CharField()
    seq = serializers.IntegerField()
    type = serializers.CharField()
    level = serializers.ChoiceField(choices=["public", "detail"])
    ts = serializers.IntegerField()
    actor = Actor()
    data = JsonObject()  # type: ignore[assignment]  # the base has an attribute of that name
    prev = serializers.CharField(allow_blank=True)
    step = serializers.CharField(required=False)
    path = serializers.CharField(required=False)
    visit = serializers.IntegerField(required=False)
    attempt = serializers.IntegerField(required=False)
