"""Replay: the rows of a run as they were after one of its events, by letting its history happen again.

Facts about attempts are taken from the events and the step runs' own rows; where paths go, what scopes open and join
is worked out again by the engine, and must come out as the events say. Nothing is executed, nobody is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from runner.engine import budget, claiming, finishing, fold, forking, members, people
from runner.engine.errors import RunError
from runner.engine.events import Event
from runner.engine.happenings import (
    Happening,
    MoveAsked,
    PauseAsked,
    ResumeAsked,
    RetryAsked,
    RunStarted,
)
from runner.engine.machine import advance, settle_down
from runner.engine.program import Program
from runner.engine.retry import step_run_id
from runner.engine.rows import (
    ApprovalRow,
    ArtifactRow,
    Checkpoint,
    RunRow,
    SignalRow,
    StepRow,
    Stored,
    Usage,
    ValueRow,
)
from runner.engine.statuses import RUN_ENDED, STEP_LIVE, ApprovalStatus, ScopeStatus, StepStatus
from runner.engine.turn import FinishRun, Leave, StepFails, Turn

Attempt = tuple[str | None, int | None, int | None]
"""Path, visit and number of an attempt."""


class ReplayError(ValueError):
    """The history did not come out as it was recorded; the message says at which event.

    `too_early` and `too_late`: an attempt that came out as canceled before its time, or after it.
    """

    def __init__(self, message: str, too_early: Attempt | None = None, too_late: Attempt | None = None) -> None:
        super().__init__(message)
        self.too_early, self.too_late = too_early, too_late


def replayed(events: Sequence[Event], source: Source, seq: int, kind: type[Replay] | None = None) -> Replay:
    """The run as it was after this event, and what happened together with it. `kind`: a replay that keeps less.

    That a lost attempt was taken up again is no event, nor that one was handed back. Where its being canceled with its
    siblings comes out too early or too late, just that had happened: the history happens once more with that known.
    Raises ReplayError where it does not come out as recorded even so.
    """
    taken_up: set[Attempt] = set()
    handed_back: set[Attempt] = set()
    while True:
        replay = (kind or Replay)(events, source, taken_up, handed_back)
        try:
            replay.until(seq)
        except ReplayError as fault:
            if fault.too_early is not None and fault.too_early not in taken_up:
                taken_up.add(fault.too_early)
            elif fault.too_late is not None and fault.too_late not in taken_up | handed_back:
                handed_back.add(fault.too_late)
            else:
                raise
        else:
            return replay


class Source(Protocol):
    """What replay reads beside the events: rows of the run as they are now."""

    @property
    def run(self) -> RunRow: ...
    def step(self, path: str, visit: int, attempt: int) -> StepRow | None: ...
    def signals(self) -> Sequence[SignalRow]: ...
    def artifacts(self) -> Sequence[ArtifactRow]: ...
    def program(self, content_hash: str | None) -> Program: ...
    def load(self, stored: Stored) -> Any: ...


#: Of the run's row as it is now, what it was from its beginning on.
_FROM_THE_BEGINNING = ("id", "salt", "parent_run", "parent_step", "depth", "preset", "inputs", "started_at", "snapshot")

#: Notes of a row that say what the step run is, or was told when it was made.
_IDENTITY_NOTES = ("call", "arguments")


class Replay:
    """A run on its way through its own history."""

    def __init__(
        self,
        events: Sequence[Event],
        source: Source,
        taken_up: Collection[Attempt] = (),
        handed_back: Collection[Attempt] = (),
    ) -> None:
        self.events = events
        self.source = source
        self.taken_up, self.handed_back = taken_up, handed_back
        self.lost_before: set[Attempt] = set()
        row = source.run
        run = RunRow(**{name: getattr(row, name) for name in _FROM_THE_BEGINNING})
        run.policy = dict(events[0].data["policy"])
        self.folded = fold.empty(run)
        self.slice = self.folded.slice
        self.program = source.program(events[0].data.get("content_hash"))
        self.signals_come = 0
        self._resolve = fold.from_rows(row, source.step, source.load)

    @property
    def seq(self) -> int:
        """The number of the last event that has happened again."""
        return self.slice.run.seq

    def until(self, seq: int) -> None:
        """Go on until at least this event has happened again: to the end of what happened together with it.

        Raises ReplayError where it comes out otherwise than recorded.
        """
        while self.seq < seq:
            before = self.seq
            try:
                self._happen(self.events[before])
            except (RunError, AssertionError, KeyError) as fault:
                raise ReplayError(f"event {before + 1} cannot happen again: {fault}") from fault
            self._compare(before)

    def _compare(self, before: int) -> None:
        if self.seq == before:
            raise ReplayError(f"event {before + 1} ({self.events[before].type}) led to nothing")
        for event in self.slice.events[before:]:
            told = self.events[event.seq - 1] if event.seq <= len(self.events) else None
            if told is None or _face(told) != _face(event):
                was = " ".join(map(str, _face(told))) if told else "nothing"
                attempt = _face(event)[1:]
                too_early = attempt if event.type == "step-canceled" and attempt in self.lost_before else None
                came = " ".join(map(str, _face(event)))
                raise ReplayError(f"event {event.seq} was {was}, and came out as {came}", too_early, self._runs(told))

    def _runs(self, told: Event | None) -> Attempt | None:
        """The attempt of which a recorded event says that it was canceled, if here it still runs."""
        if told is None or told.type != "step-canceled" or told.path is None or not told.visit or not told.attempt:
            return None
        step = self.slice.step(step_run_id(self.slice.run.id, told.path, told.visit, told.attempt))
        runs = step is not None and step.status is StepStatus.RUNNING and not step.is_container
        return _face(told)[1:] if runs else None

    # Events that lead to others

    def _happen(self, event: Event) -> None:
        make = _WHOLE.get(event.type)
        if make is not None and not (event.type in _BY_PERSON and event.data["reason"] != "person"):
            if event.type == "run-moved":
                self.program = self.source.program(event.data.get("to", {}).get("content_hash"))
                self._hand_back_all()
            advance(self.program, self.slice, make(self, event))
            return
        turn = Turn(self.program, self.slice, event.ts, event.actor)
        if event.type == "run-forked":
            rows = fold.snapshot_of(event, self._resolve)
            self.signals_come = len(rows.signals)
            turn.emit(event.type)
            forking.install(turn, rows)
        elif event.type == "signal-received":
            self.signals_come += 1
            turn.emit(event.type)
        elif event.type.startswith("flow-"):
            self._end(turn, event)
        else:
            assert event.path is not None and event.visit is not None and event.attempt is not None
            if event.type == "step-scheduled":
                self._calls(turn, event)
            else:
                step = turn.slice.step(step_run_id(turn.run.id, event.path, event.visit, event.attempt))
                if step is None:
                    raise ReplayError(f"event {event.seq} tells of {event.path}, which had not been scheduled")
                _FACTS[event.type](self, turn, event, step)
        settle_down(turn)

    def _hand_back_all(self) -> None:
        """A run is moved only while no step runs: what runs here had been handed back, which is no event."""
        for step in self.slice.live_steps():
            if step.status is StepStatus.RUNNING and not step.is_container:
                self.slice.change_step(step, status=StepStatus.PENDING)

    def started(self, event: Event) -> Happening:
        """The beginning of a run that is no fork."""
        state = self.source.load(self.source.run.inputs)
        about = {key: value for key, value in event.data.items() if key not in ("preset", "policy", "state")}
        return RunStarted(event.ts, state=state, about=about, actor=event.actor)

    def retried(self, event: Event) -> Happening:
        """A person's retry; what it gave to the step is in the row of the next attempt."""
        assert event.path is not None and event.visit is not None and event.attempt is not None
        step_id = step_run_id(self.slice.run.id, event.path, event.visit, event.attempt)
        following = self.source.step(event.path, event.visit, event.attempt + 1)
        given = (following.notes or {}).get("arguments") if following is not None else None
        return RetryAsked(event.ts, step_id, given, actor=event.actor)

    def _end(self, turn: Turn, event: Event) -> None:
        status = fold.ENDINGS[event.type]
        turn.actor = event.actor
        turn.queue(FinishRun(status, error=event.data.get("error")))

    def _calls(self, turn: Turn, event: Event) -> None:
        """An agent's model asked for calls: they are scheduled one after the other, then the agent waits."""
        calls: list[dict[str, Any]] = []
        usage: Any = None
        for told in self.events[event.seq - 1 :]:
            if told.type != "step-scheduled":
                usage = told.data.get("usage")
                break
            row = self.source.step(told.path or "", told.visit or 0, told.attempt or 0)
            assert row is not None
            calls.append((row.notes or {})["call"])
        path = (event.path or "").rpartition("[")[0]
        owner = next(step for step in turn.slice.live_steps() if step.path == path and step.visit == event.visit)
        exceeded = self._charge(turn, owner, usage)
        members.calls_asked(turn, owner, calls)
        finishing.stop_over_budget(turn, owner, exceeded)

    # Facts about one attempt

    def begin(self, turn: Turn, event: Event, step: StepRow) -> None:
        """An attempt started: with the input that its row froze; a container opens again what it opened."""
        row = self.source.step(step.path, step.visit, step.attempt)
        assert row is not None
        notes = (step.notes or {}) | {key: value for key, value in (row.notes or {}).items() if key in _IDENTITY_NOTES}
        turn.slice.change_step(
            step, status=StepStatus.RUNNING, started_at=event.ts, announced=True, notes=notes or None
        )
        if not step.is_container:
            turn.slice.change_step(step, input=row.input)
        turn.emit(event.type, step)
        if (step.path, step.visit, step.attempt) in self.handed_back:
            turn.slice.change_step(step, status=StepStatus.PENDING)
        if step.type == "agent" and step.inner is None:
            members.open_group(turn, step)
        if step.is_container:
            try:
                claiming.begin_container(turn, step, turn.program.node(step.node))
            except claiming.PROBLEMS:
                return  # its failure is the next event

    def wait(self, turn: Turn, event: Event, step: StepRow) -> None:
        """An attempt waits for a time, a signal, or a run."""
        waits_for = event.data["waits_for"]
        key = str(event.data.get("run") or event.data.get("key") or "")
        turn.slice.change_step(step, status=StepStatus.WAITING, waits_for=waits_for, wait_key=key)
        turn.emit(event.type, step)

    def ask(self, turn: Turn, event: Event, step: StepRow) -> None:
        """An attempt waits for a person."""
        turn.slice.change_step(step, status=StepStatus.WAITING, waits_for="person")
        data = event.data
        turn.slice.add_approval(
            ApprovalRow(data["approval"], data["kind"], step.id, step.node, step.path, step.visit, tool=data["tool"])
        )
        turn.emit(event.type, step)

    def decided(self, turn: Turn, event: Event, step: StepRow) -> None:
        """A person decided: a call may go on; what else follows is told by the next event."""
        approval = turn.slice.approval(event.data["approval"])
        assert approval is not None
        if event.data.get("outstanding"):  # others have to approve, too: it stays open
            turn.emit(event.type, step)
            return
        verdict = event.data["verdict"]
        status = ApprovalStatus.REJECTED if verdict == "rejected" else ApprovalStatus.APPROVED
        turn.slice.change_approval(approval, status=status)
        turn.emit(event.type, step)
        if verdict == "try_again" or (verdict == "approved" and approval.kind == "tool"):
            given = approval.id if verdict == "approved" else step.approval_id
            turn.slice.change_step(step, status=StepStatus.PENDING, waits_for="", approval_id=given)

    def expired(self, turn: Turn, event: Event, step: StepRow) -> None:
        """Nobody decided in time; the step's failure is the next event."""
        for approval in turn.slice.open_approvals([step.id]):
            turn.slice.change_approval(approval, status=ApprovalStatus.EXPIRED)
        turn.emit(event.type, step)

    def lost(self, turn: Turn, event: Event, step: StepRow) -> None:
        """A worker was lost: the attempt is to be taken up again, unless the next event says otherwise."""
        turn.emit(event.type, step)
        attempt = (step.path, step.visit, step.attempt)
        self.lost_before.add(attempt)
        turn.slice.change_step(step, lost=step.lost + 1)
        if attempt not in self.taken_up:
            turn.slice.change_step(step, status=StepStatus.PENDING)

    def fired(self, turn: Turn, event: Event, step: StepRow) -> None:
        """A time has come; over its limit, a container stops what is inside."""
        turn.emit(event.type, step)
        if event.data["kind"] != "limit":
            return
        assert step.inner is not None
        turn.settle(step.inner, {"as": "fail", "error": people.over_limit_error(turn, step)})

    def made(self, turn: Turn, event: Event, step: StepRow) -> None:
        """An artifact was stored."""
        fold.artifact(self.folded, event, self._resolve)
        turn.emit(event.type, step)

    def complete(self, turn: Turn, event: Event, step: StepRow) -> None:
        """An attempt succeeded: its writes count, its edges are followed."""
        if step.status is StepStatus.PENDING:
            turn.slice.change_step(step, status=StepStatus.RUNNING)
        exceeded = self._charge(turn, step, event.data.get("usage"))
        fold.complete(self.folded, event, self._resolve)
        row = self.source.step(step.path, step.visit, step.attempt)
        assert row is not None
        # The value itself: edges may look at it, also where its row only refers to it.
        output = Stored.of(self.source.load(row.output)) if row.output is not None else Stored.of(None)
        turn.slice.change_step(step, status=StepStatus.SUCCEEDED, output=output, delta=row.delta, ended_at=event.ts)
        turn.emit(event.type, step)
        self._end_waits(turn, step)
        finishing.stop_over_budget(turn, step, exceeded)
        turn.queue(Leave(step.id, "success", output))

    def fail(self, turn: Turn, event: Event, step: StepRow) -> None:
        """An attempt failed, and was tried again or not."""
        exceeded = self._charge(turn, step, event.data.get("usage"))
        final = event.type == "step-error"
        finishing.fail(turn, StepFails(step.id, event.data["error"], final=final))
        if not step.is_container:
            finishing.stop_over_budget(turn, step, exceeded)

    def cancel(self, turn: Turn, event: Event, step: StepRow) -> None:
        """An attempt was canceled: by itself, or with all that lived when the run ended."""
        following = (told for told in self.events[event.seq - 1 :] if told.type != "step-canceled")
        ending = next(following, None)
        if ending is not None and ending.type.startswith("flow-") and not self._is_settling(turn, step, ending):
            self._end(turn, ending)
            return
        self._charge(turn, step, event.data.get("usage"))
        finishing.cancel_now(turn, step, restorable=True)

    @staticmethod
    def _is_settling(turn: Turn, step: StepRow, ending: Event) -> bool:
        """Whether the end of the run follows from that of a fan-out that was being stopped."""
        region = turn.slice.scope(step.region)
        return region.status is ScopeStatus.SETTLING and "path" in (ending.data.get("error") or {})

    @staticmethod
    def _end_waits(turn: Turn, step: StepRow) -> None:
        for timer in turn.slice.armed_timers([step.id]):
            turn.slice.set_timer(timer, status="void")
        for approval in turn.slice.open_approvals([step.id]):
            turn.slice.change_approval(approval, status=ApprovalStatus.CANCELED)

    @staticmethod
    def _charge(turn: Turn, step: StepRow, told: Mapping[str, Any] | None) -> list[str]:
        """Count what an attempt has used since it was last told; names whose budget that exceeded."""
        if not told:
            return []
        now = Usage.from_json(dict(told))
        used = now.minus(step.usage)
        turn.slice.change_step(step, usage=now)
        return budget.charge(turn, step, used)


class Sparing(Replay):
    """A replay for a look at where everything stands: what ended attempts had and gave is not kept in memory."""

    def _compare(self, before: int) -> None:
        super()._compare(before)
        for event in self.slice.events[before:]:
            if event.type == "step-complete" and event.path and event.visit and event.attempt:
                step = self.slice.step(step_run_id(self.slice.run.id, event.path, event.visit, event.attempt))
                if step is not None:
                    step.input = step.output = step.delta = None
            event.data, event.text = {}, ""


_BY_PERSON = ("run-paused", "run-resumed")

_WHOLE: dict[str, Callable[[Replay, Event], Happening]] = {
    "flow-start": Replay.started,
    "run-paused": lambda _, event: PauseAsked(event.ts, actor=event.actor),
    "run-resumed": lambda _, event: ResumeAsked(event.ts, actor=event.actor),
    "run-moved": lambda _, event: MoveAsked(
        event.ts,
        policy=event.data["policy"],
        about={key: value for key, value in event.data.items() if key != "policy"},
        actor=event.actor,
    ),
    "step-retry-created": Replay.retried,
}

_FACTS: dict[str, Callable[[Replay, Turn, Event, StepRow], None]] = {
    "step-start": Replay.begin,
    "attempt-start": Replay.begin,
    "step-waiting": Replay.wait,
    "approval-requested": Replay.ask,
    "approval-decided": Replay.decided,
    "approval-expired": Replay.expired,
    "attempt-lost": Replay.lost,
    "timer-fired": Replay.fired,
    "artifact-created": Replay.made,
    "step-complete": Replay.complete,
    "step-retry": Replay.fail,
    "step-error": Replay.fail,
    "step-canceled": Replay.cancel,
}


def _face(event: Event) -> tuple[str, str | None, int | None, int | None]:
    """By what a repeated event is told to be the one that was recorded."""
    return event.type, event.path, event.visit, event.attempt


def checkpoint_at(events: Sequence[Event], source: Source, seq: int) -> Checkpoint:
    """What a run was made of after an event, and what happened together with it.

    Raises RunError `not_found` where there is no such event, `run_finished` where nothing was left to do; ReplayError
    where the history does not come out as recorded.
    """
    if not 1 <= seq <= len(events):
        raise RunError("not_found", f"The run has no event {seq}; its last is {len(events)}.")
    replay = replayed(events, source, seq)
    if replay.slice.run.status in RUN_ENDED:
        raise RunError("run_finished", f"At event {seq} the run had ended. Choose an event before its end.")
    return _checkpoint(replay, source)


def _checkpoint(replay: Replay, source: Source) -> Checkpoint:
    rows = replay.slice.changes()
    last = replay.events[replay.seq - 1]
    artifacts = _artifacts_seen(rows.values, source)
    makers = {row.step_id for row in artifacts}
    steps = [row for row in rows.new_steps if row.status in STEP_LIVE or row.restorable or row.id in makers]
    open_containers = {row.id for row in steps if row.is_container and row.status is StepStatus.RUNNING}
    timers = [row for row in rows.timers if row.kind == "limit" and row.status == "armed"]
    return Checkpoint(
        run=replay.slice.run.id,
        seq=replay.seq,
        ts=last.ts,
        hash=last.hash,
        scopes=rows.new_scopes,
        steps=steps,
        values=[replace(row, stored=_loaded(row.stored, source)) for row in rows.values],
        arrivals=[row for row in rows.new_arrivals if row.status == "waiting"],
        timers=[row for row in timers if row.step_id in open_containers],
        signals=_kept_signals(replay, source),
        artifacts=[replace(row, content=_loaded(row.content, source)) for row in artifacts],
    )


def _loaded(stored: Stored, source: Source) -> Stored:
    return stored if stored.text is not None else Stored.of(source.load(stored))


def _artifacts_seen(values: Iterable[ValueRow], source: Source) -> list[ArtifactRow]:
    seen = {source.load(row.stored)["id"] for row in values if row.kind == "a"}
    return [row for row in source.artifacts() if row.id in seen]


def _kept_signals(replay: Replay, source: Source) -> list[SignalRow]:
    """Signals that had come by then and that no wait had taken."""
    kept = []
    for row in sorted(source.signals(), key=lambda one: one.n)[: replay.signals_come]:
        taker = replay.slice.step(row.taken_by) if row.taken_by else None
        if taker is None or taker.status in STEP_LIVE:
            kept.append(replace(row, value=_loaded(row.value, source), taken_by=None))
    return kept
