"""What must hold of the rows of a run after each commit. It looks at a store and changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from editor.language.canonical import canonical_text
from runner.engine.codec import encode_row
from runner.engine.events import envelope, event_hash
from runner.engine.program import Program
from runner.engine.rows import RunRow, ScopeRow, StepRow
from runner.engine.statuses import (
    RUN_ENDED,
    STEP_ENDED,
    STEP_LIVE,
    RunStatus,
    ScopeKind,
    ScopeStatus,
    StepStatus,
)
from runner.simulation.history import history_differences, replay_differences
from runner.simulation.memory import MemoryStore

END_EVENTS = frozenset({"flow-complete", "flow-error", "flow-canceled"})

#: What may follow the end of a run: a person goes on with a failed one, or moves it to another version first.
_AFTER_END = frozenset({"step-retry-created", "signal-received", "run-moved"})

#: A retry takes an ended row out of what can be restored; nothing else of an ended row may change.
CHANGEABLE_WHEN_ENDED = frozenset({"restorable"})


#: A replay costs more than a fold: it is made at every so many looks, and when the run has ended.
REPLAYED_EVERY = 40


class InvariantError(AssertionError):
    """Something that must always hold does not; the message lists what."""


class Watcher:
    """Looks at a store after each commit and remembers what was final before.

    The history is folded, all of it, at every `fold_every`-th look and when the run has ended.
    """

    def __init__(self, fold_every: int = 10) -> None:
        self._ended: dict[str, tuple[StepRow, dict[str, Any]]] = {}
        self._checked_events = 0
        self._fold_every = fold_every
        self._looks = 0

    def check(self, store: MemoryStore, programs: dict[str | None, Program] | None = None) -> None:
        """Raise InvariantError naming everything that does not hold. With its programs, the run is replayed too."""
        steps: list[StepRow] = store.rows("steps")
        self._looks += 1
        folds = self._looks % self._fold_every == 0 or store.seen.status in RUN_ENDED
        replays = self._looks % REPLAYED_EVERY == 0 or store.seen.status in RUN_ENDED
        broken = [
            *self._events(store),
            *self._ended_rows(steps),
            *_counters(store, steps),
            *_live_attempts(steps),
            *_life(store, steps),
            *(_history(store) if folds else ()),
            *(replay_differences(store, programs) if replays and programs else ()),
        ]
        if broken:
            raise InvariantError("; ".join(broken))

    def _events(self, store: MemoryStore) -> Iterator[str]:
        events = store.events
        run = store.seen
        if run.seq != len(events):
            yield f"the run counts {run.seq} events, there are {len(events)}"
        for place in range(self._checked_events, len(events)):
            event = events[place]
            before = events[place - 1] if place else None
            if event.seq != place + 1:
                yield f"event {place + 1} has the number {event.seq}"
            if event.prev != (before.hash if before else ""):
                yield f"event {event.seq} is not chained to the one before it"
            if before and event.ts < before.ts:
                yield f"event {event.seq} is older than the one before it"
            if before and before.type in END_EVENTS and event.type not in _AFTER_END:
                yield f"{event.type} follows the end of the run"
            if event.text != canonical_text(envelope(event, run.id)) or event.hash != event_hash(event.text):
                yield f"event {event.seq} is not what was hashed"
        self._checked_events = len(events)
        if events and run.head_hash != events[-1].hash:
            yield "the run's head is not its last event"

    def _ended_rows(self, steps: list[StepRow]) -> Iterator[str]:
        for row in steps:
            if row.status not in STEP_ENDED:
                if row.id in self._ended:
                    yield f"{_name(row)} had ended and lives again"
                continue
            seen, before = self._ended.get(row.id, (None, None))
            if seen is row:
                continue
            now = {key: value for key, value in encode_row(row).items() if key not in CHANGEABLE_WHEN_ENDED}
            self._ended[row.id] = (row, now)
            if before is not None and before != now:
                changed = sorted(key for key in now if now[key] != before[key])
                yield f"{_name(row)} had ended and changed its {', '.join(changed)}"


#: Folding a history costs its length: after every commit while it is short, then at each tenth and at stops.
FOLDED_EACH_TIME = 60


class Unwatched(Watcher):
    """Looks at nothing, for runs whose rows nobody doubts and which have to be quick."""

    def check(self, store: MemoryStore, programs: dict[str | None, Program] | None = None) -> None:
        """Nothing."""


def _history(store: MemoryStore) -> Iterator[str]:
    run = store.seen
    if run.seq < FOLDED_EACH_TIME or run.seq % 10 == 0 or run.status is not RunStatus.ACTIVE:
        yield from history_differences(store)


def _counters(store: MemoryStore, steps: list[StepRow]) -> Iterator[str]:
    run = store.seen
    work = [row for row in steps if row.status in STEP_LIVE and not (row.is_container or row.waits_for == "calls")]
    waiting = [row for row in work if row.status is StepStatus.WAITING]
    truth = {
        "steps": len(steps),
        "scopes": len(store.rows("scopes")),
        "live": len(work) - len(waiting),
        "running": sum(row.status is StepStatus.RUNNING for row in work),
        "waiting_person": sum(row.waits_for == "person" for row in waiting),
        "waiting_other": sum(row.waits_for != "person" for row in waiting),
    }
    for name, count in truth.items():
        if getattr(run, name) != count:
            yield f"the run says {name} = {getattr(run, name)}, its rows say {count}"
    living = Counter(row.region for row in steps if row.status in STEP_LIVE)
    scopes: dict[int, ScopeRow] = {row.n: row for row in store.rows("scopes")}
    for scope in scopes.values():
        done = scope.kind is ScopeKind.ITERATION and scope.ending == {"as": "done"}
        counts = scope.kind in (ScopeKind.FAN_OUT, ScopeKind.ITERATION) and not done
        if counts and scope.status in (ScopeStatus.OPEN, ScopeStatus.SETTLING):
            living[_region(scopes, scope.parent)] += 1
    for scope in scopes.values():
        if scope.kind is not ScopeKind.BRANCH and scope.live != living[scope.n]:
            yield f"scope {scope.n} ({scope.kind}) says live = {scope.live}, its rows say {living[scope.n]}"


def _region(scopes: dict[int, ScopeRow], n: int | None) -> int:
    if n is None:
        return 0
    scope = scopes[n]
    return scope.n if scope.kind is not ScopeKind.BRANCH else scope.parent or 0


def _live_attempts(steps: list[StepRow]) -> Iterator[str]:
    live = Counter((row.path, row.visit) for row in steps if row.status in STEP_LIVE)
    yield from (f"{path} visit {visit} has {n} live attempts" for (path, visit), n in live.items() if n > 1)
    finished = {(row.path, row.visit) for row in steps if row.status is StepStatus.SUCCEEDED}
    yield from (f"{path} visit {visit} lives again after it succeeded" for path, visit in live.keys() & finished)
    done = Counter((row.path, row.visit) for row in steps if row.status is StepStatus.SUCCEEDED)
    yield from (f"{path} visit {visit} succeeded {n} times" for (path, visit), n in done.items() if n > 1)


def _life(store: MemoryStore, steps: list[StepRow]) -> Iterator[str]:
    run: RunRow = store.seen
    live = [row for row in steps if row.status in STEP_LIVE]
    if run.status in RUN_ENDED:
        yield from (f"{_name(row)} is {row.status} in a run that has ended" for row in live)
        yield from (f"timer {row.kind} is armed in a run that has ended" for row in store.armed_timers())
        yield from (f"the approval of {row.path} is open in a run that has ended" for row in store.open_approvals(None))
        return
    if run.seq and not live:
        yield f"the run is {run.status} and nothing in it is alive"
    alone = bool(run.waiting_person) and not run.live and not run.waiting_other
    if run.status is RunStatus.AWAITING_APPROVAL and not alone:
        yield "the run awaits approval and something else is alive"
    if run.status is RunStatus.ACTIVE and alone:
        yield "every live step waits for a person and the run is active"


def _name(row: StepRow) -> str:
    return f"{row.path} visit {row.visit} attempt {row.attempt}"
