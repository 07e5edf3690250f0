"""Between the engine's run row and the columns of its table. No statement is run here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runner.engine.rows import RunRow, Usage
from runner.engine.statuses import RunStatus
from runner.store.codec.stored import (
    Blobs,
    Params,
    from_text,
    get_stored,
    names,
    need_stored,
    put_stored,
    to_text,
)

RUN_CHANGING = names(
    "status seq head_hash last_ts scopes steps live running waiting_person waiting_other approval_pause"
    " input_tokens output_tokens cost_micros units state_bytes ended_at paused_at"
    " result result_ref result_size error moved_at"
)
RUN_FIXED = names(
    "id salt parent_run parent_step depth forked_from forked_seq preset engine_format policy"
    " inputs inputs_ref inputs_size started_at"
)
RUN = RUN_FIXED + RUN_CHANGING


def run_changing(row: RunRow, blobs: Blobs) -> Params:
    """The values of `RUN_CHANGING`."""
    use = row.usage
    return (
        row.status.value,
        row.seq,
        row.head_hash,
        row.last_ts,
        row.scopes,
        row.steps,
        row.live,
        row.running,
        row.waiting_person,
        row.waiting_other,
        row.approval_pause,
        use.input_tokens,
        use.output_tokens,
        use.cost_micros,
        use.units,
        row.state_bytes,
        row.ended_at,
        row.paused_at,
        *put_stored(row.result, blobs),
        to_text(row.error),
        row.moved_at,
    )


def run_fixed(row: RunRow, blobs: Blobs) -> Params:
    """The values of `RUN_FIXED`."""
    inputs = put_stored(row.inputs, blobs)
    parent = (row.parent_run, row.parent_step, row.depth, row.forked_from, row.forked_seq)
    return (row.id, row.salt, *parent, row.preset, row.engine_format, to_text(row.policy), *inputs, row.started_at)


def run_row(data: Sequence[Any]) -> RunRow:
    """The row of the columns `RUN`."""
    (
        id_,
        salt,
        parent_run,
        parent_step,
        depth,
        forked_from,
        forked_seq,
        preset,
        engine_format,
        policy,
        inputs,
        inputs_ref,
        inputs_size,
        started_at,
        *rest,
    ) = data
    return RunRow(
        id=id_,
        salt=salt,
        parent_run=parent_run,
        parent_step=parent_step,
        depth=depth,
        forked_from=forked_from,
        forked_seq=forked_seq,
        preset=preset,
        engine_format=engine_format,
        policy=from_text(policy),
        inputs=need_stored(inputs, inputs_ref, inputs_size),
        started_at=started_at,
        status=RunStatus(rest[0]),
        seq=rest[1],
        head_hash=rest[2],
        last_ts=rest[3],
        scopes=rest[4],
        steps=rest[5],
        live=rest[6],
        running=rest[7],
        waiting_person=rest[8],
        waiting_other=rest[9],
        approval_pause=bool(rest[10]),
        usage=Usage(*rest[11:15]),
        state_bytes=rest[15],
        ended_at=rest[16],
        paused_at=rest[17],
        result=get_stored(*rest[18:21]),
        error=from_text(rest[21]),
        moved_at=rest[22],
    )
