"""Safe replay: a changed flow run against what a past run was made of. Recorded replies stand in; nothing is called.

A call that has no recorded counterpart is reported, and what would come after it is not known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from editor.language.inputs import check_inputs
from editor.language.policy import effective
from runner.engine.comparing import Row
from runner.engine.errors import RunError
from runner.engine.events import Event
from runner.engine.program import Program
from runner.engine.rows import RunRow, Stored
from runner.simulation.compare import equal
from runner.simulation.crash import Ended, Setting, run_to_end
from runner.simulation.outcome import Outcome
from runner.simulation.people import ActionBook, DecisionBook
from runner.simulation.recorded import RecordedRun
from runner.simulation.recorded_replies import RecordedReplies
from runner.simulation.routes import Parting, first_parting, laid_side_by_side
from runner.simulation.world import World

#: A replay that makes more transitions than this is given up: it went round in circles.
MOST_COMMITS = 5_000


@dataclass(frozen=True)
class Unmatched:
    """A call that the past run did not make: at which step, of what."""

    path: str
    visit: int
    queue: str


@dataclass(frozen=True)
class Replayed:
    """What a changed flow would have made of a past run. Costs are micro-dollars, None where not all is known.

    `refused`: why it would not have started. `troubles`: why the run cannot be compared, in sentences. `rows`: the
    steps that differ, as far as the changed flow came. `events`: what happened in the changed flow.
    """

    ending: str = ""
    parting: Parting | None = None
    unmatched: tuple[Unmatched, ...] = ()
    ends_otherwise: tuple[str, ...] = ()
    cost_before: int = 0
    cost_after: int | None = None
    refused: str | None = None
    troubles: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    events: Sequence[Event] = ()

    @property
    def verdict(self) -> str:
        """One word: `same`, `refused`, `unknown`, `route`, `ending`, `cost` (it costs more) or `incomparable`."""
        if self.troubles:
            return "incomparable"
        if self.refused is not None:
            return "refused"
        if self.unmatched:
            return "unknown"
        if self.parting is not None:
            return "route"
        if self.ends_otherwise:
            return "ending"
        return "cost" if self.cost_after is not None and self.cost_after > self.cost_before else "same"


def replay(run: RecordedRun, changed: Program) -> Replayed:
    """Run a changed flow with what a past run was made of, and say where it differs.

    Where it does, the flow that ran is replayed too, and the two are compared: what only the simulator does otherwise
    than the world is no difference.
    """
    if run.troubles:
        return Replayed(troubles=run.troubles)
    state, refused = check_inputs(changed.definition, run.run.preset, run.state)
    if refused:
        return Replayed(refused=" ".join(refused))
    try:
        after, replies = _run(run, changed, state, by_input=True)
        unmatched = tuple(Unmatched(one.identity[0], one.identity[1], one.queue) for one in replies.unmatched)
        found = _compared(_as_it_was(run), after, unmatched)
        if found.verdict == "same":
            return found
        before, known = _run(run, run.program, run.state, by_input=False)
    except (RunError, AssertionError) as fault:
        return Replayed(troubles=(f"The simulator cannot run it: {fault}",))
    parting = first_parting(laid_side_by_side(run.events, before.outcome.events))
    if known.unmatched or parting is not None or before.outcome.status != str(run.run.status):
        at = f" Its own version parts from it at {parting.path}." if parting is not None else ""
        return Replayed(troubles=(f"What is recorded does not tell how the run went.{at}",))
    return _compared(before.outcome, after, unmatched)


def _as_it_was(run: RecordedRun) -> Outcome:
    error = run.run.error
    return Outcome(str(run.run.status), run.final, run.result, error, run.events, usage=run.run.usage)


def _compared(before: Outcome, after: Ended, unmatched: tuple[Unmatched, ...]) -> Replayed:
    now = after.outcome
    laid = laid_side_by_side(before.events, now.events, is_over=not unmatched)
    return Replayed(
        ending=now.status,
        parting=first_parting(laid),
        unmatched=unmatched,
        ends_otherwise=() if unmatched else tuple(_endings(before, now)),
        cost_before=before.usage.cost_micros,
        cost_after=None if unmatched else now.usage.cost_micros,
        rows=tuple(row for row in laid.rows if row.differs),
        events=now.events,
    )


def _endings(before: Outcome, now: Outcome) -> list[str]:
    """In what the end differs. No values: they may be sensitive."""
    found = []
    if before.status != now.status:
        found.append(f"ends {now.status}, not {before.status}")
    codes = [(one.error or {}).get("code") for one in (before, now)]
    if codes[0] != codes[1]:
        found.append(f"ends with the error {codes[1] or 'none'}, not {codes[0] or 'none'}")
    if not equal(before.result, now.result):
        found.append("gives another result")
    keys = _changed_keys(before.state, now.state)
    if keys:
        found.append(f"leaves other values in {', '.join(keys)}")
    return found


def _changed_keys(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(
        key
        for key in sorted(before.keys() | now.keys())
        if (key in before) != (key in now) or not equal(before.get(key), now.get(key))
    )


def _run(
    run: RecordedRun, program: Program, state: Mapping[str, Any], *, by_input: bool
) -> tuple[Ended, RecordedReplies]:
    """Run a flow at the time of the past run and under its id: what a step reads of both is as it was."""
    replies = RecordedReplies(run.calls, by_input=by_input)
    preset = program.definition.preset(run.run.preset) if run.run.preset is not None else None
    policy = effective(program.definition.policy, preset.policy if preset else None)
    row = RunRow(
        id=run.run.id,
        preset=run.run.preset,
        inputs=Stored.of(dict(state)),
        policy=dict(policy.values),
        started_at=run.run.started_at,
    )

    def make_world() -> World:
        return World(
            replies,
            decisions=DecisionBook(run.decisions),
            actions=ActionBook(run.actions),
            clock=run.run.started_at,
            last_change=run.run.started_at,
            most_commits=MOST_COMMITS,
        )

    setting = Setting(program, row, dict(state), make_world, is_watched=False)
    return run_to_end(setting), replies
