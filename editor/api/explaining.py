"""Endpoints that explain: why checks are made, and what a flow does in plain words."""

from __future__ import annotations

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from editor import services
from editor.api.base import ApiView, body_of, find_flow
from editor.api.documenting import describe
from editor.language.explanations import EXPLANATIONS
from editor.serializers.explaining import DescriptionOfFlow, DescriptionShape, ExplanationList


class Explanations(ApiView):
    """Why the checks are made."""

    @describe("explanations_list", "Explain the checks", answers=ExplanationList)
    def get(self, request: Request) -> Response:
        """For each code of a problem the reason, and an example: wrong and right."""
        return Response({"items": [one.as_json() for one in EXPLANATIONS.values()]})


class DescriptionOfOne(ApiView):
    """A flow in plain words."""

    scopes: ClassVar = {"POST": "read"}

    @describe("flow_describe", "Describe a flow", body=DescriptionOfFlow, answers=DescriptionShape)
    def post(self, request: Request, flow_id: str) -> Response:
        """What the draft does, or the document that is sent in its place, worked out without a model: the same document
        gives the same words. Nothing is saved."""
        flow = find_flow(request.user, flow_id)
        document = body_of(request, DescriptionOfFlow).get("document")
        return Response(services.describe_flow(flow, document).as_json())
