"""Endpoints of safe replay: which past runs there are, and what a draft would have made of them."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.base import ApiView, body_of, find_flow
from editor.api.documenting import describe
from editor.installed import installed_catalog
from editor.models import Draft
from runner.engine.comparing import Row
from runner.models import Run
from runner.serializers.api.flow_tests import ReplayedRuns, ReplayGiven, ReplayQuery, RunsToReplay
from runner.services.flow_test_runs import Portion
from runner.services.replays import changed_program, replay_runs, runs_to_replay
from runner.simulation.safe_replay import Replayed
from runner.simulation.told_events import told_events

#: Steps that are told of one replayed run.
MOST_STEPS = 50


class Replays(ApiView):
    """Replaying past runs."""

    scopes: ClassVar = {"POST": "read"}
    limits: ClassVar = {"POST": "simulate"}

    @describe("replays_list", "List runs to replay", query=ReplayQuery, answers=RunsToReplay)
    def get(self, request: Request, flow_id: str) -> Response:
        """The newest runs of the last version that have ended."""
        flow = find_flow(request.user, flow_id)
        version, runs = runs_to_replay(flow, request.user, self.asked["limit"])
        return Response(RunsToReplay({"version": version and version.number, "items": list(runs)}).data)

    @describe(
        "replays_make",
        "Replay past runs against a draft",
        body=ReplayGiven,
        answers=ReplayedRuns,
        errors={400: "The document has errors (`flow_invalid`), or the body is not as documented."},
    )
    def post(self, request: Request, flow_id: str) -> Response:
        """In the simulator, with recorded replies in place of calls: nothing is called, nothing is saved. A call that a
        run did not make is reported. It works for about two seconds; `left` names the runs to ask for again. Runs that
        are none of the flow's, or not for you to see, are passed over."""
        flow = find_flow(request.user, flow_id)
        given = body_of(request, ReplayGiven)
        document = given.get("document")
        if document is None:
            document = json.loads(Draft.objects.get(flow=flow).document)
        changed = changed_program(flow, document, installed_catalog())
        asked = list(dict.fromkeys(given["runs"]))
        rows = Run.objects.visible_to(request.user).filter(flow=flow, pk__in=asked)
        found = {row.pk: row for row in rows.defer("inputs", "result", "snapshot")}
        left, portion = [run for run in asked if run in found], Portion()
        items: list[dict[str, Any]] = []
        while left and not (items and portion.is_over):
            items += [_shown(*one, with_events=given["events"]) for one in replay_runs([found[left.pop(0)]], changed)]
        return Response(ReplayedRuns({"items": items, "left": left}).data)


def _shown(run: Run, replayed: Replayed, *, with_events: bool) -> dict[str, Any]:
    about = ("verdict", "ending", "parting", "unmatched", "ends_otherwise", "cost_before", "cost_after", "refused")
    return {
        "run": run.pk,
        "started_at": run.started_at,
        "status": run.status,
        **{name: getattr(replayed, name) for name in about},
        "troubles": list(replayed.troubles),
        "events": told_events(replayed.events) if with_events else [],
        "steps": [_step(row) for row in replayed.rows[:MOST_STEPS]],
    }


def _step(row: Row) -> dict[str, Any]:
    path, visit = row.key
    statuses = {side: "" if one is None else one.status for side, one in (("before", row.before), ("after", row.after))}
    return {"node": row.one.node, "path": path, "visit": visit, "differs": list(row.differs), **statuses}
