"""Flow tests, recordings and replays as programs see them, and what may be sent about them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from editor.serializers.fields import AnyJson, Flag, Given, JsonObject, Matching, Query, QueryWhole, Whole
from editor.serializers.flows import Username
from runner.engine.comparing import ASPECTS
from runner.serializers.api.runs import RUN_ID, STATUSES
from runner.services.replays import MOST_RUNS
from runner.simulation.compare import ABSENT


class TestSummary(serializers.Serializer[Any]):
    """A test in a list. `made_of`: the run that it was recorded from, if it was."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    revision = serializers.IntegerField()
    made_of = serializers.CharField(allow_blank=True)
    updated_by = Username()
    updated_at = serializers.DateTimeField()


class TestList(serializers.Serializer[Any]):
    """The tests of a flow, by name."""

    items = TestSummary(many=True)


class KeptTestShape(TestSummary):
    """A test. `content` is a flow-test file without its `flow`."""

    content = JsonObject()


class TestMake(Given):
    """A new test: a flow-test file. Its `flow` is left out of what is kept."""

    content = JsonObject()
    made_of = Matching(RUN_ID, required=False, help_text="The run that it was recorded from.")


class TestSave(Given):
    """A test to save over the revision it began from."""

    revision = Whole(min_value=1, max_value=2**31 - 1)
    content = JsonObject()


class TestFileQuery(Query):
    """Against which document: left out, the draft."""

    version = QueryWhole(required=False, min_value=1, max_value=999_999_999, help_text="Number of a version.")


class TestRunGiven(Given):
    """Which tests to run: those with these ids (left out: all), or one that is not kept.

    `document`: what to run them against; left out: the draft. `offers`: tell what could be expected, too; `events`:
    tell what happened, without values.
    """

    tests = serializers.ListField(child=Whole(), required=False, max_length=500)
    content = JsonObject(required=False)
    document = JsonObject(required=False)
    offers = Flag(required=False, default=False)
    events = Flag(required=False, default=False)


class TestDifference(serializers.Serializer[Any]):
    """Something that is not as expected: where in `expect`, at which node, and what was found instead."""

    place = serializers.CharField()
    text = serializers.CharField()
    node = serializers.CharField(allow_null=True)
    expected = AnyJson(required=False)
    found = AnyJson(required=False)

    def to_representation(self, instance: Any) -> Any:
        shown = {"place": instance.place, "text": instance.text, "node": instance.node}
        values = {"expected": instance.expected, "found": instance.found}
        return shown | {key: value for key, value in values.items() if value is not ABSENT}


class OfferShape(serializers.Serializer[Any]):
    """A value that a test can expect; `key` is its place in `expect`."""

    key = serializers.ListField(child=serializers.CharField())
    label = serializers.CharField()  # type: ignore[assignment]  # the base has an attribute of that name
    value = AnyJson()


class ToldEvent(serializers.Serializer[Any]):
    """What happened in a simulated run, without values. `ts`: of its virtual clock, in milliseconds."""

    seq = serializers.IntegerField()
    type = serializers.CharField()
    level = serializers.ChoiceField(choices=["public", "detail"])
    ts = serializers.IntegerField()
    data = JsonObject()  # type: ignore[assignment]  # the base has an attribute of that name
    step = serializers.CharField(required=False)
    path = serializers.CharField(required=False)
    visit = serializers.IntegerField(required=False)
    attempt = serializers.IntegerField(required=False)


class TestResultShape(serializers.Serializer[Any]):
    """How a test went. `status`: how its run ended; `fault`: why it could not be run."""

    test = serializers.IntegerField(allow_null=True)
    name = serializers.CharField(allow_blank=True)
    passed = serializers.BooleanField()
    status = serializers.CharField(allow_blank=True)
    fault = serializers.CharField(allow_blank=True)
    differences = TestDifference(many=True)
    offers = OfferShape(many=True)
    events = ToldEvent(many=True, help_text="Only where they were asked for, the first 2,000 of them.")


class TestResults(serializers.Serializer[Any]):
    """Results so far. `left`: the tests that are still to be run: ask again for those."""

    items = TestResultShape(many=True)
    left = serializers.ListField(child=serializers.IntegerField())


class CrashGiven(Given):
    """A test to crash: a kept one by its id, or one that is not kept. `start`: the boundary to begin with."""

    test = Whole(required=False)
    content = JsonObject(required=False)
    document = JsonObject(required=False)
    start = Whole(required=False, default=0, max_value=1_000_000)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("test" in attrs) == ("content" in attrs):
            raise serializers.ValidationError("Give one of test and content.")
        return attrs


class BrokenShape(serializers.Serializer[Any]):
    """A boundary at which a kill changes what comes of the test."""

    moment = serializers.CharField()
    differences = serializers.ListField(child=serializers.CharField())


class CrashShape(serializers.Serializer[Any]):
    """What killing the process changed. `spared`: boundaries in the middle of a call that must not be repeated.

    `next`: the `start` to go on with; null: every boundary was tried.
    """

    boundaries = serializers.IntegerField()
    survived = serializers.IntegerField()
    spared = serializers.IntegerField()
    broken = BrokenShape(many=True)
    fault = serializers.CharField(allow_blank=True)
    next = serializers.IntegerField(allow_null=True)


class RecordingShape(serializers.Serializer[Any]):
    """A test made of a run, not kept yet. `notes`: what was replaced, and what the run does not tell."""

    run = serializers.CharField()
    content = JsonObject()
    offers = OfferShape(many=True)
    notes = serializers.ListField(child=serializers.CharField())


class ReplayQuery(Query):
    """How many runs."""

    limit = QueryWhole(default=MOST_RUNS, min_value=1, max_value=MOST_RUNS, help_text="The newest runs, at most.")


class RunToReplay(serializers.Serializer[Any]):
    """A run that can be replayed."""

    id = serializers.CharField()
    status = serializers.ChoiceField(choices=STATUSES)
    started_at = serializers.DateTimeField()


class RunsToReplay(serializers.Serializer[Any]):
    """The newest runs of the last version; null: nothing is published."""

    version = serializers.IntegerField(allow_null=True)
    items = RunToReplay(many=True)


class ReplayGiven(Given):
    """Runs of the flow to replay, and the document to replay them against; left out: the draft."""

    runs = serializers.ListField(child=Matching(RUN_ID), min_length=1, max_length=MOST_RUNS)
    document = JsonObject(required=False)
    events = Flag(required=False, default=False, help_text="Tell what would have happened, without values.")


class PartingShape(serializers.Serializer[Any]):
    """The first step that goes otherwise, and how it went before and now."""

    node = serializers.CharField()
    path = serializers.CharField()
    visit = serializers.IntegerField()
    before = serializers.CharField()
    after = serializers.CharField()


class UnmatchedShape(serializers.Serializer[Any]):
    """A call that the past run did not make: nothing stands in for it, and it was not made."""

    path = serializers.CharField()
    visit = serializers.IntegerField()
    queue = serializers.CharField(help_text="The tool, `llm:` or `handler:` and the node.")


class DifferingStep(serializers.Serializer[Any]):
    """A step that differs, and in what. Statuses are empty where a run did not come there."""

    node = serializers.CharField()
    path = serializers.CharField()
    visit = serializers.IntegerField()
    before = serializers.CharField(allow_blank=True)
    after = serializers.CharField(allow_blank=True)
    differs = serializers.ListField(child=serializers.ChoiceField(choices=ASPECTS))


class ReplayedShape(serializers.Serializer[Any]):
    """What the document would have made of a past run.

    `same`; `refused`: it would not have started; `unknown`: it makes calls that the run did not make; `route`: another
    way; `ending`: another end; `cost`: more cost; `incomparable`: see `troubles`. Costs are micro-dollars.
    """

    run = serializers.CharField()
    started_at = serializers.DateTimeField()
    status = serializers.ChoiceField(choices=STATUSES)
    verdict = serializers.ChoiceField(choices=["same", "refused", "unknown", "route", "ending", "cost", "incomparable"])
    ending = serializers.CharField(allow_blank=True)
    parting = PartingShape(allow_null=True)
    unmatched = UnmatchedShape(many=True)
    steps = DifferingStep(many=True, help_text="The steps that differ, the first 50 of them.")
    ends_otherwise = serializers.ListField(child=serializers.CharField())
    cost_before = serializers.IntegerField()
    cost_after = serializers.IntegerField(allow_null=True)
    refused = serializers.CharField(allow_null=True)
    troubles = serializers.ListField(child=serializers.CharField())
    events = ToldEvent(many=True, help_text="Only where they were asked for, the first 2,000 of them.")


class ReplayedRuns(serializers.Serializer[Any]):
    """Results so far. `left`: the runs that are still to be replayed: ask again for those."""

    items = ReplayedShape(many=True)
    left = serializers.ListField(child=serializers.CharField())
