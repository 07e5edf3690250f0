"""The table of a run's attempts, page by page. One attempt with its values is steps.py's."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import QueryDict

from runner.engine.rows import CONTAINER_TYPES
from runner.engine.statuses import RunStatus, StepStatus
from runner.models import Run, StepRun, to_ms
from runner.serializers.words import Words, duration_words, money_words, step_words
from runner.views.paging import Slice, cut

PAGE = 100
SORTED_BY_TIME = 2_000
"""Runs with more attempts are listed by path, for which there is an index: sorting them would cost too much."""
BY_TIME = ("created_at", "path", "visit", "attempt", "pk")
BY_PATH = ("path", "visit", "attempt", "pk")
_COLUMNS = (
    "run_id", "node", "type", "path", "visit", "attempt", "status", "backend", "lost", "worker", "not_before",
    "created_at", "started_at", "ended_at", "waits_for", "cancel_requested", "restorable", "error",
    "input_tokens", "output_tokens", "cost_micros",
)  # fmt: skip


@dataclass(frozen=True)
class AttemptRow:
    """One line of the table."""

    step: StepRun
    words: Words
    took: str
    usage: str
    may_retry: bool


def attempts(run: Run, query: QueryDict, now_ms: int) -> tuple[list[AttemptRow], Slice[StepRun]]:
    """The attempts of a run that a request asks for: all, `?steps=failed` or, newest first, `?steps=latest`."""
    rows = StepRun.objects.filter(run=run).only(*_COLUMNS)
    if query.get("steps") == "failed":
        rows = rows.filter(status__in=(StepStatus.FAILED, StepStatus.BUDGET_EXHAUSTED))
    order: tuple[str, ...] = BY_TIME if run.steps <= SORTED_BY_TIME else BY_PATH
    if query.get("steps") == "latest":
        order = tuple(f"-{column}" for column in BY_TIME)
    found: Slice[StepRun] = cut(rows, query, order=order, size=PAGE, name="steps_after")
    return [attempt_row(run, step, now_ms) for step in found.rows], found


def attempt_row(run: Run, step: StepRun, now_ms: int) -> AttemptRow:
    """One attempt as the table shows it."""
    return AttemptRow(
        step,
        step_words(step, now_ms, to_ms(step.not_before) if step.not_before else None),
        _took(step.started_at, step.ended_at),
        usage_words(step),
        may_retry(run, step),
    )


def may_retry(run: Run, step: StepRun) -> bool:
    """Whether a person may try this attempt's step again: it failed, and that ended the run."""
    return run.status == RunStatus.FAILED and step.restorable and step.status in _RETRIED


_RETRIED = (StepStatus.FAILED, StepStatus.BUDGET_EXHAUSTED)


def _took(start: datetime | None, end: datetime | None) -> str:
    return duration_words(to_ms(end) - to_ms(start)) if start is not None and end is not None else ""


def usage_words(row: Any) -> str:
    """Tokens and money that an attempt or a run used; empty if none."""
    parts = []
    if row.input_tokens or row.output_tokens:
        parts.append(f"{row.input_tokens} + {row.output_tokens} tokens")
    if row.cost_micros:
        parts.append(money_words(row.cost_micros))
    return ", ".join(parts)


def is_container(step: StepRun) -> bool:
    """Whether the attempt stands for a container."""
    return step.type in CONTAINER_TYPES
