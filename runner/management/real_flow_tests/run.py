"""One flow-test run on the real runner: waits until it is quiet, lets the next thing on the virtual clock happen.

The database's clock stands, and is moved to the time of what happens: it is the virtual clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from runner import dispatch
from runner.engine.errors import RunError
from runner.engine.happenings import TimerDue
from runner.engine.program import Program
from runner.engine.rows import RunRow, StepRow
from runner.engine.statuses import RUN_ENDED, RunStatus, StepStatus
from runner.management.real_flow_tests.flights import Flight, Flights
from runner.management.real_flow_tests.rows import read_run
from runner.management.real_flow_tests.server import StandInServer
from runner.services import runs
from runner.services.approvals import decide_approval
from runner.simulation import agenda
from runner.simulation.agenda import Item
from runner.simulation.flow_test import Prepared
from runner.simulation.flow_test_file import Action, Decision
from runner.simulation.invariants import Watcher
from runner.simulation.memory import MemoryStore
from runner.simulation.outcome import Outcome, outcome_of_store
from runner.simulation.people import ANALYST, REVIEWER, ActionBook, DecisionBook, Due, step_to_retry
from runner.simulation.standins import Call
from runner.store.children import live_descendants, live_work
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


class StuckError(Exception):
    """The run does not come to rest; the message says how it stands."""


class RealRun:
    """A run that was started, its people and its replies. `simulated`: the calls in the simulator's order."""

    def __init__(
        self,
        run_id: str,
        prepared: Prepared,
        program: Program,
        server: StandInServer,
        simulated: Sequence[Call],
    ) -> None:
        self.run_id = run_id
        self._order = program.order
        self._flights = Flights(run_id, prepared.test, program, server, simulated)
        self._decisions = DecisionBook(prepared.test.decisions)
        self._actions = ActionBook(prepared.test.actions)
        self._released: set[str] = set()
        self._idle: set[tuple[str, int]] = set()
        self._refusals: list[str] = []
        self._watcher = Watcher()
        self._clock = now_ms()

    def outcome(self) -> Outcome:
        """Drive the run until nothing is due any more. Raises StuckError, or AssertionError for broken rows."""
        while True:
            store = self._when_quiet()
            self._watcher.check(store)
            self._flights.take(store, self._clock)
            due = self._due(store)
            if not due:
                break
            item = min(due, key=lambda item: item.order)
            self._move_clock(item.at)
            self._happen(store, item)
        outcome = outcome_of_store(store, self._flights.calls, 0)
        outcome.elapsed_ms = None
        outcome.refusals = tuple(self._refusals)
        return outcome

    def _move_clock(self, at: int) -> None:
        if at > self._clock:
            shift_test_clock(at - self._clock)
            self._clock = at

    # Waiting until the run is quiet

    def _when_quiet(self) -> MemoryStore:
        """Wait until the workers can do nothing but wait for answers. Raises StuckError."""
        began = changed = time.monotonic()
        hinted = began
        seq = -1
        while True:
            calls = list(self._flights.open_calls().values())
            store = read_run(self.run_id)  # after the calls: what claimed them is committed
            self._flights.stop_needless(calls, store, self._clock)
            now = time.monotonic()
            if store.seen.seq != seq:
                seq, changed = store.seen.seq, now
            waiting = self._unclaimed(store)
            all_busy = bool(self._flights.open_calls()) and now - changed > ALL_BUSY_S
            arriving = now - changed < ARRIVAL_S and self._missing_calls(store)
            below = any(step_id for one in live_descendants(self.run_id) for step_id in live_work(one))
            if not below and not self._at_work(store) and not arriving and (all_busy or not waiting):
                return store
            if now - max(changed, hinted) > HINT_AGAIN_S:
                hinted = now
                for row in waiting:
                    dispatch.hint_step(row.id, row.backend)
            if now - began > STUCK_S:
                raise StuckError(_standing(store, self._at_work(store), waiting))
            time.sleep(POLL_S)

    def _at_work(self, store: MemoryStore) -> list[StepRow]:
        """Steps that a worker is about to call for, or about to report."""
        calls = self._flights.open_calls()
        return [row for row in _running(store) if (row.id, row.fence) not in calls]

    def _unclaimed(self, store: MemoryStore) -> list[StepRow]:
        """Steps that a worker should have claimed by now."""
        run: RunRow = store.seen
        bound = run.policy.get("max_parallel")
        if run.status is RunStatus.PAUSED or (bound and run.running >= bound):
            return []
        return agenda.ready_steps(store, self._order, self._clock, self._released)

    def _missing_calls(self, store: MemoryStore) -> list[StepRow]:
        """Attempts that were canceled while they ran, and whose call has still to arrive: it counts as made."""
        called = self._flights.callers
        return [
            row
            for row in store.rows("steps")
            if row.status is StepStatus.CANCELED
            and row.type in CALLING
            and row.input is not None
            and not row.waits_for
            and row.started_at is not None
            and "fails_with" not in (row.notes or {})
            and (row.path, row.visit, row.attempt) not in called
        ]

    # What is due

    def _due(self, store: MemoryStore) -> list[Item]:
        timers = (item for item in agenda.timers(store, self._order) if (item.subject, item.at) not in self._idle)
        return [
            *self._flights.due(_running(store), self._clock),
            *agenda.back_offs(store, self._order, self._released),
            *timers,
            *agenda.of_people(self._decisions.due(store.rows("approvals")), agenda.DECISIONS, "decision"),
            *agenda.of_people(self._actions.due(store.events), agenda.ACTIONS, "action"),
        ]

    def _happen(self, store: MemoryStore, item: Item) -> None:
        if isinstance(item.subject, Flight):
            self._flights.answer(item.kind, item.subject)
        elif item.kind == "back_off":
            self._released.add(item.subject)
            row = store.step(item.subject)
            assert row is not None
            dispatch.hint_step(row.id, row.backend)
        elif item.kind == "timer":
            self._idle.add((item.subject, item.at))
            runs.ask(self.run_id, lambda now: TimerDue(now, item.subject))
        elif item.kind == "decision":
            self._decide(store, item.subject)
        else:
            self._act(store, item.subject)

    def _decide(self, store: MemoryStore, due: Due) -> None:
        approval, decision = store.approval(due.approval_id), due.what
        assert approval is not None and isinstance(decision, Decision)
        try:
            decide_approval(
                approval.id,
                verdict="approved" if decision.approve else "rejected",
                digest=approval.digest,
                actor=REVIEWER,
                comment=decision.comment,
                arguments=decision.arguments,
                form=decision.form,
            )
        except RunError as refusal:
            self._refusals.append(f"decision on {approval.path}: {refusal.message}")
            self._decisions.refused(approval.id)

    def _act(self, store: MemoryStore, due: Due) -> None:
        action = due.what
        assert isinstance(action, Action)
        self._actions.mark_done(due.number)
        deeds: dict[str, Callable[[], object]] = {
            "cancel": lambda: runs.cancel_run(self.run_id, actor=ANALYST),
            "pause": lambda: runs.pause_run(self.run_id, actor=ANALYST),
            "resume": lambda: runs.resume_run(self.run_id, actor=ANALYST),
            "signal": lambda: runs.send_signal(self.run_id, action.key or "", action.value, actor=ANALYST),
            "retry_step": lambda: runs.retry_step(
                self.run_id,
                step_to_retry(store.rows("steps"), action.step or "").id,
                actor=ANALYST,
                arguments=action.arguments,
            ),
        }
        try:
            deeds[action.do]()
        except RunError as refusal:
            self._refusals.append(f"{action.do} at {action.when}: {refusal.message}")


def _running(store: MemoryStore) -> list[StepRow]:
    """Steps that a worker has claimed and not reported on."""
    if store.seen.status in RUN_ENDED:
        return []
    rows: list[StepRow] = store.rows("steps")
    return [row for row in rows if row.status is StepStatus.RUNNING and not row.is_container]


def _standing(store: MemoryStore, working: Sequence[StepRow], waiting: Sequence[StepRow]) -> str:
    at_work = ", ".join(f"{row.path} ({row.worker})" for row in working) or "nobody"
    ready = ", ".join(row.path for row in waiting) or "nothing"
    return (
        f"The run did not come to rest in {STUCK_S:.0f} s: it is {store.seen.status}, at work: {at_work}, "
        f"not claimed: {ready}."
    )
