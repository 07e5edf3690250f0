"""Forking a run from one of its events, running it again, and moving it to another version of its flow."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import OperationalError

from editor import audit
from editor.language.canonical import digest
from editor.language.inputs import check_inputs
from editor.models import FlowVersion
from runner.engine.errors import RunError
from runner.engine.events import Actor
from runner.engine.happenings import MoveAsked, RunForked
from runner.engine.machine import advance
from runner.engine.moving import check_fit
from runner.engine.program import Program
from runner.engine.replay import ReplayError, checkpoint_at
from runner.engine.rows import Checkpoint, RunRow, StepRow, Stored, id_in_order
from runner.engine.statuses import STEP_LIVE
from runner.models import Run
from runner.services.after_commit import announce_on_commit
from runner.services.finding import keep_values, keep_words
from runner.services.programs import no_such_run, program_of_run, program_to_start, programs_of_history
from runner.services.runs import (
    ANY_STATUS,
    StartedRun,
    check_key,
    effective_policy,
    from_outside,
    refuse_archived,
    run_of_key,
    start_run,
    starter_of_actor,
    winner_of_key,
)
from runner.services.stops import refuse_if_stopped
from runner.simulation.history import StoreSource
from runner.simulation.memory import MemoryStore
from runner.store.clock import now_ms
from runner.store.forks import bind_to_version, keep_snapshot
from runner.store.transactions import NewRun, new_run_transaction, run_transaction
from runner.store.whole import read_run

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Repeated:
    """A step run that a fork starts anew although it had begun; `effect`: what its tool says of repeated calls."""

    path: str
    node: str
    type: str
    effect: str


@dataclass(frozen=True, slots=True)
class ForkPlan:
    """What a fork from an event would take over. `seq`: the checkpoint, the end of what happened together."""

    seq: int
    starts: list[str]
    repeats: list[Repeated]


def plan_fork(run: Run, seq: int) -> ForkPlan:
    """What a fork from this event would do: which steps start, and which of them had begun before.

    Raises RunError `not_found`, `run_finished`, or `flow_changed` where the history does not come out as recorded.
    """
    _, checkpoint, program = _checkpoint(run, seq)
    live = [row for row in checkpoint.steps if row.status in STEP_LIVE and not row.is_container]
    begun = [row for row in live if row.type in _WORKS_OUTSIDE and row.announced]
    repeats = [
        Repeated(row.path, row.node, row.type, _effect(program, row))
        for row in begun
        if row.waits_for not in ("calls", "person")  # those have not been called, or are not called again
    ]
    lasting = sorted((one for one in repeats if one.effect != "pure"), key=lambda one: one.path)
    return ForkPlan(checkpoint.seq, sorted(row.path for row in live), lasting)


_WORKS_OUTSIDE = frozenset({"agent", "handler", "llm_call", "subflow", "tool_call"})


def _effect(program: Program, row: StepRow) -> str:
    noted = (row.notes or {}).get("effect")
    if noted:
        return str(noted)
    if row.type != "tool_call":
        return ""
    call = (row.notes or {}).get("call") or {}
    tool = program.catalog.tool(str(call.get("tool") or getattr(program.node(row.node).config, "tool", "")))
    return tool.effect if tool is not None else ""


def fork_run(
    run: Run,
    seq: int,
    *,
    actor: Actor,
    user: Any = None,
    state: Mapping[str, Any] | None = None,
    version: FlowVersion | None = None,
    idempotency_key: str | None = None,
) -> StartedRun:
    """Start a new run that goes on from where a run stood at an event, with some top-level state keys set anew.

    Steps that had ended are not run again; those in flight start anew, and what was asked is asked anew. `version`:
    another one of the same flow, which must fit as for a move. Raises RunError: `not_found`, `run_finished` (nothing
    was left to do there), `state_invalid`, `validation_failed`, `value_too_large`, `flow_changed`,
    `idempotency_conflict`, `permission_denied` while starts are stopped.
    """
    changed: dict[str, Any] = from_outside(dict(state or {}), "The state")
    bound = version or run.version
    asked = {"fork": run.pk, "seq": seq, "state": changed, "version": bound.content_hash}
    starter, request_digest = starter_of_actor(actor), digest(asked)
    if idempotency_key is not None:
        check_key(idempotency_key)
        earlier = run_of_key(starter, idempotency_key, request_digest)
        if earlier is not None:
            return earlier
    refuse_archived(run.flow_id)
    refuse_if_stopped(run.flow_id)
    store, checkpoint, program = _checkpoint(run, seq)
    if version is not None and version.pk != run.version_id:
        _refuse_try(run)
        before = program.definition
        program = program_to_start(version, run.flow_test, run.whole_trial)
        check_fit(before, program.definition)
    inputs = _inputs(program, run.preset, store, changed)
    row = _row(run, store, checkpoint, program, inputs)
    new = NewRun(
        row=row,
        version_id=bound.pk,
        flow_id=run.flow_id,
        started_by_id=user.pk if user is not None else None,
        actor=actor,
        starter=starter,
        idempotency_key=idempotency_key,
        request_digest=request_digest,
        flow_test=run.flow_test,
        trial=run.whole_trial,
    )
    about = {"version": bound.number, "content_hash": bound.content_hash}
    with new_run_transaction(new) as work:
        if work is not None:
            forked = RunForked(work.now, checkpoint, changed, about, actor=actor)
            advance(program, work.slice, forked)
            keep_snapshot(work.run, work.slice.changes())
            if run.flow_test is None:
                keep_words(program, work, inputs)
                keep_values(program, work, inputs)
            told = {"from": run.pk, "seq": checkpoint.seq, "changed": sorted(changed), "version": bound.number}
            audit.record(actor, "run-fork", ("run", row.id), after=told)
            announce_on_commit(work)
    if work is None:
        return winner_of_key(starter, idempotency_key, request_digest)
    return StartedRun(row.id, is_new=True)


def _checkpoint(run: Run, seq: int) -> tuple[MemoryStore, Checkpoint, Program]:
    """The rows of a run, what it was at an event, and its program."""
    try:
        store = read_run(run.pk)
    except LookupError:
        raise no_such_run(run.pk) from None
    place, program = program_of_run(run.pk)
    source = StoreSource(store, programs_of_history(run, _hashes(store), place, program))
    try:
        return store, checkpoint_at(store.events, source, seq), program
    except ReplayError as fault:
        log.warning("Run %s cannot be replayed to event %s: %s", run.pk, seq, fault)
        message = (
            f"The history of the run does not come out as it was recorded ({fault}). "
            "What the flow refers to, such as the tools of a role, may have changed since."
        )
        raise RunError("flow_changed", message) from None


def _hashes(store: MemoryStore) -> set[str | None]:
    """The content hashes of all versions that a run has been."""
    moved = {event.data["to"]["content_hash"] for event in store.events if event.type == "run-moved"}
    return {store.events[0].data.get("content_hash"), *moved}


def _value(store: MemoryStore, stored: Stored) -> Any:
    found: Any = StoreSource(store, {}).load(stored)
    return found


def _inputs(program: Program, preset: str | None, store: MemoryStore, changed: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs of the fork: those of the run, with changed ones checked as at a start."""
    given: dict[str, Any] = _value(store, store.run.inputs)
    names = {one.name for one in program.definition.inputs}
    anew = {key: value for key, value in changed.items() if key in names}
    if not anew:
        return given
    merged = given | anew
    _, problems = check_inputs(program.definition, preset, merged, program.state_schema)
    if problems:
        listed = [str(one) for one in problems]
        raise RunError("validation_failed", f"The inputs do not fit: {' '.join(listed)}", details={"problems": listed})
    return merged


def _row(run: Run, store: MemoryStore, checkpoint: Checkpoint, program: Program, inputs: dict[str, Any]) -> RunRow:
    now = now_ms()
    return RunRow(
        id=id_in_order(now, secrets.token_hex(12)),
        salt=secrets.token_hex(16),
        depth=store.seen.depth,
        forked_from=run.pk,
        forked_seq=checkpoint.seq,
        preset=run.preset,
        inputs=Stored.of(inputs),
        policy=effective_policy(program, run.preset),
        started_at=now,
    )


# Moving


def move_run(run: Run, version: FlowVersion, *, actor: Actor) -> RunRow:
    """Let a stopped run go on as another version of its flow with the same structure.

    Raises RunError: `flow_changed` (`details` list what differs), `not_paused` while it is at work, `run_busy` while a
    step runs, `run_finished`, `not_found` for a version of another flow.
    """
    if version.flow_id != run.flow_id or run.flow_id is None:
        raise RunError("not_found", "That version is none of this run's flow.")
    _refuse_try(run)
    place, program = program_of_run(run.pk)
    if version.pk == place.version_id:
        raise RunError("validation_failed", "The run is bound to that version already. Choose another one.")
    after = program_to_start(version, place.flow_test, place.trial)
    check_fit(program.definition, after.definition)
    try:
        with run_transaction(run.pk, ANY_STATUS) as work:
            if work is None:
                raise no_such_run(run.pk)
            if work.version_id != place.version_id:
                raise RunError("run_busy", "The run was moved to another version just now. Look at it again.")
            was = FlowVersion.objects.only("number", "content_hash").get(pk=place.version_id)
            about = {"from": _named(was), "to": _named(version)}
            policy = effective_policy(after, run.preset)
            advance(after, work.slice, MoveAsked(work.now, policy=policy, about=about, actor=actor))
            bind_to_version(run.pk, version.pk, policy)
            audit.record(actor, "run-move", ("run", run.pk), before=about["from"], after=about["to"])
            announce_on_commit(work)
    except OperationalError as error:
        log.warning("Run %s: %s", run.pk, error)
        raise RunError("run_busy", "The run's row could not be locked in time. Try again.") from error
    return work.run


def _refuse_try(run: Run) -> None:
    """Raise RunError for a try of single steps: it is never a run of another version."""
    if run.trial is not None:
        raise RunError("validation_failed", "This run is a try of single steps of a draft. Try them again there.")


def _named(version: FlowVersion) -> dict[str, Any]:
    return {"version": version.number, "content_hash": version.content_hash}


# Running again


def run_again(
    run: Run, *, actor: Actor, user: Any = None, newest: bool = False, idempotency_key: str | None = None
) -> StartedRun:
    """Start a new run with the inputs and preset of a run: of its own version, or of the newest that is published.

    Raises RunError as `start_run`, and `not_found` where nothing is published.
    """
    version = run.version
    if newest:
        _refuse_try(run)
        found = FlowVersion.objects.filter(flow=run.flow_id).published() if run.flow_id else FlowVersion.objects.none()
        newer = found.order_by("-number").first()
        if newer is None:
            raise RunError("not_found", "The flow has no version yet. Publish its draft first.")
        version = newer
    return start_run(
        version,
        inputs=run.value_of("inputs") or {},
        preset=run.preset,
        actor=actor,
        user=user,
        idempotency_key=idempotency_key,
        request={"again": run.pk, "newest": newest},
        flow_test=run.flow_test,
        trial=run.whole_trial,
    )
