"""The world around a simulated process: what outlives its crash, and the boundaries at which it can die."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from runner.simulation.memory import MemoryStore
from runner.simulation.people import ActionBook, DecisionBook
from runner.simulation.prober import Prober
from runner.simulation.standins import Identity, StandIns
from runner.simulation.transitions import Transitions

#: Boundaries around each commit.
BEFORE_COMMIT, BEFORE_COMMANDS, AFTER_COMMANDS = (
    "before the commit",
    "before the commands",
    "after the commands",
)


class Crash(Exception):
    """The process dies here."""


#: Told of each boundary: number of the commit, which boundary, the rows of all runs. It may raise Crash.
Boundary = Callable[[int, str, Sequence[MemoryStore]], None]


def _go_on(commit: int, boundary: str, stores: Sequence[MemoryStore]) -> None:
    """No crash."""


@dataclass
class World:
    """What outlives a crash: the clock, the stand-ins, the people, and when each call first began.

    `transitions` notes which pairs of status and happening were exercised; `prober` tries more of them.
    `moves`: how often a paused run is still to be moved to another version, one like its own. `most_commits`: a run
    that makes more transitions is given up; None: at a bound that only a run in circles comes to.
    """

    standins: StandIns
    decisions: DecisionBook = field(default_factory=lambda: DecisionBook(()))
    actions: ActionBook = field(default_factory=lambda: ActionBook(()))
    clock: int = 0
    last_change: int = 0
    commits: int = 0
    began: dict[Identity, int] = field(default_factory=dict)
    refusals: list[str] = field(default_factory=list)
    chance: Random | None = None
    moves: int = 0
    boundary: Boundary = _go_on
    transitions: Transitions = field(default_factory=Transitions)
    prober: Prober | None = None
    most_commits: int | None = None
