"""Endpoints of what is done to a run: cancel, pause, resume, retry a step, send a signal. One service each."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.base import ApiView, body_of
from editor.api.documenting import describe
from editor.serializers.fields import Given
from editor.serializers.flows import Reason
from runner.api.base import controlled, find_run, find_step, shown_run
from runner.serializers.api.runs import RetryGiven, RunShape, SignalGiven
from runner.services.runs import actor_of, cancel_run, pause_run, resume_run, retry_step, send_signal

ENDED = "The run has ended (`run_finished`)"


class NoFields(Given):
    """Nothing has to be said."""


class Action(ApiView):
    """Something that is done to a run."""

    scopes: ClassVar = {"POST": "run"}


class Cancel(Action):
    """Stopping for good."""

    @describe("runs_cancel", "Cancel a run", body=Reason, answers=RunShape, errors={409: f"{ENDED}."})
    def post(self, request: Request, run_id: str) -> Response:
        """Stops the run for good, at once."""
        run = controlled(request.user, run_id)
        reason = body_of(request, Reason).get("reason", "")
        cancel_run(run.pk, actor=actor_of(request.user), reason=reason)
        return _now(request, run_id)


class Pause(Action):
    """Stopping for a while."""

    @describe("runs_pause", "Pause a run", body=NoFields, answers=RunShape, errors={409: f"{ENDED}."})
    def post(self, request: Request, run_id: str) -> Response:
        """Nothing new starts until it is resumed; what runs goes on to its end."""
        run = controlled(request.user, run_id)
        body_of(request, NoFields)
        pause_run(run.pk, actor=actor_of(request.user))
        return _now(request, run_id)


class Resume(Action):
    """Going on."""

    @describe(
        "runs_resume",
        "Resume a run",
        body=NoFields,
        answers=RunShape,
        errors={409: "The run is not paused (`not_paused`), or it has ended (`run_finished`)."},
    )
    def post(self, request: Request, run_id: str) -> Response:
        """Goes on after a pause."""
        run = controlled(request.user, run_id)
        body_of(request, NoFields)
        resume_run(run.pk, actor=actor_of(request.user))
        return _now(request, run_id)


class Retry(Action):
    """Trying again."""

    @describe(
        "steps_retry",
        "Try a failed step again",
        body=RetryGiven,
        answers=RunShape,
        errors={409: "The step's failure did not end the run, or somebody was first (`step_not_failed`)."},
    )
    def post(self, request: Request, run_id: str, step_id: str) -> Response:
        """A new attempt at the step whose failure ended the run (`may_retry`); what succeeded is kept."""
        run = controlled(request.user, run_id)
        step = find_step(run, step_id)
        arguments: dict[str, Any] | None = body_of(request, RetryGiven).get("arguments")
        retry_step(run.pk, step.pk, actor=actor_of(request.user), arguments=arguments)
        return _now(request, run_id)


class SendSignal(Action):
    """Telling a run something."""

    @describe("runs_signal", "Send a signal", body=SignalGiven, answers=RunShape, errors={409: f"{ENDED}."})
    def post(self, request: Request, run_id: str) -> Response:
        """A wait for this key goes on with the value; if none waits yet, the signal is kept for one that will."""
        run = controlled(request.user, run_id)
        given = body_of(request, SignalGiven)
        send_signal(run.pk, given["key"], given.get("value"), actor=actor_of(request.user))
        return _now(request, run_id)


def _now(request: Request, run_id: str) -> Response:
    return Response(shown_run(find_run(request.user, run_id)))
