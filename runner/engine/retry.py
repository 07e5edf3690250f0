"""Attempts: whether a failure is tried again, after which wait, and the row of the next attempt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from runner.engine.commands import HintStep
from runner.engine.errors import NEVER_RETRIED, outcome_of
from runner.engine.rows import StepRow, id_beside
from runner.engine.turn import Turn


@dataclass(frozen=True, slots=True)
class Retrial:
    """The failed attempt is tried again: how many attempts there may be, and the wait before the next in ms."""

    max_attempts: int
    delay_ms: int


def decide(turn: Turn, step: StepRow, error: dict[str, Any]) -> Retrial | None:
    """Whether this failure is tried again. A decision is a value; obeying it is somebody else's."""
    node = turn.program.node(step.node).node
    retry = node.retry if step.is_member == (node.type == "tool_group") else None
    code = str(error["code"])
    if retry is None or code in NEVER_RETRIED or outcome_of(error) not in ("error", "timeout"):
        return None
    if step.round >= retry.max_attempts or not retry.covers(code):
        return None
    return Retrial(retry.max_attempts, retry.delay_ms(step.round))


def step_run_id(run_id: str, path: str, visit: int, attempt: int) -> str:
    """The id of a step run, made of what identifies it."""
    return id_beside(run_id, "step", run_id, path, visit, attempt)


#: Notes that belong to a visit's frozen input.
_CARRIED = ("effect_key", "effect")


def next_attempt(turn: Turn, step: StepRow, *, delay_ms: int = 0, round_: int = 1, keep_input: bool = True) -> StepRow:
    """Append the row of the next attempt of a visit. `keep_input`: the same call, under the same approval."""
    turn.slice.change_step(step, restorable=False)
    notes = step.notes or {}
    carried: dict[str, Any] = {key: notes[key] for key in _CARRIED if keep_input and key in notes}
    if "call" in notes:
        carried["call"] = notes["call"]
    row = StepRow(
        id=step_run_id(turn.run.id, step.path, step.visit, step.attempt + 1),
        node=step.node,
        type=step.type,
        path=step.path,
        visit=step.visit,
        attempt=step.attempt + 1,
        scope=step.scope,
        region=step.region,
        backend=step.backend,
        round=round_,
        lost=0,
        not_before=turn.now + delay_ms,
        created_at=turn.at,
        seen=step.seen or step.announced,
        inner=step.inner,
        approval_id=step.approval_id if keep_input else None,
        input=step.input if keep_input and not step.is_container else None,
        notes=carried or None,
    )
    turn.slice.add_step(row)
    turn.emit("step-scheduled", row, scope=row.scope, not_before=row.not_before)
    turn.command(HintStep(row.id, row.backend, row.not_before))
    return row
