"""Reading what an attempt logged, for pages and endpoints: covered where the step touches what is sensitive."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from editor.language.canonical import canonical_text
from runner.models import Run, StepLog, StepRun
from runner.services.sensitive import touches_sensitive


@dataclass(frozen=True, slots=True)
class Line:
    """One line: under which claim, so many milliseconds after its call began, what, and its fields as JSON."""

    fence: int
    at_ms: int
    message: str
    fields: dict[str, Any]

    @property
    def fields_text(self) -> str:
        """The fields as `name: JSON`, one after another."""
        return ", ".join(f"{name}: {canonical_text(value)}" for name, value in self.fields.items())


@dataclass(frozen=True, slots=True)
class Log:
    """The lines of an attempt, in order. `dropped`: lines beyond the bound; `covered`: there are lines, but hidden."""

    lines: list[Line] = field(default_factory=list)
    dropped: int = 0
    covered: bool = False

    def __bool__(self) -> bool:
        return bool(self.lines or self.dropped or self.covered)


def log_of(run: Run, step: StepRun) -> Log:
    """What an attempt logged so far, under each claim. Lines of a step that touches sensitive values are covered."""
    rows = list(StepLog.objects.filter(run=run, step_run=step).order_by("fence"))
    if rows and touches_sensitive(run, step):
        return Log(covered=True)
    return Log([line for row in rows for line in _lines(row)], sum(row.dropped for row in rows))


def _lines(row: StepLog) -> list[Line]:
    return [Line(row.fence, line["at_ms"], line["message"], _fields(line)) for line in row.lines]


def _fields(line: dict[str, Any]) -> dict[str, Any]:
    dropped = line.get("fields_dropped")
    return {**line.get("fields", {}), **({"left out": dropped} if dropped else {})}
