"""What a place of a flow saw in a past run: state, items and results as they were there. It reads; nothing runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from editor.language.expressions import Read
from runner.engine.errors import RunError
from runner.engine.events import Event
from runner.engine.fold import Folded, fold, from_rows
from runner.engine.names import Names, moment
from runner.engine.program import LOCAL_ROOTS, RESERVED_ROOTS, Program, Uses, uses_of
from runner.engine.retry import step_run_id
from runner.engine.rows import ROOT_SCOPE, ScopeRow, StepRow, Stored, ValueRow
from runner.engine.scopes import chain, read
from runner.engine.slice import Slice
from runner.engine.statuses import ScopeKind
from runner.models import Event as EventModel
from runner.models import Run, Scope, StateValue, StepRun
from runner.services.programs import program_of_run
from runner.services.sensitive import Covers
from runner.store.codec.runs import RUN, run_row
from runner.store.codec.stored import columns
from runner.store.reader import Reader
from runner.store.sql import fetch

MOST_EVENTS = 10_000
"""Histories longer than this are not gone through for a preview."""

_STARTS = ("step-start", "attempt-start")
_ENDS = ("step-complete", "step-error")

Moment = Literal["before", "after"]


@dataclass(frozen=True)
class PastValues:
    """The names at one place of a past run.

    `told` says where the values come from; `marked`: further state keys whose values are not shown.
    """

    names: Mapping[str, object]
    told: str
    program: Program
    covered: Covers
    source: str | None = None
    """The node whose output the names `output` and `error` stand for."""
    marked: frozenset[str] = frozenset()

    def covers(self, one: Read) -> bool:
        """Whether what is read may be sensitive. Rather once too often."""
        key = str(one.path[0]) if one.path else None
        if one.root == "inputs":
            marked = self.marked | self.covered.marked
            return bool(marked) if key is None else key in marked
        if one.root == "steps":
            nodes = self.program.order if key is None else (key,)
            return any(self.covered.value("s", node) for node in nodes)
        if one.root in ("output", "error") and self.source is not None:
            return self.covered.value("s", self.source)
        if self.covered.is_of_nobody(one.root):
            return one.root not in RESERVED_ROOTS | LOCAL_ROOTS and one.root in self.names
        return one.root in self.marked or self.covered.value("v", one.root)


def past_values(
    run: Run, node: str | None, at: Moment, reads: tuple[Read, ...], sensitive: frozenset[str] = frozenset()
) -> PastValues:
    """The names at a node of a run: before its last step, or after it (for its edges).

    `sensitive`: further keys to be covered. Where that node did not run, the state is the run's last one.
    Raises RunError: `limit_exceeded` for a history that is too long, `not_found`, and as `program_of_run` does.
    """
    if run.seq > MOST_EVENTS:
        told = f"The run {run.pk} has more than {MOST_EVENTS:,} events. Choose a shorter run, or use sample values."
        raise RunError("limit_exceeded", told)
    _, program = program_of_run(run.pk)
    event = _event_at(run.pk, node, at)
    told = {"before": "before its last step here", "after": "after its last step here"}[at]
    if event is None:
        told = "as it stands now; this node has not run in it" if node is not None else "as it stands now"
    found = _Past(run.pk, program, event, at)
    names = found.names(uses_of(reads))
    source = node if event is not None and at == "after" else None
    return PastValues(names, told, program, Covers(run), source, sensitive)


def _event_at(run_id: str, node: str | None, at: Moment) -> EventModel | None:
    if node is None:
        return None
    types = _STARTS if at == "before" else _ENDS
    rows = EventModel.objects.filter(run=run_id, step=node, type__in=types).exclude(path__endswith="]")
    last: EventModel | None = rows.order_by("-seq").first()
    return last


class _Past:
    """One run up to one event."""

    def __init__(self, run_id: str, program: Program, event: EventModel | None, at: Moment) -> None:
        self.program = program
        self.reader = Reader(run_id)
        found = fetch(f"SELECT {columns(RUN)} FROM runner_run WHERE id = %s", [run_id])
        self.run = run_row(found[0])
        self.rows = Slice(self.run, self.reader)
        self.step = self._step_of(event)
        self.events = self._events(event, at)
        resolve = from_rows(self.run, self._step, self.rows.load)
        self.folded: Folded = fold(self.events, resolve)
        self.output_seen = event is not None and at == "after"

    def _step(self, path: str, visit: int, attempt: int) -> StepRow | None:
        return self.reader.step(step_run_id(self.run.id, path, visit, attempt))

    def _step_of(self, event: EventModel | None) -> StepRow | None:
        if event is None or event.path is None or event.visit is None or event.attempt is None:
            return None
        return self._step(event.path, event.visit, event.attempt)

    def _events(self, event: EventModel | None, at: Moment) -> list[Event]:
        rows = EventModel.objects.filter(run=self.run.id)
        if event is not None:
            rows = rows.filter(seq__lt=event.seq) if at == "before" else rows.filter(seq__lte=event.seq)
        return [_event(json.loads(text)) for text in rows.order_by("seq").values_list("text", flat=True)]

    def names(self, uses: Uses) -> Names:
        """The names as the engine reads them, over what was folded."""
        slice_ = self.folded.slice
        scope = slice_.scope(ROOT_SCOPE if self.step is None else self.step.scope)
        self._tell_iterations(scope)
        local: dict[str, object] = {
            "inputs": self.rows.load(self.run.inputs),
            "policy": self.run.policy,
            "run": self._about(),
            "steps": self._steps(uses, chain(slice_, scope)),
        }
        if self.output_seen and self.step is not None:
            local |= self._ending(self.step)
        return Names(self.program, slice_, scope, uses, local=local)

    def _ending(self, step: StepRow) -> dict[str, object]:
        output = None if step.output is None else self.rows.load(step.output)
        return {"output": output} if step.error is None else {"output": output, "error": step.error}

    def _about(self) -> dict[str, object]:
        about: dict[str, object] = {"id": self.run.id, "started_at": moment(self.run.started_at)}
        if self.step is not None:
            now = moment(self.step.started_at or self.step.created_at)
            about |= {"visit": self.step.visit, "attempt": self.step.attempt, "now": now}
        return about

    def _tell_iterations(self, scope: ScopeRow) -> None:
        """Events do not tell an iteration's item; the rows do, and never change."""
        here: ScopeRow | None = scope
        while here is not None:
            if here.kind is ScopeKind.ITERATION and here.index is None:
                row = Scope.objects.filter(run=self.run.id, n=here.n).values("node", "index").first() or {}
                here.node, here.index = row.get("node"), row.get("index")
                self._tell_item(here)
            here = self.folded.slice.scope(here.parent) if here.parent is not None else None

    def _tell_item(self, iteration: ScopeRow) -> None:
        place = {"run": self.run.id, "scope": iteration.parent, "kind": "i", "key": str(iteration.index)}
        item = StateValue.objects.filter(**place).first()
        if item is not None and iteration.parent is not None:
            stored = Stored.of(item.value_of("value"))
            self.folded.slice.put_value(ValueRow(iteration.parent, "i", str(iteration.index), stored))

    def _steps(self, uses: Uses, overlays: list[int]) -> dict[str, object]:
        """Results by node. Those that the run's version reads were kept; of others, the last one before the place."""
        found: dict[str, object] = {}
        for node in self.program.order if uses.steps is None else sorted(uses.steps):
            row = read(self.folded.slice, overlays, "s", node)
            result = self.folded.slice.load(row.stored) if row is not None else self._last_result(node)
            if result is not None:
                found[node] = result
        return found

    def _last_result(self, node: str) -> dict[str, Any] | None:
        ends = (one for one in reversed(self.events) if one.step == node and one.type in _ENDS)
        last = next((one for one in ends if not (one.path or "").endswith("]")), None)
        if last is None or last.path is None or last.visit is None or last.attempt is None:
            return None
        step = StepRun.objects.filter(run=self.run.id, path=last.path, visit=last.visit, attempt=last.attempt).first()
        if step is None:
            return None
        return {"output": step.value_of("output")} if step.error is None else {"error": step.error}


def _event(told: dict[str, Any]) -> Event:
    names = ("type", "seq", "ts", "actor", "step", "path", "visit", "attempt", "data", "prev")
    return Event(**{name: told[name] for name in names if name in told})
