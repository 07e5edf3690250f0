"""The endpoint that cuts nodes out of a flow into a flow of their own."""

from __future__ import annotations

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.access import demand
from editor.api.base import ApiView, body_of, find_flow
from editor.api.documenting import describe
from editor.api.flows import WRITERS
from editor.extractions import extract_flow
from editor.installed import installed_catalog
from editor.permissions import may_write_flows
from editor.serializers.extractions import ExtractionGiven, ExtractionShape


class Extractions(ApiView):
    """Sub-flows that are made out of nodes of a flow."""

    scopes: ClassVar = {"POST": "edit"}

    @describe(
        "flow_extract",
        "Make a sub-flow out of nodes",
        body=ExtractionGiven,
        status=201,
        answers=ExtractionShape,
        errors={
            400: "The nodes cannot become a sub-flow (`validation_failed`): `details.reasons` lists why, each with its "
            "`node`; or there is a flow with that id; or the body is not as documented."
        },
    )
    def post(self, request: Request, flow_id: str) -> Response:
        """The nodes become a flow of their own, published as its version 1 unless that is declined. The answer has the
        document with one node in their place; it is not saved: save it as the draft."""
        flow = find_flow(request.user, flow_id)
        demand(may_write_flows(request.user), WRITERS)
        given = body_of(request, ExtractionGiven)
        made = extract_flow(
            flow,
            given["document"],
            given["nodes"],
            new_id=given["id"],
            name=given.get("name", ""),
            by=request.user,
            catalog=installed_catalog(),
            publish=given.get("publish", True),
        )
        shown = {"flow": made.flow, "version": made.version, "document": made.document, "node": made.node}
        answer = ExtractionShape(shown, context={"request": request}).data
        return Response(answer, status=201, headers={"Location": f"/api/flows/{made.flow.pk}/"})
