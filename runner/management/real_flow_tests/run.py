"""One flow-test run on the real runner: waits until it is quiet, lets the next thing on the virtual clock happen.

The database's clock stands, and is moved to the time of what happens: it is the virtual clock. Child runs of
sub-flows belong to the run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from runner import dispatch
from runner.engine.errors import RunError
from runner.engine.happenings import TimerDue
from runner.engine.rows import StepRow
from runner.engine.statuses import RUN_ENDED, RunStatus, StepStatus
from runner.management.real_flow_tests.flights import Flight, Flights
from runner.management.real_flow_tests.server import StandInServer
from runner.models import Approval
from runner.services import runs as services
from runner.services.approvals import decide_approval
from runner.services.families import read_family
from runner.simulation import agenda
from runner.simulation.agenda import Item
from runner.simulation.flow_test_file import Action, Decision, FlowTest
from runner.simulation.invariants import Watcher
from runner.simulation.outcome import Outcome, outcome_of_runs
from runner.simulation.people import ANALYST, REVIEWER, ActionBook, DecisionBook, Due, step_to_retry
from runner.simulation.runs import SimulatedRun, orphans, untold
from runner.simulation.standins import Call
from runner.store.clock import now_ms, shift_test_clock

POLL_S = 0.005
#: A step that nobody claims is handed on again after so long: the hint may be lost.
HINT_AGAIN_S = 2.0
#: With calls open and every worker busy, whatever else is ready has to wait for one of them.
ALL_BUSY_S = 0.5
#: The call of an attempt that was canceled just when it began comes within so long, if it comes.
ARRIVAL_S = 2.0
STUCK_S = 30.0

#: Step types whose attempts make a call.
CALLING = frozenset({"tool_call", "llm_call", "handler", "agent"})

Rows = list[tuple[SimulatedRun, StepRow]]
Runs = Sequence[SimulatedRun]


class StuckError(Exception):
    """The run does not come to rest; the message says how it stands."""


class RealRun:
    """A run that was started, its people and its replies. `simulated`: the calls in the simulator's order."""

    def __init__(self, run_id: str, test: FlowTest, server: StandInServer, simulated: Sequence[Call]) -> None:
        self.run_id = run_id
        self._server = server
        self._flights = Flights(test, server, simulated)
        self._decisions = DecisionBook(test.decisions)
        self._actions = ActionBook(test.actions)
        self._released: set[str] = set()
        self._idle: set[tuple[str, int]] = set()
        self._refusals: list[str] = []
        self._watchers: dict[str, Watcher] = {}
        self._clock = now_ms()

    def outcome(self) -> Outcome:
        """Drive the run until nothing is due any more. Raises StuckError, or AssertionError for broken rows."""
        while True:
            runs = self._when_quiet()
            for run in runs:
                self._watchers.setdefault(run.id, run.watcher).check(run.store)
            self._flights.take(runs, self._clock)
            due = self._due(runs)
            if not due:
                break
            item = min(due, key=lambda item: item.order)
            self._move_clock(item.at)
            self._happen(runs, item)
        outcome = outcome_of_runs(runs, self._flights.calls, 0)
        outcome.elapsed_ms = None
        outcome.refusals = tuple(self._refusals)
        return outcome

    def dismiss(self) -> None:
        """Send away whoever still calls for the run."""
        for run in read_family(self.run_id):
            self._server.dismiss(run.id)

    def _move_clock(self, at: int) -> None:
        if at > self._clock:
            shift_test_clock(at - self._clock)
            self._clock = at

    # Waiting until the run is quiet

    def _when_quiet(self) -> Runs:
        """Wait until the workers can do nothing but wait for answers. Raises StuckError."""
        began = changed = time.monotonic()
        hinted = began
        seen: list[int] = []
        while True:
            calls = list(self._flights.open_calls().values())
            runs = read_family(self.run_id)  # after the calls: what claimed them is committed
            self._flights.stop_needless(calls, runs, self._clock)
            now = time.monotonic()
            if [run.store.seen.seq for run in runs] != seen:
                seen, changed = [run.store.seen.seq for run in runs], now
            waiting = self._unclaimed(runs)
            all_busy = bool(self._flights.open_calls()) and now - changed > ALL_BUSY_S
            arriving = now - changed < ARRIVAL_S and self._missing_calls(runs)
            busy = self._at_work(runs) or arriving or _word_under_way(runs)
            if not busy and (all_busy or not waiting):
                return runs
            if now - max(changed, hinted) > HINT_AGAIN_S:
                hinted = now
                for _, row in waiting:
                    dispatch.hint_step(row.id, row.backend)
            if now - began > STUCK_S:
                raise StuckError(_standing(runs, self._at_work(runs), waiting))
            time.sleep(POLL_S)

    def _at_work(self, runs: Runs) -> Rows:
        """Steps that a worker is about to call for, or about to report."""
        calls = self._flights.open_calls()
        return [(run, row) for run, row in _running(runs) if (row.id, row.fence) not in calls]

    def _unclaimed(self, runs: Runs) -> Rows:
        """Steps that a worker should have claimed by now."""
        found: Rows = []
        for run in runs:
            row = run.store.seen
            bound = row.policy.get("max_parallel")
            if row.status is not RunStatus.PAUSED and not (bound and row.running >= bound):
                found += agenda.ready_steps([run], self._clock, self._released)
        return found

    def _missing_calls(self, runs: Runs) -> Rows:
        """Attempts that were canceled while they ran, and whose call has still to arrive: it counts as made."""
        called = self._flights.callers
        return [
            (run, row)
            for run in runs
            for row in run.store.rows("steps")
            if row.status is StepStatus.CANCELED
            and row.type in CALLING
            and row.input is not None
            and not row.waits_for
            and row.started_at is not None
            and "fails_with" not in (row.notes or {})
            and (run.label + row.path, row.visit, row.attempt) not in called
        ]

    # What is due

    def _due(self, runs: Runs) -> list[Item]:
        return [
            *self._flights.due(_running(runs), self._clock),
            *agenda.times(runs, self._released, self._idle),
            *agenda.people(runs, self._decisions, self._actions),
        ]

    def _happen(self, runs: Runs, item: Item) -> None:
        if isinstance(item.subject, Flight):
            self._flights.answer(item.kind, item.subject)
        elif item.kind == "back_off":
            run, step_id = item.subject
            row = run.store.step(step_id)
            assert row is not None
            self._released.add(step_id)
            dispatch.hint_step(row.id, row.backend)
        elif item.kind == "timer":
            run, timer_id = item.subject
            self._idle.add((timer_id, item.at))
            services.ask(run.id, lambda now: TimerDue(now, timer_id))
        elif item.kind == "decision":
            self._decide(runs, item.subject)
        else:
            self._act(runs[0], item.subject)

    def _decide(self, runs: Runs, due: Due) -> None:
        found = (run.store.approval(due.approval_id) for run in runs)
        approval, decision = next(one for one in found if one is not None), due.what
        assert isinstance(decision, Decision)
        try:
            decide_approval(
                approval.id,
                verdict="approved" if decision.approve else "rejected",
                digest=approval.digest,
                actor=REVIEWER,
                comment=decision.comment,
                arguments=decision.arguments,
                form=decision.form,
                person=decision.by or f"reviewer {due.number}",
            )
        except RunError as refusal:
            self._refusals.append(f"decision on {approval.path}: {refusal.message}")
            self._decisions.used_up(approval.id)
        else:
            if Approval.objects.open().filter(pk=approval.id).exists():  # others have to approve, too
                self._decisions.used_up(approval.id)

    def _act(self, run: SimulatedRun, due: Due) -> None:
        action = due.what
        assert isinstance(action, Action)
        self._actions.mark_done(due.number)
        deeds: dict[str, Callable[[], object]] = {
            "cancel": lambda: services.cancel_run(self.run_id, actor=ANALYST),
            "pause": lambda: services.pause_run(self.run_id, actor=ANALYST),
            "resume": lambda: services.resume_run(self.run_id, actor=ANALYST),
            "signal": lambda: services.send_signal(self.run_id, action.key or "", action.value, actor=ANALYST),
            "retry_step": lambda: services.retry_step(
                self.run_id,
                step_to_retry(run.store.rows("steps"), action.step or "").id,
                actor=ANALYST,
                arguments=action.arguments,
            ),
        }
        try:
            deeds[action.do]()
        except RunError as refusal:
            self._refusals.append(f"{action.do} at {action.when}: {refusal.message}")


def _running(runs: Runs) -> Rows:
    """Steps that a worker has claimed and not reported on."""
    return [
        (run, row)
        for run in runs
        if run.store.seen.status not in RUN_ENDED
        for row in run.store.rows("steps")
        if row.status is StepStatus.RUNNING and not row.is_container
    ]


def _word_under_way(runs: Runs) -> bool:
    """Whether a run has still to be told of its child's end, or a child that nobody waits for it any more."""
    return any(True for _ in untold(runs)) or any(True for _ in orphans(runs))


def _standing(runs: Runs, working: Rows, waiting: Rows) -> str:
    at_work = ", ".join(f"{row.path} ({row.worker})" for _, row in working) or "nobody"
    ready = ", ".join(row.path for _, row in waiting) or "nothing"
    return (
        f"The run did not come to rest in {STUCK_S:.0f} s: it is {runs[0].store.seen.status}, at work: {at_work}, "
        f"not claimed: {ready}."
    )
