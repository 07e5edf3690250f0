"""Between the engine's step runs and the columns of their table. No statement is run here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runner.engine.rows import StepRow, Usage
from runner.engine.statuses import StepStatus
from runner.store.codec.stored import (
    Blobs,
    Params,
    from_text,
    get_stored,
    names,
    put_stored,
    to_text,
)

STEP_FIXED = names("id node type path visit attempt backend created_at")
STEP_CHANGING = names(
    "scope region round status fence lost worker lease_expires_at not_before started_at ended_at"
    " announced cancel_requested restorable inner waits_for wait_key approval_id"
    " input input_ref input_size output output_ref output_size delta delta_ref delta_size"
    " error input_tokens output_tokens cost_micros units notes seen"
)
STEP = STEP_FIXED + STEP_CHANGING
#: Written with the row and not read for the engine: a hash for people, and what the sweeper goes by.
STEP_EXTRA = ["input_digest", "hint_at", "dispatch_count"]
_STATUS, _FENCE = STEP_CHANGING.index("status"), STEP_CHANGING.index("fence")

#: A due step whose hint got lost is handed on again after so long.
HINT_GRACE_MS = 2_000


def step_fixed(row: StepRow) -> Params:
    """The values of `STEP_FIXED`."""
    return (
        row.id,
        row.node,
        row.type,
        row.path,
        row.visit,
        row.attempt,
        row.backend,
        row.created_at,
    )


def step_changing(row: StepRow, blobs: Blobs) -> Params:
    """The values of `STEP_CHANGING`."""
    use = row.usage
    return (
        row.scope,
        row.region,
        row.round,
        row.status.value,
        row.fence,
        row.lost,
        row.worker,
        row.lease_expires_at,
        row.not_before,
        row.started_at,
        row.ended_at,
        row.announced,
        row.cancel_requested,
        row.restorable,
        row.inner,
        row.waits_for,
        row.wait_key,
        row.approval_id,
        *put_stored(row.input, blobs),
        *put_stored(row.output, blobs),
        *put_stored(row.delta, blobs),
        to_text(row.error),
        use.input_tokens,
        use.output_tokens,
        use.cost_micros,
        use.units,
        to_text(row.notes),
        row.seen,
    )


def step_extra(row: StepRow, now: int) -> Params:
    """The values of `STEP_EXTRA`."""
    return _input_digest(row), _hint_at(row, now), 0


def _input_digest(row: StepRow) -> str:
    return row.input.content_digest() if row.input is not None else ""


def _hint_at(row: StepRow, now: int) -> int:
    return max(now + HINT_GRACE_MS, row.not_before)


def step_mark(data: Sequence[Any]) -> Params:
    """What is committed of the columns `STEP_CHANGING`, of a row of the columns `STEP`."""
    return tuple(data[len(STEP_FIXED) :])


def mark_guard(mark: Params) -> tuple[str, int]:
    """Status and fence of a row as it is committed: what an update of it must still find there."""
    return mark[_STATUS], mark[_FENCE]


def step_difference(row: StepRow, mark: Params, changing: Params, now: int) -> tuple[list[str], list[Any]]:
    """Columns to be written, and their values, where a row with `mark` is to have `changing`.

    Columns that stay are left out: each would have its indexes written anew. The sweeper's columns begin anew
    with a new status, and whenever a step that is pending changes.
    """
    names, values = [], []
    for name, value, before in zip(STEP_CHANGING, changing, mark, strict=True):
        if value != before:
            names.append(name)
            values.append(value)
    if not names:
        return names, values
    # The digest is worked out only where it is written: a row that was just read has to be hashed for it.
    extra: dict[str, Any] = {"input_digest": _input_digest(row)} if "input" in names or "input_ref" in names else {}
    if row.status is StepStatus.PENDING:
        extra |= {"hint_at": _hint_at(row, now), "dispatch_count": 0}
    elif "status" in names:
        extra |= {"dispatch_count": 0}
    return [*names, *extra], [*values, *extra.values()]


def step_row(data: Sequence[Any]) -> StepRow:
    """The row of the columns `STEP`."""
    id_, node, type_, path, visit, attempt, backend, created_at, *rest = data
    return StepRow(
        id=id_,
        node=node,
        type=type_,
        path=path,
        visit=visit,
        attempt=attempt,
        backend=backend,
        created_at=created_at,
        scope=rest[0],
        region=rest[1],
        round=rest[2],
        status=StepStatus(rest[3]),
        fence=rest[4],
        lost=rest[5],
        worker=rest[6],
        lease_expires_at=rest[7],
        not_before=rest[8],
        started_at=rest[9],
        ended_at=rest[10],
        announced=bool(rest[11]),
        cancel_requested=bool(rest[12]),
        restorable=bool(rest[13]),
        inner=rest[14],
        waits_for=rest[15],
        wait_key=rest[16],
        approval_id=rest[17],
        input=get_stored(*rest[18:21]),
        output=get_stored(*rest[21:24]),
        delta=get_stored(*rest[24:27]),
        error=from_text(rest[27]),
        usage=Usage(*rest[28:32]),
        notes=from_text(rest[32]),
        seen=bool(rest[33]),
    )
