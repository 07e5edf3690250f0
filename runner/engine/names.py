"""What templates and expressions see at a node: state through its overlays, loop items, and the reserved roots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from runner.engine.program import LOCAL_ROOTS, RESERVED_ROOTS, Program, Uses
from runner.engine.rows import ScopeRow, StepRow
from runner.engine.scopes import chain, read
from runner.engine.slice import Slice
from runner.engine.statuses import ScopeKind

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(ms: int) -> str:
    """A time in ms since the epoch as RFC 3339 text in UTC."""
    return (_EPOCH + timedelta(milliseconds=ms)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Names(Mapping[str, object]):
    """The names visible in one scope. Values are read when asked, after one reading ahead of what `uses` names."""

    def __init__(
        self,
        program: Program,
        slice_: Slice,
        scope: ScopeRow,
        uses: Uses,
        *,
        step: StepRow | None = None,
        now: int = 0,
        local: Mapping[str, object] | None = None,
    ) -> None:
        self._slice = slice_
        self._program = program
        self._step = step
        self._now = now
        self._local = dict(local or {})
        self._steps = uses.steps
        self._overlays = chain(slice_, scope)
        self._loops = self._loop_names(scope)
        wanted = [("v", key) for key in sorted(uses.keys) if key not in self._loops and key not in LOCAL_ROOTS]
        wanted += [("v", key) for key in sorted(uses.keys & LOCAL_ROOTS) if key not in self._local]
        wanted += [("s", node) for node in sorted(uses.steps or ())]
        slice_.want(self._overlays, wanted)

    def _loop_names(self, scope: ScopeRow) -> dict[str, tuple[ScopeRow, str]]:
        """Item and index variables of the iterations around, innermost first: name -> (iteration, which)."""
        found: dict[str, tuple[ScopeRow, str]] = {}
        here: ScopeRow | None = scope
        while here is not None:
            if here.kind is ScopeKind.ITERATION:
                assert here.node is not None
                config = self._program.node(here.node).config
                found.setdefault(config.item_variable, (here, "item"))
                found.setdefault(config.index_variable, (here, "index"))
            here = self._slice.scope(here.parent) if here.parent is not None else None
        return found

    def __getitem__(self, name: str) -> object:
        if name in self._local:
            return self._local[name]
        if name in RESERVED_ROOTS:
            return self._reserved(name)
        if name in self._loops:
            return self._loop_value(*self._loops[name])
        row = read(self._slice, self._overlays, "v", name)
        if row is None:
            raise KeyError(name)
        return self._slice.load(row.stored)

    def _loop_value(self, iteration: ScopeRow, which: str) -> object:
        if which == "index":
            return iteration.index
        assert iteration.parent is not None
        row = self._slice.value_row(iteration.parent, "i", str(iteration.index))
        return iteration.index if row is None else self._slice.load(row.stored)

    def _reserved(self, name: str) -> object:
        run = self._slice.run
        if name == "inputs":
            return self._slice.load(run.inputs)
        if name == "policy":
            return run.policy
        if name == "steps":
            return self._step_results()
        about: dict[str, Any] = {"id": run.id, "started_at": moment(run.started_at)}
        if self._step is not None:
            about |= {"visit": self._step.visit, "attempt": self._step.attempt, "now": moment(self._now)}
        return about

    def _step_results(self) -> dict[str, object]:
        wanted = self._program.order if self._steps is None else sorted(self._steps)
        self._slice.want(self._overlays, [("s", node) for node in wanted])
        found: dict[str, object] = {}
        for node in wanted:
            row = read(self._slice, self._overlays, "s", node)
            if row is not None:
                found[node] = self._slice.load(row.stored)
        return found

    def __iter__(self) -> Iterator[str]:
        yield from self._local
        yield from self._loops

    def __len__(self) -> int:
        return len(self._local) + len(self._loops)
