"""Endpoints of runs as a whole: start, list, read. What is done to one is actions.py's, its past history.py's."""

from __future__ import annotations

from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.base import ApiView, body_of, find_flow
from editor.api.documenting import describe
from editor.api.paging import PageQuery, PageShape, page_of
from editor.models import Draft, Flow, FlowVersion
from editor.permissions import demand_right
from editor.serializers.fields import QueryBoolean
from editor.services import freeze_trial
from editor.visibility import EDIT, RUN
from runner.api.base import find_run, shown_run, started_answer
from runner.catalog import CATALOG
from runner.models import Run
from runner.serializers.api.runs import RunCounts, RunFilter, RunShape, RunStart, RunSummary, ValuesQuery
from runner.services.run_filters import ORDER, RunFilters, count_by_status, narrow
from runner.services.runs import actor_of, start_run, version_of_key

KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 200},
    OpenApiParameter.HEADER,
    description="A text of your own for this request: sent twice with it, one run is started.",
)
_COLUMNS = (
    "id", "flow_id", "preset", "status", "started_at", "ended_at", "steps", "input_tokens", "output_tokens",
    "cost_micros", "units", "failed_steps", "trial", "version__number", "version__content_hash", "started_by__username",
)  # fmt: skip


class RunQuery(RunFilter, PageQuery):
    """Which page of which runs."""

    tries = QueryBoolean(default=True, help_text="`false`: leave out tries of single steps, which are no whole runs.")


class RunPage(PageShape):
    """Runs, the newest first."""

    items = RunSummary(many=True)


class Runs(ApiView):
    """All runs that the caller sees."""

    scopes: ClassVar = {"POST": "run"}
    limits: ClassVar = {"POST": "start"}

    @describe("runs_list", "List runs", query=RunQuery, answers=RunPage)
    def get(self, request: Request) -> Response:
        """The newest first, without values and errors."""
        rows = Run.objects.listed_for(request.user).select_related("version", "started_by").only(*_COLUMNS)
        if not self.asked["tries"]:
            rows = rows.filter(trial__isnull=True)
        found = narrow(rows, RunFilters.of(self.asked))
        page = page_of(found.rows, self.asked, order=ORDER, seek=found.seek)
        return Response(RunPage(page).data)

    @describe(
        "runs_start",
        "Start a run",
        body=RunStart,
        parameters=[KEY],
        status=201,
        answers=RunShape,
        more={200: RunShape},
        errors={
            400: "The inputs do not fit (`validation_failed`: `details.problems` lists all that is wrong), or the "
            "draft has errors (`flow_invalid`).",
            404: "There is no such flow or version, or it is not for you to see (`not_found`).",
            409: "The key was used with another request (`idempotency_conflict`).",
        },
    )
    def post(self, request: Request) -> Response:
        """201 for a new run; 200 and the same run where the key was used for the same request before. A run of
        `draft` runs what the draft says now, and stays bound to that."""
        given = body_of(request, RunStart)
        return start_asked(request, version_asked(request, given), given)


class CountsOfRuns(ApiView):
    """How many runs there are."""

    @describe("runs_count", "Count runs", query=RunFilter, answers=RunCounts)
    def get(self, request: Request) -> Response:
        """Of those that fit, by status; `status` itself counts for nothing here. It never counts very far."""
        counts = count_by_status(request.user, RunFilters.of(self.asked))
        return Response(RunCounts(counts).data)


class OneRun(ApiView):
    """One run."""

    @describe("runs_read", "Read a run", query=ValuesQuery, answers=RunShape)
    def get(self, request: Request, run_id: str) -> Response:
        """Where it stands, what it used, why it failed."""
        return Response(shown_run(find_run(request.user, run_id), with_values=self.asked["values"]))


def version_asked(request: Request, given: dict[str, Any]) -> FlowVersion:
    """The version that a request to start a run is about. Raises NotFound, PermissionDenied."""
    user, key = request.user, request.headers.get("Idempotency-Key")
    flow = find_flow(user, given["flow"])
    demand_right(user, RUN, flow)
    # What was started with the key before decides, even if a newer version has been published since.
    earlier = version_of_key(actor_of(user), key) if key is not None else None
    return earlier or _version(user, flow, given.get("version"))


def start_asked(request: Request, version: FlowVersion, given: dict[str, Any]) -> Response:
    """Start the run that a request is about; `given` (RunStart, with all inputs) is what its key stands for."""
    started = start_run(
        version,
        inputs=given.get("inputs", {}),
        preset=given.get("preset"),
        actor=actor_of(request.user),
        user=request.user,
        idempotency_key=request.headers.get("Idempotency-Key"),
        request=given,
    )
    return started_answer(started)


def _version(user: Any, flow: Flow, wanted: int | str | None) -> FlowVersion:
    """The version to run: the newest, one by its number, or the draft, frozen."""
    if wanted == "draft":
        demand_right(user, EDIT, flow)
        return freeze_trial(Draft.objects.get(flow=flow).document, by=user, catalog=CATALOG, flow=flow)
    versions = FlowVersion.objects.filter(flow=flow).published()
    found = versions.filter(number=wanted) if wanted is not None else versions.order_by("-number")
    version = found.first()
    if version is None:
        told = f"no version {wanted}" if wanted is not None else "no version yet: publish its draft first"
        raise NotFound(f"The flow {flow.pk!r} has {told}.")
    return version
