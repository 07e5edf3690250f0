"""Between the engine's timers, approvals, signals and artifacts and their columns. No statement here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from runner.engine.rows import ApprovalRow, ArtifactRow, DecisionRow, SignalRow, TimerRow
from runner.engine.statuses import ApprovalStatus
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

TIMER = names("id kind due_at step_id scope status")


def timer_params(row: TimerRow) -> Params:
    """The values of `TIMER`."""
    return row.id, row.kind, row.due_at, row.step_id, row.scope, row.status


def timer_row(data: Sequence[Any]) -> TimerRow:
    """The row of the columns `TIMER`."""
    return TimerRow(*data)


APPROVAL = names(
    "id kind step_id node path visit status tool arguments arguments_ref arguments_size digest reasons"
    " group assignees editable title instructions form created_at expires_at"
    " needed approved_by offer offer_ref offer_size"
)
APPROVAL_CHANGING = names("status expires_at digest needed approved_by offer offer_ref offer_size")


def approval_params(row: ApprovalRow, blobs: Blobs) -> Params:
    """The values of `APPROVAL`."""
    return (
        row.id,
        row.kind,
        row.step_id,
        row.node,
        row.path,
        row.visit,
        row.status.value,
        row.tool,
        *put_stored(row.arguments, blobs),
        row.digest,
        to_text(row.reasons),
        row.group,
        to_text(row.assignees),
        row.editable,
        row.title,
        row.instructions,
        to_text(row.form),
        row.created_at,
        row.expires_at,
        row.needed,
        to_text(row.approved_by),
        *put_stored(row.offer, blobs),
    )


def approval_changes(row: ApprovalRow, blobs: Blobs) -> Params:
    """The values of `APPROVAL_CHANGING`."""
    offer = put_stored(row.offer, blobs)
    return row.status.value, row.expires_at, row.digest, row.needed, to_text(row.approved_by), *offer


def approval_row(data: Sequence[Any]) -> ApprovalRow:
    """The row of the columns `APPROVAL`."""
    id_, kind, step_id, node, path, visit, status, tool, text, ref, size, digest, reasons, *rest = data
    return ApprovalRow(
        id=id_,
        kind=kind,
        step_id=step_id,
        node=node,
        path=path,
        visit=visit,
        status=ApprovalStatus(status),
        tool=tool,
        arguments=get_stored(text, ref, size),
        digest=digest,
        reasons=json.loads(reasons),
        group=rest[0],
        assignees=json.loads(rest[1]),
        editable=bool(rest[2]),
        title=rest[3],
        instructions=rest[4],
        form=from_text(rest[5]),
        created_at=rest[6],
        expires_at=rest[7],
        needed=rest[8],
        approved_by=json.loads(rest[9]),
        offer=get_stored(rest[10], rest[11], rest[12]),
    )


DECISION = names(
    "approval_id verdict actor at comment arguments arguments_ref arguments_size digest form form_ref form_size"
)


def decision_params(row: DecisionRow, blobs: Blobs) -> Params:
    """The values of `DECISION`."""
    return (
        row.approval_id,
        row.verdict,
        to_text(row.actor),
        row.at,
        row.comment,
        *put_stored(row.arguments, blobs),
        row.digest,
        *put_stored(row.form, blobs),
    )


def decision_row(data: Sequence[Any]) -> DecisionRow:
    """The row of the columns `DECISION`."""
    approval, verdict, actor, at, comment, text, ref, size, digest, form, form_ref, form_size = data
    return DecisionRow(
        approval,
        verdict,
        json.loads(actor),
        at,
        comment,
        get_stored(text, ref, size),
        digest,
        get_stored(form, form_ref, form_size),
    )


SIGNAL = names("n key value value_ref value_size at taken_by")


def signal_params(row: SignalRow, blobs: Blobs) -> Params:
    """The values of `SIGNAL`."""
    return row.n, row.key, *put_stored(row.value, blobs), row.at, row.taken_by


def signal_row(data: Sequence[Any]) -> SignalRow:
    """The row of the columns `SIGNAL`."""
    n, key, text, ref, size, at, taken_by = data
    return SignalRow(n, key, need_stored(text, ref, size), at, taken_by)


ARTIFACT = names("id artifact step_id scope type filename content content_ref content_size created_at")


def artifact_params(row: ArtifactRow, blobs: Blobs) -> Params:
    """The values of `ARTIFACT`."""
    content = put_stored(row.content, blobs)
    return (
        row.id,
        row.artifact,
        row.step_id,
        row.scope,
        row.type,
        row.filename,
        *content,
        row.created_at,
    )
