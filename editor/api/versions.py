"""Endpoints of versions: publishing, listing, reading, and what differs between two of them."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from editor import services
from editor.api.base import ApiView, body_of, find_flow
from editor.api.documenting import describe
from editor.api.paging import PageQuery, PageShape, page_of
from editor.installed import installed_catalog, installed_gate
from editor.language.diff import compare_documents
from editor.language.schema import parse_document
from editor.language.schema.writing import to_json
from editor.models import Draft, Flow, FlowVersion
from editor.permissions import demand_right
from editor.serializers.flows import DifferenceQuery, DifferenceShape, Publish, VersionShape, VersionSummary
from editor.visibility import PUBLISH


class VersionPage(PageShape):
    """Versions, the newest first."""

    items = VersionSummary(many=True)


class Versions(ApiView):
    """The published versions of a flow."""

    scopes: ClassVar = {"POST": "edit"}

    @describe("versions_list", "List versions", query=PageQuery, answers=VersionPage)
    def get(self, request: Request, flow_id: str) -> Response:
        """The newest first, without their documents."""
        flow = find_flow(request.user, flow_id)
        rows = services.versions(flow).select_related("created_by")
        return Response(VersionPage(page_of(rows, self.asked, order=("-number",))).data)

    @describe(
        "versions_publish",
        "Publish the draft",
        body=Publish,
        status=201,
        answers=VersionShape,
        errors={
            400: "The draft has errors (`flow_invalid`): `details.problems` lists them all; its tests fail and it says "
            "that they stop publishing (`details.tests`); or the body is not as documented (`validation_failed`).",
            409: "The draft is newer than the `revision` that was sent, or a version than the `newest`: `details` says "
            "which, by whom, and whether it is the `same` (`revision_conflict`).",
        },
    )
    def post(self, request: Request, flow_id: str) -> Response:
        """Make the next version out of the draft."""
        flow = find_flow(request.user, flow_id)
        demand_right(request.user, PUBLISH, flow)
        given = body_of(request, Publish)
        version = services.publish_version(
            flow, by=request.user, catalog=installed_catalog(), gate=installed_gate(), **given
        )
        version.refresh_from_db(fields=["created_at"])
        headers = {"Location": f"/api/flows/{flow.pk}/versions/{version.number}/"}
        return Response(_shown(version), status=201, headers=headers)


class OneVersion(ApiView):
    """One published version."""

    @describe("versions_read", "Read a version", answers=VersionShape)
    def get(self, request: Request, flow_id: str, number: int) -> Response:
        """With its document. A version never changes."""
        flow = find_flow(request.user, flow_id)
        return Response(_shown(_find_version(flow, number)))


class DifferenceOfVersions(ApiView):
    """What changed."""

    @describe("versions_compare", "Compare two versions", query=DifferenceQuery, answers=DifferenceShape)
    def get(self, request: Request, flow_id: str) -> Response:
        """Two versions, or a version and the draft: nodes, edges and top-level parts by their ids, with the values
        before and after; what only moved on the canvas is apart."""
        flow = find_flow(request.user, flow_id)
        before, after = (_document(flow, self.asked[side]) for side in ("before", "after"))
        return Response(compare_documents(before, after).as_json())


def _find_version(flow: Flow, number: int) -> FlowVersion:
    found = FlowVersion.objects.filter(flow=flow).published().select_related("created_by")
    version = found.filter(number=number).first()
    if version is None:
        raise NotFound(f"The flow {flow.pk!r} has no version {number}.")
    return version


def _document(flow: Flow, which: str) -> dict[str, Any]:
    if which != "draft":
        version: dict[str, Any] = json.loads(_find_version(flow, int(which)).document)
        return version
    draft: dict[str, Any] = json.loads(Draft.objects.get(flow=flow).document)
    definition = parse_document(draft).definition
    return draft if definition is None else to_json(definition)  # as publishing would freeze it


def _shown(version: FlowVersion) -> dict[str, Any]:
    summary: dict[str, Any] = VersionSummary(version).data
    return {**summary, "flow": version.flow_id, "document": json.loads(version.document), "skills": version.skills}
