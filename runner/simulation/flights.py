"""Steps that run in the simulator: when their reply comes, when their time is over, what they then report."""

from __future__ import annotations

from dataclasses import dataclass

from runner.engine.commands import ExecuteStep
from runner.engine.happenings import Happening, StepFailed, StepFinished
from runner.simulation.runs import SimulatedRun
from runner.simulation.standins import Call, Identity, end_of, identity_of, queue_of
from runner.simulation.world import World


@dataclass(slots=True)
class Flight:
    """A step that runs. `end_at`: when its reply comes (None: never), `deadline`: its time limit, both in ms."""

    run: SimulatedRun
    command: ExecuteStep
    identity: Identity
    end_at: int | None
    deadline: int | None = None
    call: Call | None = None
    canceled: bool = False

    def cancel(self, now: int) -> None:
        """Its abort signal: it answers at once."""
        self.canceled, self.end_at, self.deadline = True, now, None

    def report(self, now: int) -> Happening:
        """What it reports at its end."""
        step_id, fence = self.command.step_id, self.command.fence
        if self.canceled:
            return StepFailed(now, step_id, fence, "canceled", "The call was stopped.")
        if self.call is None:
            return StepFinished(now, step_id, fence)
        schema = self.command.input.get("output_schema")
        return end_of(self.call, self.command.type, step_id, fence, now, schema)

    def out_of_time(self, now: int) -> Happening:
        """What is reported of it when its time limit is over."""
        command = self.command
        message = f"The attempt took longer than its time limit of {command.limit_ms} ms."
        details = {"limit_ms": command.limit_ms}
        return StepFailed(now, command.step_id, command.fence, "operation_timeout", message, details)


def take_off(run: SimulatedRun, command: ExecuteStep, world: World) -> Flight:
    """Begin a call. One that a crash swallowed counts from its first beginning: a crash takes no time."""
    identity = identity_of(command, run.label)
    began = world.began.setdefault(identity, world.clock)
    if command.pure:
        return Flight(run, command, identity, began)
    queue, given = queue_of(command.node, command.type, command.input)
    call = world.standins.begin(queue, identity, given, began, whole=command.input)
    end_at = None if call.reply.hang else began + call.reply.after_ms
    deadline = None if command.limit_ms is None else began + command.limit_ms
    return Flight(run, command, identity, end_at, deadline, call)
