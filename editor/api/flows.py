"""Endpoints of flows as a whole: list, make, name, copy, put away. Drafts and versions have files of their own."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from editor import services
from editor.api.access import demand
from editor.api.base import ApiView, body_of, find_flow
from editor.api.documenting import describe
from editor.api.paging import PageQuery, PageShape, page_of
from editor.models import Flow
from editor.permissions import demand_right, may_archive, may_write_flows
from editor.serializers.flows import FlowChange, FlowCreate, FlowDuplicate, FlowFilter, FlowSummary, Reason
from editor.visibility import EDIT

WRITERS = "Analysts and admins make flows. Ask one of them."
ADMINS = "Admins put flows away and bring them back. Ask one of them."
TAKEN = "There is a flow with that id (`validation_failed`), or the document has another id."


class FlowQuery(FlowFilter, PageQuery):
    """Which page of which flows."""


class FlowPage(PageShape):
    """Flows, by name."""

    items = FlowSummary(many=True)


class Flows(ApiView):
    """All flows that the caller sees."""

    scopes: ClassVar = {"POST": "edit"}

    @describe("flows_list", "List flows", query=FlowQuery, answers=FlowPage)
    def get(self, request: Request) -> Response:
        """By name."""
        rows = Flow.objects.visible_to(request.user).filter(archived_at__isnull=not self.asked["archived"])
        page = page_of(rows.select_related("owner"), self.asked, order=("name", "id"))
        return Response(FlowPage(page, context={"request": request}).data)

    @describe("flows_create", "Make a flow", body=FlowCreate, status=201, answers=FlowSummary)
    def post(self, request: Request) -> Response:
        """With the document that is sent, under its id, or with an empty one. `name` and `description`, where they
        are sent, stand in the document afterwards."""
        demand(may_write_flows(request.user), WRITERS)
        given = body_of(request, FlowCreate)
        said = {key: given[key] for key in ("name", "description") if key in given}
        document = given.get("document")
        if document is not None:
            document = {**document, **said}
        flow = services.create_flow(given["id"], by=request.user, document=document, **said)
        return Response(_shown(request, flow), status=201, headers={"Location": f"/api/flows/{flow.pk}/"})


class OneFlow(ApiView):
    """One flow."""

    scopes: ClassVar = {"PATCH": "edit"}

    @describe("flows_read", "Read a flow", answers=FlowSummary)
    def get(self, request: Request, flow_id: str) -> Response:
        """Its document is read as draft or as version."""
        return Response(_shown(request, find_flow(request.user, flow_id)))

    @describe(
        "flows_rename",
        "Name a flow",
        body=FlowChange,
        answers=FlowSummary,
        errors={409: "Somebody saved the draft in this moment (`revision_conflict`)."},
    )
    def patch(self, request: Request, flow_id: str) -> Response:
        """Name and description stand in the draft, so this saves the draft. Versions keep what they say."""
        flow = find_flow(request.user, flow_id)
        demand_right(request.user, EDIT, flow)
        given = body_of(request, FlowChange)
        services.rename_flow(flow, by=request.user, **given)
        return Response(_shown(request, flow))


class FlowCopies(ApiView):
    """Copies of a flow."""

    scopes: ClassVar = {"POST": "edit"}

    @describe("flows_duplicate", "Copy a flow", body=FlowDuplicate, status=201, answers=FlowSummary)
    def post(self, request: Request, flow_id: str) -> Response:
        """A flow of its own, out of the draft or a version, without versions and runs."""
        flow = find_flow(request.user, flow_id)
        demand(may_write_flows(request.user), WRITERS)
        given = body_of(request, FlowDuplicate)
        copy = services.duplicate_flow(
            flow, given["id"], by=request.user, name=given.get("name"), number=given.get("version")
        )
        return Response(_shown(request, copy), status=201, headers={"Location": f"/api/flows/{copy.pk}/"})


class Archive(ApiView):
    """Putting a flow away."""

    scopes: ClassVar = {"POST": "admin"}

    @describe("flows_archive", "Put a flow away", body=Reason, answers=FlowSummary)
    def post(self, request: Request, flow_id: str) -> Response:
        """It stays readable, with its versions and runs. Doing it twice does nothing."""
        flow = find_flow(request.user, flow_id)
        demand(may_archive(request.user), ADMINS)
        services.archive_flow(flow, by=request.user, reason=body_of(request, Reason).get("reason", ""))
        return Response(_shown(request, flow))


class Restore(ApiView):
    """Bringing a flow back."""

    scopes: ClassVar = {"POST": "admin"}

    @describe("flows_restore", "Bring a flow back", body=Reason, answers=FlowSummary)
    def post(self, request: Request, flow_id: str) -> Response:
        """Doing it twice does nothing."""
        flow = find_flow(request.user, flow_id)
        demand(may_archive(request.user), ADMINS)
        services.restore_flow(flow, by=request.user, reason=body_of(request, Reason).get("reason", ""))
        return Response(_shown(request, flow))


def _shown(request: Request, flow: Flow) -> dict[str, Any]:
    shown: dict[str, Any] = FlowSummary(flow, context={"request": request}).data
    return shown
