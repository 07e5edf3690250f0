"""How steps of a past run ended, as ends that can be given to a try of the flow. It reads; nothing runs."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from editor.language.canonical import canonical_text
from runner.engine.given import GivenEnd
from runner.engine.statuses import StepStatus
from runner.models import Run, StepRun

MOST_STEPS = 2_000
"""Step runs of a past run that are looked at, the newest."""

MOST_BYTES = 1024 * 1024
"""Of all given ends of a try, as JSON."""

_ENDED = [StepStatus.SUCCEEDED, StepStatus.FAILED, StepStatus.BUDGET_EXHAUSTED]


def past_ends(run: Run, nodes: Collection[str]) -> dict[str, tuple[GivenEnd, ...]]:
    """By node, the ends of its step runs in the order in which they came: of each visit the last attempt."""
    rows = StepRun.objects.filter(run=run.pk, node__in=list(nodes), status__in=_ENDED, ended_at__isnull=False)
    newest = list(rows.exclude(path__endswith="]").order_by("-ended_at", "-pk")[:MOST_STEPS])
    last: dict[tuple[str, int], StepRun] = {}
    for row in reversed(newest):
        last.pop((row.path, row.visit), None)
        last[row.path, row.visit] = row
    found: dict[str, list[GivenEnd]] = {}
    for row in last.values():
        found.setdefault(row.node, []).append(end_of(row))
    return {node: tuple(ends) for node, ends in found.items()}


def end_of(row: StepRun) -> GivenEnd:
    """How one step run ended."""
    if row.error is not None:
        error = {key: row.error[key] for key in ("code", "message", "details") if key in row.error}
        return GivenEnd(error=error, path=row.path, visit=row.visit)
    writes = {key: operand for key, mode, operand in row.value_of("delta") or () if mode == "set"}
    is_handler = row.type == "handler"
    return GivenEnd(row.value_of("output"), writes if is_handler and writes else None, path=row.path, visit=row.visit)


def size_of(ends: Any) -> int:
    """How much given ends take, in bytes of JSON."""
    return len(canonical_text(json.loads(json.dumps(ends, ensure_ascii=False))).encode())
