"""One attempt: the handler runs in a thread of its own, under a time limit that holds and an abort signal.

A handler that answers neither is given up: its thread is told to end, and whatever it still returns counts for
nothing. What becomes of the result is steps.py's.
"""

from __future__ import annotations

import ctypes
import logging
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import Any

from django.db import connections

from runner.engine.commands import ExecuteStep
from runner.engine.happenings import Happening, StepFailed, StepFinished
from runner.engine.rows import Usage
from runner.handlers import Dispatcher, StepContext, StepFailure, StepResult, run_step
from runner.leases import Attempt, keep_lease, keep_log
from runner.tools.abort import AbortToken

log = logging.getLogger(__name__)

#: So long a handler may take to answer its abort signal before it is given up.
GRACE_S = 5.0

#: Makes the happening that reports an attempt, at the time of the transaction that stores it.
Report = Callable[[int], Happening]


class GivenUp(BaseException):
    """Raised inside the thread of a handler that was given up, to end a loop that would never end."""


@dataclass(slots=True)
class Job:
    """A handler at work in another thread: its result or failure, and a bell that rings when it has ended."""

    command: ExecuteStep
    context: StepContext
    bell: threading.Event
    result: StepResult | None = None
    failure: BaseException | None = None
    done: bool = False

    def run(self) -> None:
        """Run the handler; whatever it raises is kept."""
        try:
            self.result = run_step(self.command, self.context)
        except BaseException as failure:
            self.failure = failure
        self.done = True
        self.bell.set()


class WorkThread:
    """A thread that runs handlers one after another, with database connections of its own."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="flowsite-work", daemon=True)
        self._thread.start()

    def submit(self, work: Callable[[], None]) -> None:
        """Run this after what was submitted before."""
        self._jobs.put(work)

    def give_up(self) -> None:
        """Raise GivenUp in the thread as soon as it runs Python code, and let it end."""
        self.submit(_leave)
        if self._thread.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread.ident), ctypes.py_object(GivenUp))

    def _run(self) -> None:
        try:
            while True:
                self._jobs.get()()
        except (GivenUp, _Leave):
            pass
        finally:
            connections.close_all()


class _Leave(BaseException):
    pass


def _leave() -> None:
    raise _Leave


_threads = threading.local()


def _work_thread() -> WorkThread:
    thread: WorkThread | None = getattr(_threads, "work", None)
    if thread is None:
        thread = _threads.work = WorkThread()
    return thread


def end_segment() -> None:
    """Close the database connections of the handlers' thread; the next segment opens its own."""
    thread: WorkThread | None = getattr(_threads, "work", None)
    if thread is not None:
        thread.submit(connections.close_all)


def run_attempt(command: ExecuteStep, run_id: str, dispatcher: Dispatcher, lease_ms: int) -> tuple[Report, Attempt]:
    """Run a claimed step and say what to report, and the claim it was made under.

    SystemExit and KeyboardInterrupt pass, once the handler has had a moment to answer its abort signal.
    """
    bell = threading.Event()
    token = AbortToken()
    token.on_abort(bell.set)
    limit_ms = None if dispatcher.keeps_time else command.limit_ms
    limit = None if limit_ms is None else time.monotonic() + limit_ms / 1000
    context = StepContext(run_id, dispatcher, token, limit)
    job = Job(command, context, bell)
    attempt = Attempt(command.step_id, command.fence, token, lease_ms, run_id, context.record)
    with keep_lease(attempt):
        _work_thread().submit(partial(copy_context().run, job.run))  # its log lines name this step, too
        try:
            _wait(job, token, limit)
        except BaseException:
            token.abort("shutdown")
            _wait_for_answer(job, min(GRACE_S, 1.0))
            keep_log(attempt)
            raise
    return _report(job, token), attempt


def _wait(job: Job, token: AbortToken, limit: float | None) -> None:
    """Wait for the end, the limit or the abort signal; then for the answer to the signal."""
    while not job.done and not token.aborted:
        left = None if limit is None else limit - time.monotonic()
        if left is not None and left <= 0:
            token.abort("timeout")
            break
        job.bell.wait(left)
        job.bell.clear()
    _wait_for_answer(job, GRACE_S)


def _wait_for_answer(job: Job, seconds: float) -> None:
    until = time.monotonic() + seconds
    while not job.done:
        left = until - time.monotonic()
        if left <= 0:
            log.warning("The step %s does not stop; it is given up.", job.command.path)
            _work_thread().give_up()
            _threads.work = None
            return
        job.bell.wait(left)
        job.bell.clear()


def _report(job: Job, token: AbortToken) -> Report:
    step_id, fence = job.command.step_id, job.command.fence
    limit_ms = job.command.limit_ms
    if token.reason == "timeout":
        failure = job.failure
        usage = failure.usage if isinstance(failure, StepFailure) else None
        notes = failure.notes if isinstance(failure, StepFailure) else None
        if job.result is not None:
            usage, notes = job.result.usage, job.result.notes
        message = f"The attempt took longer than its time limit of {limit_ms} ms."
        return _failed(step_id, fence, "operation_timeout", message, {"limit_ms": limit_ms}, usage, notes)
    if job.result is not None:
        result = job.result
        return lambda now: StepFinished(
            now,
            step_id=step_id,
            fence=fence,
            output=result.output,
            delta=result.delta,
            usage=result.usage,
            notes=result.notes,
            calls=result.calls,
        )
    if isinstance(job.failure, StepFailure):
        error = job.failure
        return _failed(step_id, fence, error.code, error.message, error.details, error.usage, error.notes)
    if job.failure is not None:
        log.error("The step %s failed in the runner itself", job.command.path, exc_info=job.failure)
        name = type(job.failure).__name__
        return _failed(step_id, fence, "tool_failed", f"The step failed with {name}; the worker's log says why.")
    return _failed(step_id, fence, "canceled", "The step was told to stop and did not answer.")


def _failed(
    step_id: str,
    fence: int,
    code: str,
    message: str,
    details: dict[str, Any] | None = None,
    usage: Usage | None = None,
    notes: dict[str, Any] | None = None,
) -> Report:
    return lambda now: StepFailed(
        now,
        step_id=step_id,
        fence=fence,
        code=code,
        message=message,
        details=details,
        usage=usage or Usage(),
        notes=notes,
    )
