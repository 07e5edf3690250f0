"""A turn: one call of `advance` at work. It queues moves, so that a chain of consequences needs no recursion.

Each module of the engine handles some moves and may queue others; the machine takes them off the queue.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from typing import Any

from runner.engine.commands import Command
from runner.engine.events import ENGINE, Actor, Event
from runner.engine.program import Program
from runner.engine.rows import StepRow, Stored
from runner.engine.slice import Slice


@dataclass(frozen=True, slots=True)
class Enter:
    """A path in `scope` comes to a node, from `source` (None: it starts here)."""

    node: str
    scope: int
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Leave:
    """A step has ended with an outcome: follow its edges."""

    step_id: str
    outcome: str
    output: Stored | None = None
    error: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class PathEnded:
    """A path in `scope` ended at `node`; `arrived`: it reached the synthesis of its fan-out."""

    scope: int
    node: str
    output: Stored | None = None
    arrived: bool = False


@dataclass(frozen=True, slots=True)
class ScopeFailed:
    """A step in `scope` failed and no edge took its error."""

    scope: int
    error: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ContainerDone:
    """All paths of a container's region have ended well."""

    step_id: str
    output: Any


@dataclass(frozen=True, slots=True)
class StepFails:
    """A step run that is live fails with an error: retry it, or end it (`final`: another attempt would not help)."""

    step_id: str
    error: dict[str, Any]
    final: bool = False


@dataclass(frozen=True, slots=True)
class StepSucceeds:
    """A step run that is live has a result, which is still to be applied to the state."""

    step_id: str
    output: Any = None
    delta: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class FinishRun:
    """The run ends: succeeded with a result, failed with an error, or canceled."""

    status: str
    result: Stored | None = None
    error: dict[str, Any] | None = None
    scope: int | None = None
    node: str | None = None
    """Whose output the result is."""


@dataclass(frozen=True, slots=True)
class Settle:
    """A region ends before its paths have: stop them. `ending`: `{as: fail | cancel | stop, error?}`."""

    region: int
    ending: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reopen:
    """An iteration that had failed runs again, now that the loop's concurrency has room for it."""

    scope: int


Move = Reopen | Settle | Enter | Leave | PathEnded | ScopeFailed | ContainerDone | StepFails | StepSucceeds | FinishRun


_ITEM = re.compile(r"\[(\d+)\]")


class Turn:
    """The program, the slice, the time and the moves still to be made."""

    def __init__(self, program: Program, slice_: Slice, now: int, actor: Actor = ENGINE) -> None:
        self.program = program
        self.slice = slice_
        self.run = slice_.run
        self.now = now
        self.actor = actor
        self.moves: deque[Move] = deque()
        self.regions: dict[int, None] = {}
        self.ended_with: dict[int, Stored | None] = {}
        self.ended_at: dict[int, str] = {}
        self._first_event = len(slice_.events)
        self._first_command = len(slice_.commands)

    @property
    def at(self) -> int:
        """The time that rows tell: as of events, never before that of the event ahead, whatever the clock does.

        What is still to come is reckoned from `now`, by which the clock will judge it.
        """
        return max(self.now, self.run.last_ts)

    def place_of(self, step: StepRow) -> tuple[int, tuple[int, ...], int]:
        """Where a step run stands: in the order of declaration, then of the items around it, then of its visits."""
        return self.program.order[step.node], tuple(int(n) for n in _ITEM.findall(step.path)), step.visit

    def queue(self, move: Move) -> None:
        """Make this move after those already queued."""
        self.moves.append(move)

    def settle(self, region: int, ending: dict[str, Any]) -> None:
        """End a region early: see Settle."""
        self.queue(Settle(region, ending))

    def look_at(self, region: int) -> None:
        """Once no move is left: see whether joins of this region can start, or whether it is done or settled."""
        self.regions[region] = None

    def emit(self, kind: str, step: StepRow | None = None, /, *, by: Actor | None = None, **data: Any) -> Event:
        """Append an event; the engine is its actor unless somebody is named."""
        return self.slice.emit(kind, self.now, by or ENGINE, step, **data)

    def in_event(self, stored: Stored | None, step: StepRow | None = None) -> dict[str, Any] | None:
        """A value as an event names it; by a salted digest where the step touches sensitive fields."""
        return self.in_event_of(stored, None if step is None else step.node)

    def in_event_of(self, stored: Stored | None, node: str | None) -> dict[str, Any] | None:
        """The same, by the node that the value comes from."""
        return self.slice.in_event(stored, sealed=node is not None and self.program.node(node).sensitive)

    def command(self, command: Command) -> None:
        """Ask the shell for something, after the commit."""
        self.slice.commands.append(command)

    def made(self) -> tuple[tuple[Command, ...], tuple[Event, ...]]:
        """The commands and events of this turn."""
        return (
            tuple(self.slice.commands[self._first_command :]),
            tuple(self.slice.events[self._first_event :]),
        )
