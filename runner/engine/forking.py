"""A forked run: it begins where another run stood, with nothing of that run but the rows it takes over.

What had ended is not done again; what was in flight starts anew, and asks anew. Reading what another run was like
at one of its events is replay.py's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from runner.engine.codec import encode_row, moved_to_blobs
from runner.engine.commands import HintStep
from runner.engine.errors import RunError
from runner.engine.finishing import cancel_now
from runner.engine.happenings import RunForked
from runner.engine.people import arm_run_limit
from runner.engine.retry import step_run_id
from runner.engine.rows import (
    ROOT_SCOPE,
    ArtifactRow,
    Checkpoint,
    StepRow,
    Stored,
    TimerRow,
    Usage,
    ValueRow,
    derived_id,
)
from runner.engine.settling import in_order
from runner.engine.statuses import STEP_LIVE, ScopeStatus, StepStatus
from runner.engine.turn import Turn

#: What a step run in flight keeps of its notes: whose call it is, and what a person wants of it.
_KEPT_NOTES = ("call", "arguments", "failed", "person_retry")


def begin(turn: Turn, asked: RunForked) -> None:
    """Take over what lived at the checkpoint, with changed state. Raises RunError `state_invalid` for bad state."""
    run = turn.run
    rows = _with_state(turn, _anew(run.id, turn.now, asked.checkpoint), asked.state)
    run.snapshot = Stored.of(_as_json(rows))
    secret = turn.program.sensitive_keys
    changed = {key: Stored.of(value) for key, value in asked.state.items()}
    turn.emit(
        "run-forked",
        None,
        by=asked.actor,
        origin={"run": rows.run, "seq": rows.seq, "hash": rows.hash},
        preset=run.preset,
        policy=run.policy,
        changed={key: turn.slice.in_event(value, sealed=key in secret) for key, value in changed.items()},
        snapshot=turn.slice.in_event(run.snapshot, sealed=bool(secret), inline=0),
        **asked.about,
    )
    install(turn, rows)


def install(turn: Turn, rows: Checkpoint) -> None:
    """Insert the rows with which a forked run begins, and go on from there."""
    turn.slice.take_over(rows.scopes, rows.steps)
    _take_over_the_rest(turn, rows)
    arm_run_limit(turn)
    for step in in_order(turn, turn.slice.live_steps()):
        if step.status is StepStatus.PENDING:
            turn.command(HintStep(step.id, step.backend, step.not_before))
    _finish_settling(turn, rows)


def _take_over_the_rest(turn: Turn, rows: Checkpoint) -> None:
    for value in rows.values:
        turn.slice.put_value(value)
    for arrival in rows.arrivals:
        turn.slice.add_arrival(arrival)
    for timer in rows.timers:
        turn.slice.set_timer(timer)
    for signal in rows.signals:
        turn.slice.keep_signal(signal)
    for artifact in rows.artifacts:
        turn.slice.add_artifact(artifact)


def _finish_settling(turn: Turn, rows: Checkpoint) -> None:
    """What was being stopped has nobody left who could answer: it is canceled."""
    for scope in rows.scopes:
        if scope.status is not ScopeStatus.SETTLING:
            continue
        turn.look_at(scope.n)
        for step in in_order(turn, turn.slice.live_steps(scope.n)):
            inner = turn.slice.scope(step.inner) if step.inner is not None else None
            if inner is None or inner.status is not ScopeStatus.SETTLING:
                cancel_now(turn, step, restorable=True)


def _as_json(rows: Checkpoint) -> dict[str, Any]:
    """The snapshot as it is stored: rows by kind; values over the inline limit by reference to the run's blobs."""

    def coded(found: Iterable[Any]) -> list[dict[str, Any]]:
        return [encode_row(moved_to_blobs(row, {})) for row in found]

    return {
        "scopes": coded(rows.scopes),
        "steps": coded(rows.steps),
        "values": coded(rows.values),
        "arrivals": coded(rows.arrivals),
        "timers": coded(rows.timers),
        "signals": coded(rows.signals),
        "artifacts": coded(rows.artifacts),
    }


# Changed state


def _with_state(turn: Turn, rows: Checkpoint, state: Mapping[str, Any]) -> Checkpoint:
    """The rows with some keys set anew at top level; paths that have written such a key keep their own value."""
    if not state:
        return rows
    top = {row.key: row for row in rows.values if row.scope == ROOT_SCOPE and row.kind == "v"}
    whole = {key: json.loads(row.stored.text or "null") for key, row in top.items()} | dict(state)
    problems = turn.program.state_schema.check_delta(dict(state), lambda: whole)
    if problems:
        raise RunError("state_invalid", f"The state would be invalid: {'; '.join(map(str, problems))}.")
    limits = turn.program.limits
    fresh = {key: ValueRow(ROOT_SCOPE, "v", key, Stored.of(value)) for key, value in state.items()}
    large = next((key for key, row in fresh.items() if row.stored.size > limits.value_bytes), None)
    if large is not None:
        raise RunError("value_too_large", f"'{large}' is larger than {limits.value_bytes} bytes. Give less.")
    kept = [row for row in rows.values if row not in top.values() or row.key not in fresh]
    return replace(rows, values=[*kept, *fresh.values()])


# Rows of the new run


def _anew(run_id: str, now: int, at: Checkpoint) -> Checkpoint:
    """The rows of a checkpoint as rows of another run, begun now."""
    ids = {row.id: step_run_id(run_id, row.path, row.visit, row.attempt) for row in at.steps}
    artifact_ids = {row.id: derived_id("artifact", ids[row.step_id]) for row in at.artifacts}
    return replace(
        at,
        scopes=[replace(row, step_id=ids.get(row.step_id or "")) for row in at.scopes],
        steps=[_step_anew(row, ids, now) for row in at.steps],
        values=[_value_anew(row, artifact_ids) for row in at.values if row.kind != "b"],
        arrivals=[replace(row) for row in at.arrivals],
        timers=[_timer_anew(row, ids, now - at.ts) for row in at.timers],
        signals=[replace(row, n=n) for n, row in enumerate(at.signals, start=1)],
        artifacts=[_artifact_anew(row, ids, artifact_ids) for row in at.artifacts],
    )


def _step_anew(row: StepRow, ids: Mapping[str, str], now: int) -> StepRow:
    """A live step run starts anew, without input, approval and use; a container, and an agent's calls, go on."""
    goes_on = (row.is_container and row.status is StepStatus.RUNNING) or row.waits_for == "calls"
    notes = {key: value for key, value in (row.notes or {}).items() if key in _KEPT_NOTES}
    if "person_retry" in notes:
        asked = notes["person_retry"]
        notes["person_retry"] = asked | {"step_id": ids.get(asked["step_id"], "")}
    fresh = replace(
        row,
        id=ids[row.id],
        fence=0,
        lost=0,
        worker="",
        lease_expires_at=None,
        approval_id=None,
        input=None,
        delta=None,
        usage=Usage(),
        notes=notes or None,
    )
    if row.status not in STEP_LIVE:
        return fresh
    fresh.created_at = fresh.not_before = now
    fresh.started_at = now if goes_on else None
    fresh.cancel_requested = False
    fresh.announced = goes_on
    if not goes_on:
        fresh.status, fresh.waits_for, fresh.wait_key, fresh.output = StepStatus.PENDING, "", "", None
    return fresh


def _value_anew(row: ValueRow, artifact_ids: Mapping[str, str]) -> ValueRow:
    if row.kind != "a":
        return replace(row)
    told = json.loads(row.stored.text or "null")
    return replace(row, stored=Stored.of(told | {"id": artifact_ids.get(told["id"], told["id"])}))


def _timer_anew(row: TimerRow, ids: Mapping[str, str], later: int) -> TimerRow:
    """The time limit of an open container: it runs on with what is left of it."""
    step_id = ids[row.step_id or ""]
    due = row.due_at if row.status == "held" else row.due_at + later
    return replace(row, id=derived_id("timer", step_id, row.kind), step_id=step_id, due_at=due)


def _artifact_anew(row: ArtifactRow, ids: Mapping[str, str], artifact_ids: Mapping[str, str]) -> ArtifactRow:
    return replace(row, id=artifact_ids[row.id], step_id=ids[row.step_id])
