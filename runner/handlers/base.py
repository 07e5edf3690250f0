"""What running a step takes and gives, and who is asked for the effect. No node type lives here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from runner.engine.commands import ExecuteStep
from runner.engine.errors import RunError
from runner.engine.rows import Usage
from runner.tools.abort import AbortToken
from runner.tools.context import Record, ToolContext
from runner.tools.llm import Completion, CompletionRequest


@dataclass(frozen=True, slots=True)
class StepResult:
    """What an attempt gave: for `StepFinished`.

    `delta` is a registered handler's own state change, `calls` what an agent's model wants called before it
    answers, each `{tool, arguments}`.
    """

    output: Any = None
    delta: dict[str, Any] | None = None
    usage: Usage = field(default_factory=Usage)
    notes: dict[str, Any] | None = None
    calls: tuple[dict[str, Any], ...] = ()


class StepFailure(RunError):
    """An attempt that failed, with what it used and noted all the same: for `StepFailed`."""

    def __init__(self, error: RunError, usage: Usage, notes: dict[str, Any] | None) -> None:
        super().__init__(error.code, error.message, step=error.step, path=error.path, details=error.details)
        self.usage = usage
        self.notes = notes


class Dispatcher(Protocol):
    """Who performs the effects of a run: this installation, or the stand-ins of a flow test.

    Every method runs in the calling thread, obeys `ctx.abort` and raises RunError. `keeps_time`: it ends calls
    that are over their time limit itself, by a clock of its own.
    """

    keeps_time: bool

    def call_tool(self, name: str, arguments: dict[str, Any], ctx: ToolContext) -> Any:
        """Call a tool; gives its result as plain JSON."""
        ...

    def ask_model(self, request: CompletionRequest, model: str | None, ctx: ToolContext) -> Completion:
        """Ask a model (None: the default one)."""
        ...

    def run_handler(
        self, name: str, state: dict[str, Any], options: dict[str, Any], ctx: ToolContext
    ) -> dict[str, Any]:
        """Run a registered handler; gives `{state: delta, output?}` as plain JSON."""
        ...


@dataclass(frozen=True, slots=True)
class StepContext:
    """What the runner gives one attempt beside its command.

    `abort` stops it, `deadline` is a moment of `time.monotonic()` in seconds (None: no limit),
    `dispatcher` performs its effects, `record` is what it leaves beside its result: it can be read while the
    attempt runs, and after an attempt that never ends.
    """

    run_id: str
    dispatcher: Dispatcher
    abort: AbortToken = field(default_factory=AbortToken)
    deadline: float | None = None
    record: Record = field(default_factory=Record)

    def for_call(self, command: ExecuteStep) -> ToolContext:
        """The context of the call that this command asks for."""
        return ToolContext(
            abort=self.abort,
            deadline=self.deadline,
            effect_key=command.effect_key,
            run_id=self.run_id,
            step_id=command.step_id,
            node=command.node,
            path=command.path,
            visit=command.visit,
            attempt=command.attempt,
            fence=command.fence,
            record=self.record,
        )
