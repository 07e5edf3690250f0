"""Between the engine's scopes, values and arrivals and their columns. No statement is run here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from runner.engine.rows import ArrivalRow, ScopeRow, ValueRow
from runner.engine.statuses import ScopeKind, ScopeStatus
from runner.store.codec.stored import (
    Blobs,
    Params,
    from_text,
    names,
    need_stored,
    put_stored,
    to_text,
)

SCOPE = names(
    "n parent kind prefix status node step_id overlay rank order index live entries passed loop ending joined"
)


def scope_params(row: ScopeRow) -> Params:
    """The values of `SCOPE`."""
    return (
        row.n,
        row.parent,
        row.kind.value,
        row.prefix,
        row.status.value,
        row.node,
        row.step_id,
        row.overlay,
        row.rank,
        row.order,
        row.index,
        row.live,
        to_text(list(row.entries)),
        to_text(row.passed),
        to_text(row.loop),
        to_text(row.ending),
        to_text(list(row.joined)),
    )


def scope_row(data: Sequence[Any]) -> ScopeRow:
    """The row of the columns `SCOPE`."""
    n, parent, kind, prefix, status, node, step_id, overlay, *rest = data
    return ScopeRow(
        n=n,
        parent=parent,
        kind=ScopeKind(kind),
        prefix=prefix,
        status=ScopeStatus(status),
        node=node,
        step_id=step_id,
        overlay=bool(overlay),
        rank=rest[0],
        order=rest[1],
        index=rest[2],
        live=rest[3],
        entries=tuple(json.loads(rest[4])),
        passed=json.loads(rest[5]),
        loop=json.loads(rest[6]),
        ending=from_text(rest[7]),
        joined=tuple(json.loads(rest[8])),
    )


VALUE = names("scope kind key value value_ref value_size ops inherited")


def value_params(row: ValueRow, blobs: Blobs) -> Params:
    """The values of `VALUE`."""
    stored = put_stored(row.stored, blobs)
    return (row.scope, row.kind, row.key, *stored, to_text(row.ops), row.inherited)


def value_row(data: Sequence[Any]) -> ValueRow:
    """The row of the columns `VALUE`."""
    scope, kind, key, text, ref, size, ops, inherited = data
    return ValueRow(scope, kind, key, need_stored(text, ref, size), from_text(ops), bool(inherited))


ARRIVAL = names("region node branch count source status seq")


def arrival_params(row: ArrivalRow) -> Params:
    """The values of `ARRIVAL`."""
    return row.region, row.node, row.branch, row.count, row.source, row.status, row.seq


def arrival_row(data: Sequence[Any]) -> ArrivalRow:
    """The row of the columns `ARRIVAL`."""
    return ArrivalRow(*data)
