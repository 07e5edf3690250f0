"""One flow-test run on the real runner: waits until it is quiet, lets the next thing on the virtual clock happen.

The database's clock stands, and is moved to the time of what happens: it is the virtual clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from runner import dispatch
from runner.engine.errors import RunError
from runner.engine.happenings import TimerDue
from runner.engine.program import Program
from runner.engine.rows import RunRow, StepRow
from runner.engine.statuses import RUN_ENDED, RunStatus, StepStatus
from runner.management.real_flow_tests.rows import read_run
from runner.management.real_flow_tests.server import STOPPED, OpenCall, StandInServer
from runner.services import runs
from runner.services.approvals import decide_approval
from runner.simulation import agenda
from runner.simulation.agenda import Item
from runner.simulation.flow_test import Prepared
from runner.simulation.flow_test_file import Action, Decision, Reply
from runner.simulation.invariants import Watcher
from runner.simulation.memory import MemoryStore
from runner.simulation.outcome import Outcome, outcome_of_store
from runner.simulation.people import ANALYST, REVIEWER, ActionBook, DecisionBook, Due, step_to_retry
from runner.simulation.standins import Call, Identity, QueuedReplies
from runner.store.clock import now_ms, shift_test_clock

POLL_S = 0.005
#: A step that nobody claims is handed on again after so long: the hint may be lost.
HINT_AGAIN_S = 2.0
#: With calls open and every worker busy, whatever else is ready has to wait for one of them.
ALL_BUSY_S = 0.5
STUCK_S = 30.0

#: Step types whose attempts make a call.
CALLING = frozenset({"tool_call", "llm_call", "handler", "agent"})


class StuckError(Exception):
    """The run does not come to rest; the message says how it stands."""


@dataclass
class Flight:
    """An open call, when its reply comes (None: never), and its time limit."""

    open: OpenCall
    call: Call
    end_at: int | None
    deadline: int | None


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
        self._program = program
        self._order = program.order
        self._server = server
        self._replies = QueuedReplies(prepared.test.replies)
        self._decisions = DecisionBook(prepared.test.decisions)
        self._actions = ActionBook(prepared.test.actions)
        self._numbers = {(call.identity, call.queue): call.number for call in simulated}
        self._flights: dict[tuple[str, int], Flight] = {}
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
            self._take_calls(store)
            due = self._due(store)
            if not due:
                break
            item = min(due, key=lambda item: item.order)
            self._move_clock(item.at)
            self._happen(store, item)
        outcome = outcome_of_store(store, self._replies.calls, 0)
        outcome.elapsed_ms = None
        outcome.refusals = tuple(self._refusals)
        return outcome

    def _open_calls(self) -> dict[tuple[str, int], OpenCall]:
        return self._server.open_calls(self.run_id)

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
            calls = list(self._open_calls().values())
            store = read_run(self.run_id)  # after the calls: what claimed them is committed
            self._stop_needless_calls(calls, store)
            now = time.monotonic()
            if store.seen.seq != seq:
                seq, changed = store.seen.seq, now
            waiting = self._unclaimed(store)
            all_busy = bool(self._open_calls()) and now - changed > ALL_BUSY_S
            if not self._at_work(store) and not self._missing_calls(store) and (all_busy or not waiting):
                return store
            if now - max(changed, hinted) > HINT_AGAIN_S:
                hinted = now
                for row in waiting:
                    dispatch.hint_step(row.id, row.backend)
            if now - began > STUCK_S:
                raise StuckError(_standing(store, self._at_work(store), waiting))
            time.sleep(POLL_S)

    def _stop_needless_calls(self, calls: Iterable[OpenCall], store: MemoryStore) -> None:
        """Answer calls whose attempt has ended without them, so that their workers are free."""
        for call in calls:
            step_id, fence = call.key
            row = store.step(step_id)
            if row is None or row.status is not StepStatus.RUNNING or row.fence != fence:
                self._note([call], store)
                self._flights.pop(call.key, None)
                self._server.answer(call, STOPPED)

    def _at_work(self, store: MemoryStore) -> list[StepRow]:
        """Steps that a worker is about to call for, or about to report."""
        calls = self._open_calls()
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
        called = {_step_of(call.identity) for call in self._replies.calls}
        return [
            row
            for row in store.rows("steps")
            if row.status is StepStatus.CANCELED
            and row.type in CALLING
            and row.input is not None
            and not row.waits_for
            and row.started_at is not None
            and (row.path, row.visit, row.attempt) not in called
        ]

    # Calls

    def _take_calls(self, store: MemoryStore) -> None:
        """Give the calls that are open for the first time their replies, in the simulator's order."""
        calls = self._open_calls()
        self._note([call for key, call in calls.items() if key not in self._flights], store)

    def _note(self, calls: Iterable[OpenCall], store: MemoryStore) -> None:
        for call in sorted(calls, key=lambda call: self._place(call, store)):
            if call.key in self._flights:
                continue
            queue, given = call.given
            made = self._replies.begin(queue, _identity(call), given, self._clock)
            limit = self._program.limit_ms(self._program.node(call.body["node"]).node)
            self._flights[call.key] = Flight(
                call,
                made,
                None if made.reply.hang else self._clock + made.reply.after_ms,
                None if limit is None else self._clock + limit,
            )

    def _place(self, call: OpenCall, store: MemoryStore) -> tuple[int, agenda.Position]:
        row = store.step(call.body["step_id"])
        position: agenda.Position = agenda.position(self._order, row) if row is not None else ()
        return self._numbers.get((_identity(call), call.given[0]), len(self._numbers)), position

    # What is due

    def _due(self, store: MemoryStore) -> list[Item]:
        timers = (item for item in agenda.timers(store, self._order) if (item.subject, item.at) not in self._idle)
        return [
            *self._ends(store),
            *agenda.back_offs(store, self._order, self._released),
            *timers,
            *agenda.of_people(self._decisions.due(store.rows("approvals")), agenda.DECISIONS, "decision"),
            *agenda.of_people(self._actions.due(store.events), agenda.ACTIONS, "action"),
        ]

    def _ends(self, store: MemoryStore) -> Iterable[Item]:
        for row in _running(store):
            flight = self._flights[row.id, row.fence]
            place = agenda.position(self._order, row)
            if row.cancel_requested:
                yield Item(self._clock, agenda.ENDS, place, "stop", flight)
                continue
            if flight.end_at is not None:
                yield Item(flight.end_at, agenda.ENDS, place, "end", flight)
            if flight.deadline is not None:
                yield Item(flight.deadline, agenda.TIME_LIMITS, place, "limit", flight)

    def _happen(self, store: MemoryStore, item: Item) -> None:
        if isinstance(item.subject, Flight):
            self._answer(item.kind, item.subject)
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

    def _answer(self, kind: str, flight: Flight) -> None:
        del self._flights[flight.open.key]
        answer: dict[str, Any] = STOPPED
        if kind == "end":
            answer = _as_json(flight.call.reply)
        elif kind == "limit":
            answer = {"error": "The attempt took longer than its time limit.", "code": "operation_timeout"}
        self._server.answer(flight.open, answer)

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


def _identity(call: OpenCall) -> Identity:
    body = call.body
    turn = body.get("turn") or 0
    return (f"{body['path']}#{turn}" if turn else body["path"], body["visit"], body["attempt"])


def _step_of(identity: Identity) -> Identity:
    path, visit, attempt = identity
    return path.partition("#")[0], visit, attempt


def _as_json(reply: Reply) -> dict[str, Any]:
    """A reply as the stand-in server sends it."""
    return reply.model_dump(mode="json", exclude_unset=True, exclude={"after_ms", "hang", "x_keys"})


def _standing(store: MemoryStore, working: Sequence[StepRow], waiting: Sequence[StepRow]) -> str:
    at_work = ", ".join(f"{row.path} ({row.worker})" for row in working) or "nobody"
    ready = ", ".join(row.path for row in waiting) or "nothing"
    return (
        f"The run did not come to rest in {STUCK_S:.0f} s: it is {store.seen.status}, at work: {at_work}, "
        f"not claimed: {ready}."
    )
