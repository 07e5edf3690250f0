"""The endpoint that works out an expression or template while somebody writes it. Nothing is saved, nothing runs."""

from __future__ import annotations

from typing import ClassVar

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.base import ApiView, body_of, find_flow
from editor.api.documenting import describe
from editor.language.schema import parse_document
from editor.models import Draft
from runner.api.base import find_run
from runner.serializers.api.previews import PreviewGiven, PreviewShape
from runner.services.previews import Asked, preview


class PreviewOfFlow(ApiView):
    """What a text or value would give."""

    scopes: ClassVar = {"POST": "read"}

    @describe(
        "flow_preview",
        "Preview an expression",
        body=PreviewGiven,
        answers=PreviewShape,
        errors={404: "There is no such flow, or run of it, or it is not for you to see (`not_found`)."},
    )
    def post(self, request: Request, flow_id: str) -> Response:
        """With the values that a past run of the flow had at a place, or with sample values. Inputs and state keys that
        are marked as sensitive are covered."""
        flow = find_flow(request.user, flow_id)
        given = body_of(request, PreviewGiven)
        run = find_run(request.user, given["run"]) if "run" in given else None
        if run is not None and run.flow_id != flow.pk:
            raise NotFound(f"The run {run.pk!r} is none of the flow {flow.pk!r}.")
        document = given["document"] if "document" in given else Draft.objects.get(flow=flow).document
        asked = Asked(given["kind"], given["value"], given.get("node"), given.get("edge"))
        found = preview(asked, parse_document(document).partial, run, given.get("sample", {}))
        return Response(PreviewShape(found).data)
