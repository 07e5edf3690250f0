"""Endpoints of what happened in a run: events, step runs, artifacts. Nothing is changed here."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.base import ApiView
from editor.api.documenting import describe
from editor.api.paging import DEFAULT_ROWS, MOST_ROWS, PageQuery, PageShape, page_of
from editor.pseudonyms import shown_text
from editor.serializers.fields import Query, QueryWhole
from runner.api.base import find_run, find_step
from runner.engine.statuses import RunStatus, StepStatus
from runner.models import Artifact, Event, Run, StepRun
from runner.serializers.api.runs import ArtifactShape, EventShape, ValuesQuery
from runner.serializers.api.steps import StepFilter, StepShape, StepSummary
from runner.serializers.files import artifact_response
from runner.services.sensitive import touches_sensitive
from runner.services.step_logs import log_of

_STEP_COLUMNS = (
    "id", "run_id", "node", "type", "path", "visit", "attempt", "status", "waits_for", "backend", "worker", "lost",
    "created_at", "started_at", "ended_at", "input_size", "output_size", "input_tokens", "output_tokens",
    "cost_micros", "units",
)  # fmt: skip


class EventQuery(Query):
    """Which events."""

    after = QueryWhole(default=0, help_text="Number of the last event that you have; 0: from the first.")
    limit = QueryWhole(default=DEFAULT_ROWS, min_value=1, max_value=MOST_ROWS, help_text="Events, at most.")
    level = serializers.ChoiceField(choices=["public", "detail"], required=False)


class EventPage(serializers.Serializer[Any]):
    """Events in order. `next` is what to send as `after`; null: there is none yet."""

    items = EventShape(many=True)
    next = serializers.IntegerField(allow_null=True)


class Events(ApiView):
    """The events of a run."""

    @describe("events_list", "Read events", query=EventQuery, answers=EventPage)
    def get(self, request: Request, run_id: str) -> HttpResponse:
        """In order, after a number. To follow a run, ask again after the last one; or read the WebSocket."""
        run = find_run(request.user, run_id)
        rows = Event.objects.filter(run=run, seq__gt=self.asked["after"])
        if "level" in self.asked:
            rows = rows.filter(level=self.asked["level"])
        size = self.asked["limit"]
        found = list(rows.order_by("seq").values_list("seq", "text")[: size + 1])
        # The texts that were hashed, but for the names of erased people: nothing is read and written anew.
        texts = ",".join(shown_text(text) for _, text in found[:size])
        following = json.dumps(found[size - 1][0] if len(found) > size else None)
        return HttpResponse(f'{{"items":[{texts}],"next":{following}}}', content_type="application/json")


class StepQuery(StepFilter, PageQuery):
    """Which page of which step runs."""


class StepPage(PageShape):
    """Step runs, by path, visit and attempt."""

    items = StepSummary(many=True)


class Steps(ApiView):
    """The step runs of a run."""

    @describe("steps_list", "List step runs", query=StepQuery, answers=StepPage)
    def get(self, request: Request, run_id: str) -> Response:
        """One for each attempt, by path, visit and attempt, without their values."""
        run = find_run(request.user, run_id)
        rows = StepRun.objects.filter(run=run).only(*_STEP_COLUMNS)
        wanted = {name: self.asked[name] for name in ("status", "node") if name in self.asked}
        rows = rows.filter(**wanted)
        return Response(StepPage(page_of(rows, self.asked, order=("path", "visit", "attempt"))).data)


class OneStep(ApiView):
    """One step run."""

    @describe("steps_read", "Read a step run", query=ValuesQuery, answers=StepShape)
    def get(self, request: Request, run_id: str, step_id: str) -> Response:
        """One attempt; on demand with what it was given, what it gave and what it wrote."""
        run = find_run(request.user, run_id)
        step = find_step(run, step_id)
        shown: dict[str, Any] = StepShape(_judged(run, step)).data
        if self.asked["values"] and not shown["sensitive"]:
            shown["values"] = {name: step.value_of(name) for name in ("input", "output", "delta")}
        return Response(shown)


def _judged(run: Run, step: Any) -> Any:
    """Note what may be done with it, and whether its values are told."""
    failed = step.status in (StepStatus.FAILED, StepStatus.BUDGET_EXHAUSTED)
    step.may_retry = run.status == RunStatus.FAILED and step.restorable and failed
    step.sensitive = touches_sensitive(run, step)
    step.log = log_of(run, step)
    return step


class ArtifactPage(PageShape):
    """Artifacts, in the order in which they were made."""

    items = ArtifactShape(many=True)


class Artifacts(ApiView):
    """The artifacts of a run."""

    @describe("artifacts_list", "List artifacts", query=PageQuery, answers=ArtifactPage)
    def get(self, request: Request, run_id: str) -> Response:
        """In the order in which they were made, without their content."""
        run = find_run(request.user, run_id)
        rows = Artifact.objects.filter(run=run).defer("content")
        return Response(ArtifactPage(page_of(rows, self.asked, order=("created_at", "id"))).data)


class ArtifactContent(ApiView):
    """The content of one artifact."""

    @describe(
        "artifacts_download",
        "Download an artifact",
        answers=None,
        more={
            (200, "text/plain"): OpenApiResponse(OpenApiTypes.STR, "A text, as it is."),
            (200, "application/json"): OpenApiResponse(OpenApiTypes.ANY, "Anything else, as JSON."),
        },
    )
    def get(self, request: Request, run_id: str, artifact_id: str) -> HttpResponse:
        """As a file to be saved."""
        artifact = Artifact.objects.visible_to(request.user).filter(run=run_id, pk=artifact_id).first()
        if artifact is None:
            raise NotFound("There is no such artifact, or it is not for you to see.")
        return artifact_response(artifact)
