"""Ends of steps that are given from outside, in a try of a part of a flow: those steps do no work. Pure data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class GivenEnd:
    """How a step ends: with an output and further state keys, or with an error `{code, message, details?}`.

    `path` and `visit`: the one step run that it is for; None: for every one of its node.
    """

    output: Any = None
    writes: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    path: str | None = None
    visit: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The parts that say something."""
        found: dict[str, Any] = {"output": self.output}
        for name in ("writes", "error", "path", "visit"):
            value = getattr(self, name)
            if value is not None:
                found[name] = value
        return found


@dataclass(frozen=True, slots=True)
class GivenEnds:
    """Which nodes have their ends given, and which of them may hold sensitive values all the same."""

    ends: Mapping[str, tuple[GivenEnd, ...]] = field(default_factory=dict)
    sealed: frozenset[str] = frozenset()

    def end(self, node: str, path: str, visit: int) -> GivenEnd | None:
        """The end of one step run; None: it does its own work.

        One that is for this step run goes first, then one for all of the node, then the last that went well.
        """
        ends = self.ends.get(node)
        if not ends:
            return None
        exact = next((one for one in ends if (one.path, one.visit) == (path, visit)), None)
        whole = next((one for one in ends if one.path is None), None)
        return exact or whole or next((one for one in reversed(ends) if one.error is None), ends[-1])


NOTHING_GIVEN = GivenEnds()
