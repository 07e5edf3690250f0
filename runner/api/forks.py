"""Endpoints of a run's past and of what goes on from it: state at an event, fork, move, running again."""

from __future__ import annotations

from typing import ClassVar

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.base import ApiView, body_of
from editor.api.documenting import describe
from editor.models import FlowVersion
from runner.api.base import controlled, find_run, shown_run, started_answer
from runner.api.runs import KEY
from runner.models import Run
from runner.serializers.api.runs import RunShape
from runner.serializers.api.states import (
    AgainGiven,
    ForkGiven,
    ForkPlanShape,
    ForkQuery,
    MoveGiven,
    PlaceShape,
    StateQuery,
    StateShape,
)
from runner.services.forks import fork_run, move_run, plan_fork, run_again
from runner.services.runs import actor_of
from runner.services.states import PlaceAt, state_at, value_at

_KEY_USED = "The key was used with another request (`idempotency_conflict`)."


class State(ApiView):
    """A run at one of its events."""

    @describe(
        "runs_state",
        "Read the state at an event",
        query=StateQuery,
        answers=StateShape,
        errors={404: "There is no such run, event or key, or it is not for you to see (`not_found`)."},
    )
    def get(self, request: Request, run_id: str) -> Response:
        """Rebuilt from the history. Long values are told by size and digest; with `key`, that one is told whole."""
        run = find_run(request.user, run_id)
        seq = self.asked.get("seq", run.seq)
        state = state_at(run, seq)
        shown = StateShape(state).data
        if "key" in self.asked:
            scope = self.asked["scope"]
            label = next((place.label for place in state.places if place.scope == scope), "")
            one = value_at(run, seq, self.asked["key"], scope)
            shown["places"] = [PlaceShape(PlaceAt(scope, label, [one])).data]
        return Response(shown)


class ForkPlan(ApiView):
    """What a fork would do."""

    @describe(
        "runs_fork_plan",
        "Read what a fork would do",
        query=ForkQuery,
        answers=ForkPlanShape,
        errors={409: "The run had ended there (`run_finished`), or its flow has changed (`flow_changed`)."},
    )
    def get(self, request: Request, run_id: str) -> Response:
        """Which steps would start, and which of them had begun before, so that their effects may repeat."""
        return Response(ForkPlanShape(plan_fork(find_run(request.user, run_id), self.asked["seq"])).data)


class Fork(ApiView):
    """A new run that goes on from an event of a run."""

    scopes: ClassVar = {"POST": "run"}
    limits: ClassVar = {"POST": "start"}

    @describe(
        "runs_fork",
        "Fork a run",
        body=ForkGiven,
        parameters=[KEY],
        status=201,
        answers=RunShape,
        more={200: RunShape},
        errors={
            400: "The state does not fit (`state_invalid`), or the inputs do not (`validation_failed`).",
            409: "The run had ended there (`run_finished`), the version does not fit (`flow_changed`: "
            f"`details.differences` lists what differs), or: {_KEY_USED}",
        },
    )
    def post(self, request: Request, run_id: str) -> Response:
        """Starts a new run from where this one stood at an event. What had ended is not run again; what was in flight
        starts anew; approvals are asked anew. 200 and the same run where the key was used for the same request."""
        run = controlled(request.user, run_id)
        given = body_of(request, ForkGiven)
        started = fork_run(
            run,
            given["seq"],
            actor=actor_of(request.user),
            user=request.user,
            state=given.get("state"),
            version=_version(run, given["version"]) if "version" in given else None,
            idempotency_key=request.headers.get("Idempotency-Key"),
        )
        return started_answer(started)


class Move(ApiView):
    """Moving a run to another version."""

    scopes: ClassVar = {"POST": "run"}

    @describe(
        "runs_move",
        "Move a run to another version",
        body=MoveGiven,
        answers=RunShape,
        errors={
            409: "The versions do not fit (`flow_changed`: `details.differences` lists what differs), the run is at "
            "work (`not_paused`, `run_busy`), or it has ended (`run_finished`)."
        },
    )
    def post(self, request: Request, run_id: str) -> Response:
        """Lets a paused, waiting or failed run go on as another version of its flow with the same structure, whose
        permissions are no looser. Open approvals are asked anew."""
        run = controlled(request.user, run_id)
        given = body_of(request, MoveGiven)
        move_run(run, _version(run, given["version"]), actor=actor_of(request.user))
        return Response(shown_run(find_run(request.user, run_id)))


class Again(ApiView):
    """Running again."""

    scopes: ClassVar = {"POST": "run"}
    limits: ClassVar = {"POST": "start"}

    @describe(
        "runs_again",
        "Run again",
        body=AgainGiven,
        parameters=[KEY],
        status=201,
        answers=RunShape,
        more={200: RunShape},
        errors={400: "The inputs do not fit that version (`validation_failed`).", 409: _KEY_USED},
    )
    def post(self, request: Request, run_id: str) -> Response:
        """Starts a new run with the same inputs and preset: of the same version, or of the newest."""
        run = controlled(request.user, run_id)
        given = body_of(request, AgainGiven)
        started = run_again(
            run,
            actor=actor_of(request.user),
            user=request.user,
            newest=given["newest"],
            idempotency_key=request.headers.get("Idempotency-Key"),
        )
        return started_answer(started)


def _version(run: Run, number: int) -> FlowVersion:
    found = FlowVersion.objects.filter(flow=run.flow_id).published() if run.flow_id else FlowVersion.objects.none()
    version: FlowVersion | None = found.filter(number=number).first()
    if version is None:
        raise NotFound(f"The flow of this run has no version {number}.")
    return version
