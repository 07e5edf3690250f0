"""What a person or program can do to a run as a whole. What a worker does to its steps is steps.py's."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import OperationalError

from editor import audit
from editor.language.canonical import digest
from editor.language.errors import LanguageError
from editor.language.inputs import check_inputs
from editor.language.json_gate import JsonLimits, clean_json
from editor.language.policy import effective
from editor.models import FlowVersion
from editor.services import demand_in_use
from runner.engine.errors import RunError
from runner.engine.events import Actor
from runner.engine.happenings import (
    CancelAsked,
    Happening,
    PauseAsked,
    ResumeAsked,
    RetryAsked,
    RunStarted,
    SignalReceived,
)
from runner.engine.program import Program
from runner.engine.rows import RunRow, Stored, id_in_order
from runner.engine.statuses import RunStatus
from runner.models import Run
from runner.services.after_commit import advance_and_announce
from runner.services.finding import keep_values, keep_words
from runner.services.programs import no_such_run, program_of_run, program_to_start
from runner.services.stops import refuse_if_stopped
from runner.store.clock import now_ms
from runner.store.transactions import NewRun, new_run_transaction, run_transaction

log = logging.getLogger(__name__)

ANY_STATUS = frozenset(RunStatus)
LONGEST_KEY = 200


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run that was asked for; `is_new` is False if the idempotency key had been used before."""

    run_id: str
    is_new: bool


def actor_of(user: Any) -> Actor:
    """How events name a signed-in person, or the token by which a program acts for one."""
    return dict(audit.actor_of(user))


def from_outside(value: Any, what: str) -> Any:
    """A JSON value from a person or program, checked and copied. `what` names it in the error.

    Raises RunError `validation_failed`, `value_too_large` or `limit_exceeded`.
    """
    given = settings.FLOWSITE
    try:
        return clean_json(value, limits=JsonLimits(given["VALUE_BYTES"], given["JSON_DEPTH"]))
    except LanguageError as error:
        raise RunError(error.code, f"{what}: {error.message}", details=error.details) from None


def start_run(
    version: FlowVersion,
    *,
    inputs: Mapping[str, Any],
    actor: Actor,
    preset: str | None = None,
    user: Any = None,
    idempotency_key: str | None = None,
    request: Any = None,
    flow_test: dict[str, Any] | None = None,
    trial: dict[str, Any] | None = None,
) -> StartedRun:
    """Start a run of a version. Its first step is handed to the workers after the commit.

    The same `idempotency_key` of the same actor with the same `request` (left out: version, preset and inputs)
    gives the same run. Raises RunError: `validation_failed` (every problem listed), `value_too_large`,
    `limit_exceeded`, `idempotency_conflict`, `flow_invalid`, `flow_changed` (another skill than was published),
    `permission_denied` while starts are stopped.
    """
    given = from_outside(dict(inputs), "The inputs")
    asked = {"version": version.content_hash, "preset": preset, "inputs": given} if request is None else request
    starter = starter_of_actor(actor)
    request_digest = _digest_of(asked)
    earlier = earlier_run(actor, idempotency_key, asked)
    if earlier is not None:
        return earlier
    refuse_archived(version.flow_id)
    refuse_if_stopped(version.flow_id)
    program = program_to_start(version, flow_test, trial)
    state = _first_state(program, preset, given)
    now = now_ms()
    row = RunRow(
        id=id_in_order(now, secrets.token_hex(12)),
        salt=secrets.token_hex(16),
        preset=preset,
        inputs=Stored.of(state),
        policy=effective_policy(program, preset),
        started_at=now,
    )
    new = NewRun(
        row=row,
        version_id=version.pk,
        flow_id=version.flow_id,
        started_by_id=user.pk if user is not None else None,
        actor=actor,
        starter=starter,
        idempotency_key=idempotency_key,
        request_digest=request_digest,
        flow_test=flow_test,
        trial=trial,
    )
    with new_run_transaction(new) as work:
        if work is not None:
            if flow_test is None:
                keep_words(program, work, state)
                keep_values(program, work, state)
            started = RunStarted(work.now, state=state, about=_about(version), actor=actor)
            advance_and_announce(program, work, started)
    if work is None:
        return winner_of_key(starter, idempotency_key, request_digest)
    return StartedRun(row.id, is_new=True)


def refuse_archived(flow_id: str | None) -> None:
    """Raise RunError where a flow was put away: nothing of it starts."""
    if flow_id is None:
        return
    try:
        demand_in_use(flow_id)
    except LanguageError as error:
        raise RunError(error.code, error.message, details=error.details) from None


def earlier_run(actor: Actor, idempotency_key: str | None, request: Any) -> StartedRun | None:
    """The run that an actor has started with this key and request, or None.

    Raises RunError: `validation_failed` for what is no key, `idempotency_conflict` for one of another request.
    """
    if idempotency_key is None:
        return None
    check_key(idempotency_key)
    return run_of_key(starter_of_actor(actor), idempotency_key, _digest_of(request))


def _digest_of(request: Any) -> str:
    return digest(from_outside(request, "The request"))


def version_of_key(actor: Actor, idempotency_key: str) -> FlowVersion | None:
    """The version that an actor has started with this key, or None."""
    runs = Run.objects.filter(starter=starter_of_actor(actor), idempotency_key=idempotency_key)
    run = runs.select_related("version").only("version").first()
    return run.version if run is not None else None


def starter_of_actor(actor: Actor) -> str:
    """Whose keys are one's own: a person's, a token's."""
    return f"{actor.get('kind', '')}:{actor.get('id', '')}"


def check_key(key: str) -> None:
    """Raise RunError `validation_failed` for what is no idempotency key."""
    if not key or len(key) > LONGEST_KEY or not key.isprintable():
        raise RunError("validation_failed", f"An idempotency key is a text of 1 to {LONGEST_KEY} printable characters.")


def run_of_key(starter: str, key: str, request_digest: str) -> StartedRun | None:
    """The run that was started with this key, or None. Raises RunError `idempotency_conflict`."""
    known = Run.objects.filter(starter=starter, idempotency_key=key).values_list("id", "request_digest").first()
    if known is None:
        return None
    run_id, digest_then = known
    if digest_then != request_digest:
        raise RunError(
            "idempotency_conflict",
            f"The key {key!r} has started run {run_id} with another request. Use a new key for a new request.",
            details={"run": run_id},
        )
    return StartedRun(run_id, is_new=False)


def winner_of_key(starter: str, key: str | None, request_digest: str) -> StartedRun:
    """The run of somebody who used the key at the same moment. Raises RunError `idempotency_conflict`."""
    assert key is not None
    winner = run_of_key(starter, key, request_digest)
    assert winner is not None
    return winner


def _first_state(program: Program, preset: str | None, inputs: dict[str, Any]) -> dict[str, Any]:
    state, problems = check_inputs(program.definition, preset, inputs, program.state_schema)
    if problems:
        raise RunError(
            "validation_failed",
            f"The run cannot start: {' '.join(problems)}",
            details={"problems": problems},
        )
    checked: dict[str, Any] = from_outside(state, "The inputs")
    return checked


def effective_policy(program: Program, preset: str | None) -> dict[str, Any]:
    """The policy of a run: the flow's, with what the preset says laid over it."""
    chosen = program.definition.preset(preset) if preset is not None else None
    return dict(effective(program.definition.policy, chosen.policy if chosen else None).values)


def _about(version: FlowVersion) -> dict[str, Any]:
    return {"version": version.number, "content_hash": version.content_hash}


def ask(run_id: str, make: Callable[[int], Happening]) -> RunRow:
    """Let a person's or program's wish happen to a run, whatever its status; the engine says whether it fits.

    `make` is given the database's time. Raises RunError `not_found`, `run_busy` if others hold the run for too
    long, or what the engine refuses with.
    """
    place, program = program_of_run(run_id)
    try:
        with run_transaction(run_id, ANY_STATUS) as work:
            if work is None:
                raise no_such_run(run_id)
            if work.version_id != place.version_id:
                raise RunError("run_busy", "The run was moved to another version just now. Try again.")
            advance_and_announce(program, work, make(work.now))
    except OperationalError as error:
        log.warning("Run %s: %s", run_id, error)
        raise RunError("run_busy", "The run's row could not be locked in time. Try again.") from error
    return work.run


def cancel_run(run_id: str, *, actor: Actor, reason: str = "") -> RunRow:
    """Stop a run for good, at once. Raises RunError `run_finished`, `not_found`."""
    return ask(run_id, lambda now: CancelAsked(now, reason=reason, actor=actor))


def pause_run(run_id: str, *, actor: Actor) -> RunRow:
    """Start nothing new in a run until it is resumed. Raises RunError `run_finished`, `not_found`."""
    return ask(run_id, lambda now: PauseAsked(now, actor=actor))


def resume_run(run_id: str, *, actor: Actor) -> RunRow:
    """Go on after a person's pause. Raises RunError `not_paused`, `run_finished`, `not_found`."""
    return ask(run_id, lambda now: ResumeAsked(now, actor=actor))


def retry_step(run_id: str, step_id: str, *, actor: Actor, arguments: dict[str, Any] | None = None) -> RunRow:
    """Try the failure that ended a run again. Raises RunError `step_not_failed`, `not_found`."""
    given = None if arguments is None else from_outside(arguments, "The arguments")
    return ask(run_id, lambda now: RetryAsked(now, step_id=step_id, arguments=given, actor=actor))


def send_signal(run_id: str, key: str, value: Any = None, *, actor: Actor) -> RunRow:
    """Give a value to the wait for `key`, or keep it. Raises RunError `run_finished`, `not_found`."""
    name = from_outside(key, "The key")
    if not name or len(name) > 255:
        raise RunError("validation_failed", "The key of a signal is a text of 1 to 255 characters.")
    given = from_outside(value, "The value")
    return ask(run_id, lambda now: SignalReceived(now, key=name, value=given, actor=actor))
