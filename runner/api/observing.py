"""The endpoint that tells what a run did at each node of its flow, in short. Nothing is saved, nothing runs."""

from __future__ import annotations

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.base import ApiView, body_of
from editor.api.documenting import describe
from runner.api.base import find_run
from runner.serializers.api.observing import ObservedShape, ObservingGiven
from runner.services.observing import Choice, earlier_than, observe


class Observing(ApiView):
    """What a run did, node by node."""

    scopes: ClassVar = {"POST": "read"}

    @describe("runs_observe", "Read what a run did at each node", body=ObservingGiven, answers=ObservedShape)
    def post(self, request: Request, run_id: str) -> Response:
        """One attempt at each node that the run came to, with the beginning of what it gave, and the edges that it
        took. Values that may be sensitive are covered; none is told whole: `steps_read` does that."""
        run = find_run(request.user, run_id)
        given = body_of(request, ObservingGiven)
        found = observe(run, Choice(given.get("items", {}), given.get("visit")))
        earlier = earlier_than(run, given["document"]) if "document" in given else None
        return Response(ObservedShape({**vars(found), "earlier": earlier}).data)
