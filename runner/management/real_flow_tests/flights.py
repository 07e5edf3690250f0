"""Calls of a run that are open at the stand-in server: which reply each gets, when it comes, how it is sent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from runner.engine.rows import StepRow
from runner.engine.statuses import StepStatus
from runner.management.real_flow_tests.server import STOPPED, OpenCall, StandInServer
from runner.simulation import agenda
from runner.simulation.agenda import Item
from runner.simulation.flow_test_file import FlowTest, Reply
from runner.simulation.runs import SimulatedRun
from runner.simulation.standins import Call, Identity, QueuedReplies

Key = tuple[str, int]


@dataclass
class Flight:
    """An open call, when its reply comes (None: never), and its time limit."""

    open: OpenCall
    call: Call
    end_at: int | None
    deadline: int | None


class Flights:
    """The open calls of a run and its child runs. `simulated`: all calls as the simulator makes them, in order."""

    def __init__(self, test: FlowTest, server: StandInServer, simulated: Sequence[Call]) -> None:
        self._server = server
        self._replies = QueuedReplies(test.replies)
        self._simulated = {(call.identity, call.queue): call for call in simulated}
        self._flights: dict[Key, Flight] = {}

    @property
    def calls(self) -> Sequence[Call]:
        """Every call that was made, in the simulator's order, then those that it does not make."""
        return sorted(self._replies.calls, key=lambda call: (self._number(call.queue, call.identity), call.number))

    def _number(self, queue: str, identity: Identity) -> int:
        simulated = self._simulated.get((identity, queue))
        return simulated.number if simulated is not None else len(self._simulated)

    @property
    def callers(self) -> Collection[Identity]:
        """The attempts that have made a call."""
        return {(path.partition("#")[0], visit, attempt) for path, visit, attempt in self._identities()}

    def _identities(self) -> list[Identity]:
        return [call.identity for call in self._replies.calls]

    def open_calls(self) -> dict[Key, OpenCall]:
        """The calls that wait for an answer now, by claim."""
        return self._server.open_calls()

    def take(self, runs: Sequence[SimulatedRun], clock: int) -> None:
        """Give the calls that are open for the first time their replies, in the simulator's order."""
        self._note(self.open_calls().values(), runs, clock)

    def _note(self, calls: Iterable[OpenCall], runs: Sequence[SimulatedRun], clock: int) -> None:
        by_id = {run.id: run for run in runs}
        known = [(by_id[call.body["run"]], call) for call in calls if call.body["run"] in by_id]
        for run, call in sorted(known, key=lambda one: self._place(*one)):
            if call.key in self._flights:
                continue
            queue, given = call.given
            made = self._begin(queue, _identity(run, call), given, clock)
            limit = run.program.limit_ms(run.program.node(call.body["node"]).node)
            self._flights[call.key] = Flight(
                call,
                made,
                None if made.reply.hang else clock + made.reply.after_ms,
                None if limit is None else clock + limit,
            )

    def _begin(self, queue: str, identity: Identity, given: Any, clock: int) -> Call:
        """The reply for a call: the one that the simulator gives it, whatever got its own before by chance."""
        simulated = self._simulated.get((identity, queue))
        if simulated is None:
            return self._replies.begin(queue, identity, given, clock)
        return self._replies.enter(queue, identity, given, simulated.reply, clock)

    def _place(self, run: SimulatedRun, call: OpenCall) -> tuple[int, agenda.Position]:
        row = run.store.step(call.body["step_id"])
        position: agenda.Position = agenda.position(run, row) if row is not None else ()
        return self._number(call.given[0], _identity(run, call)), position

    def stop_needless(self, calls: Iterable[OpenCall], runs: Sequence[SimulatedRun], clock: int) -> None:
        """Answer calls whose attempt has ended without them, so that their workers are free."""
        by_id = {run.id: run for run in runs}
        for call in calls:
            step_id, fence = call.key
            run = by_id.get(call.body["run"])
            row = run.store.step(step_id) if run is not None else None
            if run is not None and (row is None or row.status is not StepStatus.RUNNING or row.fence != fence):
                self._note([call], runs, clock)
                del self._flights[call.key]
                self._server.answer(call, STOPPED)

    def due(self, running: Iterable[tuple[SimulatedRun, StepRow]], clock: int) -> Iterable[Item]:
        """Ends, time limits and stops of the calls of these steps."""
        for run, row in running:
            flight = self._flights[row.id, row.fence]
            place = agenda.position(run, row)
            if row.cancel_requested:
                yield Item(clock, agenda.ENDS, place, "stop", flight)
                continue
            if flight.end_at is not None:
                yield Item(flight.end_at, agenda.ENDS, place, "end", flight)
            if flight.deadline is not None:
                yield Item(flight.deadline, agenda.TIME_LIMITS, place, "limit", flight)

    def answer(self, kind: str, flight: Flight) -> None:
        """Send the answer that an item of `due` stands for."""
        del self._flights[flight.open.key]
        answer: dict[str, Any] = STOPPED
        if kind == "end":
            answer = _as_json(flight.call.reply)
        elif kind == "limit":
            answer = {"error": "The attempt took longer than its time limit.", "code": "operation_timeout"}
        self._server.answer(flight.open, answer)


def _identity(run: SimulatedRun, call: OpenCall) -> Identity:
    body = call.body
    turn = body.get("turn") or 0
    path = run.label + body["path"]
    return (f"{path}#{turn}" if turn else path, body["visit"], body["attempt"])


def _as_json(reply: Reply) -> dict[str, Any]:
    """A reply as the stand-in server sends it."""
    return reply.model_dump(mode="json", exclude_unset=True, exclude={"after_ms", "hang", "x_keys"})
