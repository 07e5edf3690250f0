"""`fold(events)`: the state of a run rebuilt from its history alone, with the same writes and merges as the live path.

Audit, fork, time travel and the simulator use it; a step never does. It must equal what is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from editor.language.canonical import digest_of_text
from runner.engine.codec import decode_row
from runner.engine.events import Event
from runner.engine.rows import (
    ROOT_SCOPE,
    ApprovalRow,
    ArrivalRow,
    ArtifactRow,
    Checkpoint,
    RunRow,
    ScopeRow,
    SignalRow,
    StepRow,
    Stored,
    TimerRow,
    Usage,
    ValueRow,
)
from runner.engine.scopes import MERGED_KINDS, apply_mode, chain, merge_rows, path_order, read, with_joined, write
from runner.engine.slice import Key, Slice
from runner.engine.statuses import ScopeKind, StepStatus

Resolve = Callable[[Event, str, str], Any]
"""`resolve(event, field, digest)`: a value that an event names by digest (or sealed), from the rows of the run."""


@dataclass
class Folded:
    """A run as its events tell it: current values per scope, the last event of each attempt, status and use."""

    status: str = "active"
    slice: Slice = field(default_factory=lambda: Slice(RunRow(""), Nothing()))
    attempts: dict[tuple[str, int, int], str] = field(default_factory=dict)
    used: dict[tuple[str, int, int], Usage] = field(default_factory=dict)
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None

    @property
    def usage(self) -> Usage:
        """What all attempts used together; an event tells what its attempt has used so far."""
        return reduce(Usage.plus, self.used.values(), Usage())

    def values(self, kinds: Sequence[str] = MERGED_KINDS) -> dict[tuple[int, str, str], Any]:
        """Current values by (scope, kind, key)."""
        rows = (row for scope in self._scopes() for row in self.slice.scope_values(scope, kinds))
        return {(row.scope, row.kind, row.key): self.slice.load(row.stored) for row in rows}

    def state(self) -> dict[str, Any]:
        """The state of the run at top level."""
        return {key: value for (scope, kind, key), value in self.values(("v",)).items() if scope == ROOT_SCOPE}

    def _scopes(self) -> list[int]:
        return list(range(1, self.slice.run.scopes + 1))


def empty(run: RunRow) -> Folded:
    """A run before its first event."""
    return Folded(slice=Slice(run, Nothing()))


def fold(events: Iterable[Event], resolve: Resolve, begun: Folded | None = None) -> Folded:
    """Rebuild a run from its events, in order; `begun`: what those before the first of them led to.

    Raises ValueError for an event it does not know what to do with.
    """
    folded = begun or Folded()
    for event in events:
        handler = _FOLDS.get(event.type)
        if handler is not None:
            handler(folded, event, resolve)
        if event.step is not None and event.type in ATTEMPT_STATES:
            assert event.path is not None and event.visit is not None and event.attempt is not None
            folded.attempts[event.path, event.visit, event.attempt] = ATTEMPT_STATES[event.type]
        if "usage" in event.data and event.step is not None:
            place = (event.path or "", event.visit or 0, event.attempt or 0)
            folded.used[place] = Usage.from_json(event.data["usage"])
    return folded


StepOf = Callable[[str, int, int], StepRow | None]


def from_rows(run: RunRow, step_of: StepOf, load: Callable[[Stored], Any]) -> Resolve:
    """A `resolve` that finds what events name by digest in the rows of the run, and makes sure that it is the same.

    `step_of(path, visit, attempt)` gives a step run. Raises ValueError where the row holds something else.
    """

    def resolve(event: Event, name: str, digest: str) -> Any:
        if name.startswith("state."):
            value = load(run.inputs)[name.removeprefix("state.")]
        elif name == "snapshot":
            value = load(run.snapshot) if run.snapshot is not None else None
        elif name == "blob":
            value = load(Stored(ref=digest))
        else:
            assert event.path is not None and event.visit is not None and event.attempt is not None
            step = step_of(event.path, event.visit, event.attempt)
            if step is None:
                raise ValueError(f"event {event.seq} tells of {event.path}, which has no row")
            held = step.output if name == "output" else step.delta
            value = (step.notes or {}).get("failed") if name == "failed" else load(held) if held else None
        found = Stored.of(value).content_digest()
        if digest not in (found, digest_of_text(f"{run.salt}|{found}")):
            raise ValueError(f"the {name} of {event.path or 'the run'} is not what event {event.seq} recorded")
        return value

    return resolve


#: What an event says about its attempt.
ATTEMPT_STATES = {
    "step-scheduled": "pending",
    "step-start": "running",
    "attempt-start": "running",
    "step-waiting": "waiting",
    "approval-requested": "waiting",
    "step-complete": "succeeded",
    "step-retry": "failed",
    "step-error": "failed",
    "step-canceled": "canceled",
    "step-skipped": "skipped",
}


def _value(event: Event, name: str, told: dict[str, Any] | None, resolve: Resolve) -> Any:
    if told is None:
        return None
    if "v" in told:
        return told["v"]
    return resolve(event, name, told.get("digest") or told["sealed"])


def _start(folded: Folded, event: Event, resolve: Resolve) -> None:
    root = folded.slice.add_scope(ScopeKind.ROOT, None, "", overlay=True)
    for key, told in event.data["state"].items():
        value = _value(event, f"state.{key}", told, resolve)
        folded.slice.put_value(ValueRow(root.n, "v", key, Stored.of(value)))


def _forked(folded: Folded, event: Event, resolve: Resolve) -> None:
    rows = snapshot_of(event, resolve)
    folded.slice.take_over(rows.scopes, [])
    for value in rows.values:
        folded.slice.put_value(value)
    for step in rows.steps:
        status = "failed" if step.status is StepStatus.BUDGET_EXHAUSTED else str(step.status)
        folded.attempts[step.path, step.visit, step.attempt] = status


def snapshot_of(event: Event, resolve: Resolve) -> Checkpoint:
    """What a forked run began with, as its first event names it; all values are loaded."""
    told = _value(event, "snapshot", event.data["snapshot"], resolve)

    def rows(name: str, kind: type[Any]) -> list[Any]:
        return [decode_row(kind, row) for row in told[name]]

    origin = event.data["origin"]
    found = Checkpoint(
        run=origin["run"],
        seq=origin["seq"],
        ts=event.ts,
        hash=origin["hash"],
        scopes=rows("scopes", ScopeRow),
        steps=rows("steps", StepRow),
        values=rows("values", ValueRow),
        arrivals=rows("arrivals", ArrivalRow),
        timers=rows("timers", TimerRow),
        signals=rows("signals", SignalRow),
        artifacts=rows("artifacts", ArtifactRow),
    )
    _load_all(found, event, resolve)
    return found


def _load_all(rows: Checkpoint, event: Event, resolve: Resolve) -> None:
    def loaded(stored: Stored) -> Stored:
        return stored if stored.ref is None else Stored.of(resolve(event, "blob", stored.ref))

    for value in rows.values:
        value.stored = loaded(value.stored)
    for signal in rows.signals:
        signal.value = loaded(signal.value)
    for made in rows.artifacts:
        made.content = loaded(made.content)
    for step in rows.steps:
        step.output = loaded(step.output) if step.output is not None else None


def _open(folded: Folded, event: Event, resolve: Resolve) -> None:
    data, slice_ = event.data, folded.slice
    kind = ScopeKind(data["kind"])
    scope = slice_.add_scope(
        kind,
        slice_.scope(data["parent"]),
        "",
        overlay=kind is ScopeKind.BRANCH or bool(data.get("overlay")),
        rank=data.get("rank", 0),
        order=data.get("order", 0),
        joined=tuple(data.get("joined", ())),
    )
    if scope.n != data["scope"]:
        raise ValueError(f"event {event.seq} opens scope {data['scope']}, the history leads to {scope.n}")
    if not scope.joined:
        return
    parts = {part.n: part for n in scope.joined for part in with_joined(slice_, slice_.scope(n))}
    around = [scope.n, *chain(slice_, slice_.scope(data["parent"]))]
    for row in merge_rows(slice_, list(parts.values()), around):
        row.inherited = True
        slice_.put_value(row)


def complete(folded: Folded, event: Event, resolve: Resolve) -> None:
    """An attempt succeeded: its delta and result are written where its path writes."""
    data, slice_ = event.data, folded.slice
    overlay = data["scope"]
    delta = _value(event, "delta", data.get("delta"), resolve) or []
    overlays = chain(slice_, slice_.scope(overlay))
    for key, mode, operand in delta:
        before = read(slice_, overlays, "v", key)
        current = slice_.load(before.stored) if before else None
        value = apply_mode(mode, key, current, before is None, operand)
        write(slice_, overlay, key, Stored.of(value), mode, operand)
    if data.get("kept"):
        result = {"output": _value(event, "output", data["output"], resolve)}
        if "failed" in data:
            result["failed"] = _value(event, "failed", data["failed"], resolve)
        slice_.put_value(ValueRow(overlay, "s", event.step or "", Stored.of(result)))


def _edge_taken(folded: Folded, event: Event, resolve: Resolve) -> None:
    """An edge on `limit` keeps the output of its source and adds the error."""
    data = event.data
    if data.get("kept"):
        result = {"output": _value(event, "output", data["output"], resolve), "error": data["error"]}
        folded.slice.put_value(ValueRow(data["scope"], "s", event.step or "", Stored.of(result)))


def _failed(folded: Folded, event: Event, resolve: Resolve) -> None:
    if event.data.get("kept"):
        stored = Stored.of({"error": event.data["error"]})
        folded.slice.put_value(ValueRow(event.data["scope"], "s", event.step or "", stored))


def artifact(folded: Folded, event: Event, resolve: Resolve) -> None:
    """An artifact was stored: its path sees it."""
    artifact = event.data["artifact"]
    folded.slice.put_value(ValueRow(event.data["scope"], "a", artifact["artifact"], Stored.of(artifact)))


def _joined(folded: Folded, event: Event, resolve: Resolve) -> None:
    data, slice_ = event.data, folded.slice
    branches = [slice_.scope(n) for n in data["branches"]]
    around = chain(slice_, slice_.scope(data["into"]))
    for row in merge_rows(slice_, sorted(branches, key=path_order), around):
        slice_.put_value(row)
    for branch in branches:
        slice_.drop_overlay(branch.n)
    slice_.drop_overlay(data["scope"])


def _ended(folded: Folded, event: Event, resolve: Resolve) -> None:
    folded.status = ENDINGS[event.type]
    folded.error = event.data.get("error")
    folded.result = event.data.get("result")
    scope = event.data.get("scope")
    if scope is None:
        return
    slice_ = folded.slice
    for n in reversed(chain(slice_, slice_.scope(scope))):
        for row in slice_.scope_values(n, MERGED_KINDS) if n != ROOT_SCOPE else []:
            slice_.put_value(ValueRow(ROOT_SCOPE, row.kind, row.key, row.stored))


ENDINGS = {"flow-complete": "succeeded", "flow-error": "failed", "flow-canceled": "canceled"}


def _again(folded: Folded, event: Event, resolve: Resolve) -> None:
    folded.status, folded.error = "active", None


def _pause(folded: Folded, event: Event, resolve: Resolve) -> None:
    folded.status = "paused" if event.data["reason"] == "person" else "awaiting_approval"


_FOLDS: dict[str, Callable[[Folded, Event, Resolve], None]] = {
    "flow-start": _start,
    "run-forked": _forked,
    "scope-opened": _open,
    "step-complete": complete,
    "step-error": _failed,
    "edge-taken": _edge_taken,
    "artifact-created": artifact,
    "scope-joined": _joined,
    "flow-complete": _ended,
    "flow-error": _ended,
    "flow-canceled": _ended,
    "step-retry-created": _again,
    "run-paused": _pause,
    "run-resumed": _again,
}


class Nothing:
    """A reader with nothing behind it: everything that a fold knows, it has folded itself."""

    def scope(self, n: int) -> ScopeRow:
        raise ValueError(f"the history never opened scope {n}")

    def child_scopes(self, parent: int) -> Sequence[ScopeRow]:
        return []

    def step(self, step_id: str) -> StepRow | None:
        return None

    def live_steps(self, region: int | None) -> Sequence[StepRow]:
        return []

    def restorable_steps(self, region: int | None) -> Sequence[StepRow]:
        return []

    def values(self, scopes: Sequence[int], keys: Sequence[Key]) -> Sequence[ValueRow]:
        return []

    def scope_values(self, n: int, kinds: Sequence[str]) -> Sequence[ValueRow]:
        return []

    def waiting_arrivals(self, region: int) -> Sequence[ArrivalRow]:
        return []

    def approval(self, approval_id: str) -> ApprovalRow | None:
        return None

    def open_approvals(self, step_ids: Sequence[str] | None) -> Sequence[ApprovalRow]:
        return []

    def timer(self, timer_id: str) -> TimerRow | None:
        return None

    def armed_timers(self) -> Sequence[TimerRow]:
        return []

    def timers_of(self, step_ids: Sequence[str]) -> Sequence[TimerRow]:
        return []

    def kept_signal(self, key: str, after: int) -> SignalRow | None:
        return None

    def signal_count(self) -> int:
        return 0

    def steps_waiting_for_signal(self, key: str) -> Sequence[StepRow]:
        return []

    def load(self, ref: str) -> str:
        raise ValueError(f"the history names {ref}, which a fold cannot read")
