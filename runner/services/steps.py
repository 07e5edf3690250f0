"""A worker's part: claim a step, run it, commit its result, go on with what comes next, for a bounded time.

Completing one step and claiming the next is one transaction. Handlers run outside of any (attempts.py).
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field

from django.conf import settings
from django.db import Error, InterfaceError, OperationalError, connection

from editor.language.errors import LanguageError
from editor.log_context import bound
from runner import dispatch
from runner.engine.commands import ExecuteStep, HintStep
from runner.engine.errors import RunError
from runner.engine.happenings import (
    ClaimReleased,
    Happening,
    StepClaimed,
    StepFailed,
    StepFinished,
)
from runner.engine.machine import advance
from runner.engine.program import Program
from runner.engine.rows import StepRow, Stored, Usage
from runner.engine.statuses import RunStatus, StepStatus
from runner.handlers import Dispatcher
from runner.leases import Attempt, keep_log, worker_name
from runner.services import stops
from runner.services.after_commit import announce_on_commit
from runner.services.attempts import Report, end_segment, run_attempt
from runner.services.programs import dispatcher_of, program_of
from runner.services.siblings import Siblings
from runner.store.claims import StepPlace, look_at_claim, note_late_result, pending_steps, step_place
from runner.store.transactions import Memory, RunTransaction, run_transaction

log = logging.getLogger(__name__)

ACTIVE = frozenset({RunStatus.ACTIVE})
#: A paused run starts nothing, but what is running may report.
MAY_REPORT = frozenset({RunStatus.ACTIVE, RunStatus.AWAITING_APPROVAL, RunStatus.PAUSED})
#: Claims in one transaction, at most: containers open, waits begin, and the next step is looked for.
MOST_CLAIMS = 20
#: Pure steps beside one another that end in one transaction, at most: so long others wait for the run's lock.
MOST_TOGETHER = 20


def run_segment(step_id: str) -> int:
    """Take a step run that is pending, and go on with its run as far as one message may; gives the steps done.

    Does nothing where there is nothing to take: a hint may be late, doubled or lost.
    """
    place = step_place(step_id)
    if place is None or place.run_status is not RunStatus.ACTIVE or place.status not in _CLAIMABLE:
        return 0
    try:
        program = program_of(place.version)
        dispatcher = dispatcher_of(place.version)
    except (RunError, ValueError) as error:
        log.warning("Step run %s is left for another worker: %s", step_id, error)
        return 0
    segment = Segment(place, program, dispatcher)
    try:
        with bound(run_id=place.run_id, flow=place.flow_id, worker=worker_name()):
            return segment.run(step_id)
    finally:
        end_segment()


_CLAIMABLE = (StepStatus.PENDING, StepStatus.RUNNING)


@dataclass(slots=True)
class Segment:
    """One stretch of one run in one worker. Steps of its backend are taken, others are handed on."""

    place: StepPlace
    program: Program
    dispatcher: Dispatcher
    backend: str = field(init=False)
    memory: Memory = field(default_factory=Memory)
    siblings: Siblings = field(init=False)
    together: int = MOST_TOGETHER
    attempt: Attempt | None = None
    steps: int = 0
    started: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.backend = self.place.backend
        self.siblings = Siblings(self.backend)

    @property
    def run_id(self) -> str:
        """The run that is worked on."""
        return self.place.run_id

    def run(self, step_id: str) -> int:
        """Work from this step on until nothing is left, or the time of one message is over."""
        try:
            command = self._claim(step_id)
            while command is not None:
                with bound(step_id=command.step_id, path=command.path, attempt=command.attempt):
                    command = self._perform(command)
                while command is None and self.siblings and not self._is_over():
                    command = self._claim(self.siblings.pop())
        finally:
            self.siblings.hand_on()
        return self.steps

    def _is_over(self) -> bool:
        limits = settings.FLOWSITE
        spent_ms = (time.monotonic() - self.started) * 1000
        return self.steps >= limits["SEGMENT_STEPS"] or spent_ms >= limits["SEGMENT_MS"]

    # Claiming

    def _claim(self, step_id: str) -> ExecuteStep | None:
        """Take a step run in a transaction of its own."""
        dispatch.take_back(step_id)
        with run_transaction(self.run_id, ACTIVE, self.memory) as work:
            if work is None or work.version_id != self.place.version.version_id:
                return None  # a run that was moved meanwhile is another program's: its next hint brings that
            command = self._claim_in(work, step_id) or self._claim_successor(work)
            self._announce(work, command)
        return command

    def _claim_in(self, work: RunTransaction, step_id: str) -> ExecuteStep | None:
        """Take a step run within a transaction; None if there is nothing to run for it (any more)."""
        step = work.slice.step(step_id)
        if step is None or step.status not in _CLAIMABLE or self._is_stopped(work, step):
            return None
        claimed = StepClaimed(work.now, step_id=step_id, worker=worker_name(), lease_ms=settings.FLOWSITE["LEASE_MS"])
        commands = advance(self.program, work.slice, claimed).commands
        return next((one for one in commands if isinstance(one, ExecuteStep)), None)

    def _is_stopped(self, work: RunTransaction, step: StepRow) -> bool:
        """Whether the incident switch holds this step back. It stays pending, and the sweeper hands it on later."""
        is_flow_test = self.place.version.flow_test is not None
        return stops.holds(work, self.program, self.place.flow_id, step, stand_ins=is_flow_test)

    def _claim_successor(self, work: RunTransaction) -> ExecuteStep | None:
        """Take the first step that this transaction made ready, of the same backend."""
        tried: set[str] = set()
        while len(tried) < MOST_CLAIMS:
            ready = next((one for one in self._ready(work) if one.step_id not in tried), None)
            if ready is None:
                return None
            tried.add(ready.step_id)
            command = self._claim_in(work, ready.step_id)
            if command is not None:
                return command
        return None

    def _claim_sibling(self, work: RunTransaction) -> ExecuteStep | None:
        """Take a step that waits beside the one that has just ended, in the same transaction.

        Of pure ones, some end in it as well. They do not read one another: what one of them makes ready is never
        claimed before its end is committed.
        """
        for left in reversed(range(min(self.together, len(self.siblings)))):
            command = self._claim_in(work, self.siblings.pop())
            if command is not None:
                if not command.pure or not left:
                    return command
                self.steps += 1
                self._apply(work, command, _pure_report(command))
            if work.run.status is not RunStatus.ACTIVE or self._is_over():
                break
        return None

    def _ready(self, work: RunTransaction) -> list[HintStep]:
        """Hints of this transaction for steps that are pending, due, and this worker's to take."""
        ready = []
        for command in work.slice.commands:
            if isinstance(command, HintStep) and command.backend == self.backend:
                step = work.slice.step(command.step_id)
                if step is not None and step.status is StepStatus.PENDING and step.not_before <= work.now:
                    ready.append(command)
        return ready

    def _announce(self, work: RunTransaction, command: ExecuteStep | None) -> None:
        """After the commit: hints for what others may take, news for the watchers."""
        taken = {
            one.step_id
            for one in work.slice.commands
            if isinstance(one, HintStep) and not self._is_pending(work, one.step_id)
        }
        if command is not None:
            taken.add(command.step_id)
        ready = [step for one in self._ready(work) if (step := work.slice.step(one.step_id)) is not None]
        taken.update(self.siblings.add(step for step in ready if step.id not in taken))
        announce_on_commit(work, own=taken, held_backend=self.backend)

    @staticmethod
    def _is_pending(work: RunTransaction, step_id: str) -> bool:
        step = work.slice.step(step_id)
        return step is not None and step.status is StepStatus.PENDING

    # Running and reporting

    def _perform(self, command: ExecuteStep) -> ExecuteStep | None:
        """Run a claimed step, commit its result, and take the next."""
        self.steps += 1
        lease_ms = settings.FLOWSITE["LEASE_MS"]
        self.attempt = None
        if command.pure:
            until = time.monotonic() + lease_ms / 1000
            return self._complete(command, _pure_report(command), until)
        self.siblings.tell_others()
        try:
            report, self.attempt = run_attempt(command, self.run_id, self.dispatcher, lease_ms)
        except BaseException:
            self._release(command)
            raise
        return self._complete(command, report, time.monotonic() + self.attempt.lease_left())

    def _complete(self, command: ExecuteStep, report: Report, until: float) -> ExecuteStep | None:
        """Commit a result. Lock and statement time-outs are retried while the lease lives."""
        pause = 0.05
        while True:
            try:
                return self._complete_once(command, report)
            except _ResultRefused as refused:
                if refused.command is command:
                    report = _failed_with(command, refused.error, refused.result)
                else:
                    self.together = 1  # a step beside this one: it fails by itself, later
            except (OperationalError, InterfaceError) as error:
                self.memory.forget()
                connection.close()
                log.warning("The result of %s could not be committed: %s", command.path, error)
                if not _is_still_ours(command, until):
                    self._hint_what_is_pending()
                    return None
                if time.monotonic() + pause > until:
                    raise
                time.sleep(pause)
                pause = min(2 * pause, 2.0)

    def _complete_once(self, command: ExecuteStep, report: Report) -> ExecuteStep | None:
        beside = self.siblings.snapshot()
        try:
            return self._complete_in_transaction(command, report)
        except BaseException:
            self.siblings.restore(beside)
            raise

    def _complete_in_transaction(self, command: ExecuteStep, report: Report) -> ExecuteStep | None:
        with run_transaction(self.run_id, MAY_REPORT, self.memory) as work:
            step = work.slice.step(command.step_id) if work is not None else None
            is_late = step is None or step.status is not StepStatus.RUNNING or step.fence != command.fence
            if work is not None and not is_late:
                self._apply(work, command, report)
                if self.attempt is not None and self.attempt.has_news():
                    self.attempt.write_log()
                successor = None
                if work.run.status is RunStatus.ACTIVE and not self._is_over():
                    successor = self._claim_successor(work) or self._claim_sibling(work)
                self._announce(work, successor)
        if work is None or is_late:
            _note_late(command, report(0))
            if self.attempt is not None:
                keep_log(self.attempt)
            return None
        return successor

    def _apply(self, work: RunTransaction, command: ExecuteStep, report: Report) -> None:
        """Let the engine take the result; one that it cannot take fails the step."""
        happening = report(work.now)
        try:
            advance(self.program, work.slice, happening)
        except (RunError, LanguageError) as error:
            if isinstance(happening, StepFailed):
                raise
            raise _ResultRefused(command, error, happening) from error

    def _release(self, command: ExecuteStep) -> None:
        """Hand a claim back because this process stops. A call that must not be repeated lapses instead."""
        try:
            with run_transaction(self.run_id, MAY_REPORT, self.memory) as work:
                step = work.slice.step(command.step_id) if work is not None else None
                if work is None or step is None or step.fence != command.fence:
                    return
                if (step.notes or {}).get("effect") == "at_most_once":
                    return
                advance(self.program, work.slice, ClaimReleased(work.now, command.step_id, command.fence))
                announce_on_commit(work)
            dispatch.flush(1.0)
        except Error as error:
            log.warning("The claim of %s was not handed back, its lease will lapse: %s", command.path, error)

    def _hint_what_is_pending(self) -> None:
        """After a commit of unknown outcome: whatever it made ready is handed on."""
        for step_id, backend in pending_steps(self.run_id):
            dispatch.hint_step(step_id, backend)


class _ResultRefused(Exception):
    """The engine refused a result; the attempt fails with the error inside."""

    def __init__(self, command: ExecuteStep, error: RunError | LanguageError, result: Happening) -> None:
        super().__init__(error.message)
        self.command = command
        self.error = error
        self.result = result


def _pure_report(command: ExecuteStep) -> Report:
    """The report of a step whose result the claim worked out."""
    return lambda now: StepFinished(now, step_id=command.step_id, fence=command.fence)


def _failed_with(command: ExecuteStep, error: RunError | LanguageError, refused: Happening) -> Report:
    """The report of a step whose result was refused; what it used counts all the same."""
    usage = refused.usage if isinstance(refused, StepFinished) else Usage()
    return lambda now: StepFailed(
        now,
        step_id=command.step_id,
        fence=command.fence,
        code=error.code,
        message=error.message,
        details=error.details,
        usage=usage,
    )


def _is_still_ours(command: ExecuteStep, until: float) -> bool:
    """Whether a claim is held after a commit of unknown outcome: if so, nothing was committed."""
    while True:
        try:
            return look_at_claim(command.step_id, command.fence).is_held
        except Error:
            connection.close()
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def _note_late(command: ExecuteStep, late: Happening) -> None:
    """Keep what came too late beside its row, in short; a step that only answered its abort signal leaves nothing."""
    if command.pure:
        return
    if isinstance(late, StepFinished):
        output = Stored.of(late.output)
        small = output.size <= settings.FLOWSITE["INLINE_VALUE_BYTES"]
        shown = {"output": output.value} if small else {"digest": output.content_digest(), "size": output.size}
        note_late_result(command.step_id, command.fence, shown)
    elif isinstance(late, StepFailed) and late.code != "canceled":
        note_late_result(command.step_id, command.fence, {"error": {"code": late.code, "message": late.message}})
