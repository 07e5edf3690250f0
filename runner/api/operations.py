"""Endpoints for whoever looks after the site: stops and releases, and what stands still."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from editor import pseudonyms
from editor.api.access import demand
from editor.api.base import ApiView, body_of
from editor.api.documenting import describe
from editor.api.paging import PageQuery, PageShape, page_of
from editor.visibility import GROUPS, is_one_of
from runner.models import Stop
from runner.permissions import may_operate
from runner.serializers.api.operations import (
    ReleaseGiven,
    StopFilter,
    StopGiven,
    StopShape,
    StuckQuery,
    StuckShape,
)
from runner.services.stops import release, stop
from runner.services.stuck import find_stuck

OPERATORS = "Admins look after the site. Ask one of them."


class StopQuery(StopFilter, PageQuery):
    """Which page of which stops."""


class StopPage(PageShape):
    """Stops, the newest first."""

    items = StopShape(many=True)


class Stops(ApiView):
    """All stops."""

    scopes: ClassVar = {"POST": "admin"}

    @describe("stops_list", "List what is stopped", query=StopQuery, answers=StopPage)
    def get(self, request: Request) -> Response:
        """What is stopped now, or with `active=false` what was; the newest first."""
        rows = Stop.objects.visible_to(request.user).filter(released_at__isnull=self.asked["active"])
        page = page_of(rows, self.asked, order=("-id",))
        for row in page.items:
            _with_names(row)
        return Response(StopPage(page).data)

    @describe(
        "stops_make",
        "Stop everything, a flow or a tool",
        body=StopGiven,
        status=201,
        answers=StopShape,
        errors={400: "There is no such flow or tool, or it is stopped already (`validation_failed`)."},
    )
    def post(self, request: Request) -> Response:
        """New runs are refused, and running work stops at its next claim; it goes on by itself once released."""
        demand(may_operate(request.user), OPERATORS)
        given = body_of(request, StopGiven)
        made = stop(given["scope"], given.get("target", ""), reason=given["reason"], user=request.user)
        return Response(StopShape(_with_names(made)).data, status=201)


class Release(ApiView):
    """The end of a stop."""

    scopes: ClassVar = {"POST": "admin"}

    @describe(
        "stops_release",
        "Release a stop",
        body=ReleaseGiven,
        answers=StopShape,
        errors={400: "Somebody has released it before (`validation_failed`)."},
    )
    def post(self, request: Request, stop_id: int) -> Response:
        """What it held back goes on by itself."""
        if not Stop.objects.visible_to(request.user).filter(pk=stop_id).exists():
            raise NotFound("There is no such stop, or it is not for you to see.")
        demand(may_operate(request.user), OPERATORS)
        released = release(stop_id, note=body_of(request, ReleaseGiven)["note"], user=request.user)
        return Response(StopShape(_with_names(released)).data)


class StuckThings(ApiView):
    """What stands still."""

    @describe("stuck_read", "See what stands still", query=StuckQuery, answers=StuckShape)
    def get(self, request: Request) -> Response:
        """Steps nobody takes, queues without a worker, overdue leases, approvals and timers, runs that do not move:
        the oldest of each, with what to do."""
        if not is_one_of(request.user, *GROUPS):
            raise NotFound("There is no such list, or it is not for you to see.")
        demand(may_operate(request.user), OPERATORS)
        return Response(StuckShape(find_stuck(request.user, still_ms=self.asked["still_ms"])).data)


def _with_names(row: Any) -> Any:
    row.released_by = None
    if row.release_actor is not None:
        actor = pseudonyms.shown(row.release_actor)
        row.released_by = str(actor.get("name") or actor.get("kind") or "somebody")
    return row
