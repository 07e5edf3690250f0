"""What came of a run, in the form in which flow tests compare it: whichever shell ran it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from runner.engine.events import Event
from runner.engine.rows import ROOT_SCOPE, Stored, Usage
from runner.engine.statuses import STEP_ENDED
from runner.simulation.memory import MemoryStore
from runner.simulation.runs import SimulatedRun
from runner.simulation.standins import Call


@dataclass
class Outcome:
    """The end of a run, or of trying to start one. `elapsed_ms` None: not to be compared."""

    status: str = "failed"
    state: dict[str, Any] = field(default_factory=dict)
    result: Any = None
    error: dict[str, Any] | None = None
    events: Sequence[Event] = ()
    calls: Sequence[Call] = ()
    artifacts: dict[str, Any] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    elapsed_ms: int | None = 0
    problems: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()

    def given(self, queue: str) -> list[Any]:
        """With what a tool (`name`), model (`llm:node`) or handler (`handler:node`) was called, in order."""
        return [call.given for call in self.calls if call.queue == queue and not call.lost]

    def public(self) -> list[Event]:
        """The public events, in order."""
        return [event for event in self.events if event.level == "public"]


def outcome_of_runs(runs: Sequence[SimulatedRun], calls: Sequence[Call], last_change: int) -> Outcome:
    """What the rows of a run, the first, say came of it. `last_change`: when something happened last, in ms."""
    store = runs[0].store
    run = store.run
    attempts = {(one.label + row.path, row.visit, row.attempt): row for one in runs for row in one.store.rows("steps")}
    for call in calls:
        # An attempt that was ended meanwhile does not call again: its call was what it was.
        path, visit, attempt = call.identity
        row = attempts[path.partition("#")[0], visit, attempt]
        call.lost = call.lost and row.status not in STEP_ENDED
    ended = run.ended_at if run.ended_at is not None else last_change
    contents = {row.id: _load(store, row.content) for row in store.artifacts}
    seen = {row.key: _load(store, row.stored)["id"] for row in store.scope_values(ROOT_SCOPE, ("a",))}
    return Outcome(
        status=str(run.status),
        state={row.key: _load(store, row.stored) for row in store.scope_values(ROOT_SCOPE, ("v",))},
        result=_load(store, run.result) if run.result is not None else None,
        error=run.error,
        events=store.events,
        calls=calls,
        artifacts={artifact: contents[artifact_id] for artifact, artifact_id in seen.items()},
        usage=run.usage,
        elapsed_ms=ended - run.started_at,
    )


def _load(store: MemoryStore, stored: Stored) -> Any:
    text = stored.text if stored.text is not None else store.load(stored.ref or "")
    return json.loads(text)
