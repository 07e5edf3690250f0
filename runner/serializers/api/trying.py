"""Pinned outputs and tries as programs see them, and what may be sent about them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from editor.models import PinnedOutput
from editor.serializers.fields import END, AnyJson, Flag, Given, JsonObject, Matching, Text, Whole
from editor.serializers.flows import Username
from runner.serializers.api.flow_tests import ToldEvent
from runner.serializers.api.observing import BeginningShape
from runner.serializers.api.runs import RUN_ID

NODE_ID = "[A-Za-z_][A-Za-z0-9_]{0,62}" + END
MOST_NODES = 50


class PinSummary(serializers.Serializer[Any]):
    """A pinned output in a list. `orphaned`: the draft has no such node any more.

    Its value, and the run that it was taken from, are told only to those who may change the draft.
    """

    node = serializers.CharField(source="row.node")
    node_name = serializers.CharField(source="row.node_name", allow_blank=True)
    source = serializers.ChoiceField(choices=PinnedOutput.Source.values, source="row.source")  # type: ignore[assignment]  # the base has one
    run = serializers.CharField(allow_blank=True, help_text="The run that it was taken from.")
    orphaned = serializers.BooleanField(source="is_orphaned")
    updated_by = Username(source="row.updated_by")
    updated_at = serializers.DateTimeField(source="row.updated_at")
    value = BeginningShape(source="short")


class PinList(serializers.Serializer[Any]):
    """The pinned outputs of a flow, by node."""

    items = PinSummary(many=True)


class PinShape(PinSummary):
    """A pinned output. `covered`: it may be sensitive now, or is for those who change the draft; `output` is null."""

    covered = serializers.BooleanField(source="is_covered")
    output = AnyJson()
    writes = AnyJson(help_text="Further state keys that the node sets; null: none.")


class PinGiven(Given):
    """What is pinned: an `output`, with further state keys in `writes`; or what the node gave in a `run` of the flow.

    `step`: in which step run of that run; left out: the last that went well. `from_node`: the node was renamed, its
    pinned output follows. `tried`: the output came from a try.
    """

    output = AnyJson(required=False)
    writes = JsonObject(required=False)
    run = Matching(RUN_ID, required=False)
    step = Matching(RUN_ID, required=False)
    from_node = Matching(NODE_ID, required=False)
    tried = Flag(required=False, default=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if sum(name in attrs for name in ("output", "run", "from_node")) != 1:
            raise serializers.ValidationError("Give one of output, run and from_node.")
        if ("step" in attrs and "run" not in attrs) or ("writes" in attrs and "output" not in attrs):
            raise serializers.ValidationError("`step` goes with run, `writes` with output.")
        return attrs


class TryBase(Given):
    """Which nodes, side by side in one container, and with which values."""

    nodes = serializers.ListField(child=Matching(NODE_ID), min_length=1, max_length=MOST_NODES)
    run = Matching(RUN_ID, required=False, help_text="Left out: the newest run of the flow that is none of its tries.")
    inputs = JsonObject(required=False, help_text="Left out: those of the run, else those of a flow test.")
    preset = Text(required=False, max_length=200)


class TryGiven(TryBase):
    """What to try in the simulator. `document`: left out, the draft. `for_real`: tell what a try for real would do."""

    document = JsonObject(required=False)
    for_real = Flag(required=False, default=False)


class TrialGiven(TryBase):
    """What to try for real: nodes of the saved draft with this revision."""

    revision = Whole(min_value=1, max_value=2**31 - 1)


class MissingShape(serializers.Serializer[Any]):
    """A step for which nothing stands in: what it is, and what to do."""

    node = serializers.CharField()
    path = serializers.CharField()
    told = serializers.CharField()


class TriedStepShape(serializers.Serializer[Any]):
    """A step of a try. `source`: what stood in for it (a pinned output, a run, a flow test, or that time is not waited
    for); empty: it did its own work. `error`: its code."""

    node = serializers.CharField()
    type = serializers.CharField()
    path = serializers.CharField()
    visit = serializers.IntegerField()
    status = serializers.CharField()
    source = serializers.ChoiceField(choices=["", "pin", "run", "test", "time"])  # type: ignore[assignment]  # the base has one
    value = BeginningShape(allow_null=True)
    error = serializers.CharField(allow_blank=True)


class TryCall(serializers.Serializer[Any]):
    """What a step that is tried for real does, or (`sure` false) may do as it goes on. `asks`: a person has to approve
    the call first, or may have to. `type` is `hidden` for what a flow calls that is not for you to see."""

    node = serializers.CharField(help_text="Of the flow that is tried: which of its nodes leads to the call.")
    type = serializers.CharField()
    path = serializers.CharField(help_text="Where; behind a `/` in a sub-flow.")
    label = serializers.CharField(allow_blank=True, help_text="What the step is called.")  # type: ignore[assignment]  # the base has one
    flow = serializers.CharField(allow_blank=True, help_text="The sub-flow that the step stands in; empty: this flow.")
    sure = serializers.BooleanField()
    tool = serializers.CharField(allow_blank=True)
    effect = serializers.CharField(allow_blank=True)
    asks = serializers.BooleanField()
    value = BeginningShape(allow_null=True)


class TryShape(serializers.Serializer[Any]):
    """How a try went. `run`: whose values stood in. `reached`: whether it came to one of the nodes.

    `told`: why it did not go on, in sentences; empty: it did.
    """

    status = serializers.CharField()
    run = serializers.CharField(allow_null=True)
    reached = serializers.BooleanField()
    told = serializers.CharField(allow_blank=True)
    missing = MissingShape(many=True)
    steps = TriedStepShape(many=True, help_text="The first 500 of them.")
    calls = TryCall(many=True)
    events = ToldEvent(many=True, help_text="The first 2,000 of them, without values.")
