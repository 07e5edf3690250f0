"""Endpoints between flows and their runs: which versions still have open runs, and which document a run is bound to."""

from __future__ import annotations

import json
from typing import Any

from django.db.models import Count
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.base import ApiView, find_flow
from editor.api.documenting import describe
from editor.models import FlowVersion
from editor.serializers.fields import JsonObject
from runner.api.base import find_run
from runner.engine.statuses import RUN_LIVE
from runner.models import Run


class OpenRunsOfVersion(serializers.Serializer[Any]):
    """How many runs of a version have not ended."""

    version = serializers.IntegerField(allow_null=True, help_text="null: trials of drafts.")
    open = serializers.IntegerField()


class OpenRunsShape(serializers.Serializer[Any]):
    """The versions that have open runs, by number."""

    items = OpenRunsOfVersion(many=True)


class DocumentOfRun(serializers.Serializer[Any]):
    """The frozen document that a run is bound to."""

    document = JsonObject()


class OpenRuns(ApiView):
    """Runs that have not ended."""

    @describe("flows_open_runs", "Count open runs", answers=OpenRunsShape)
    def get(self, request: Request, flow_id: str) -> Response:
        """By version: publishing moves none of them."""
        flow = find_flow(request.user, flow_id)
        live = Run.objects.visible_to(request.user).filter(flow=flow, status__in=RUN_LIVE).order_by()
        found = live.values_list("version__number").annotate(Count("pk")).order_by("version__number")
        return Response({"items": [{"version": number, "open": count} for number, count in found]})


class RunDocument(ApiView):
    """The document of a run."""

    @describe("runs_document", "Read the document of a run", answers=DocumentOfRun)
    def get(self, request: Request, run_id: str) -> Response:
        """Of the version, or the trial, that runs; it never changes."""
        run = find_run(request.user, run_id)
        text = FlowVersion.objects.values_list("document", flat=True).get(pk=run.version_id)
        return Response({"document": json.loads(text)})
