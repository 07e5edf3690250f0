"""The fold of a history while it is followed: snapshots against what it led to, and what a fork began with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from runner.engine.events import Event
from runner.engine.fold import Folded, fold, from_rows, snapshot_of
from runner.engine.rows import Checkpoint, Stored, Usage
from runner.engine.slice import Slice
from runner.engine.statuses import STEP_LIVE
from runner.services.proof.tables import About, Proof, parsed, rows_of
from runner.store.history import run_of_history, step_of_history
from runner.store.reader import Reader

Follow = Callable[[Event], None]


class Folding:
    """Folds a history event by event; `followers` are told of each event first."""

    def __init__(self, proof: Proof, followers: Sequence[Follow]) -> None:
        self.proof = proof
        self.followers = followers
        run = run_of_history(proof.run.pk)
        self._load = Slice(run, Reader(run.id)).load
        self._resolve = from_rows(run, partial(step_of_history, run.id), self._load)
        self._due = self._snapshots()
        self._next = next(self._due, None)
        self.folded = Folded()
        self.taken_over: Checkpoint | None = None

    def all_of(self, events: Iterator[Event]) -> str:
        """Follow all events; gives why they cannot be folded, or nothing. Raises AlteredError."""
        why = ""
        try:
            fold(self._passing(events), self._resolve, self.folded)
        except (ValueError, TypeError, AssertionError, LookupError) as fault:
            why = str(fault) or type(fault).__name__
        if not why and self._next is not None:
            key = f"run {self.proof.run.pk}, snapshot {self._next[0]}"
            told = (f"snapshot {self._next[0]}", "the run has no event with its number", "runner_snapshot", key, "seq")
            raise self.proof.altered(*told, f"at most {self.proof.run.seq}", self._next[0])
        for event in events:  # where it could not be folded, the rest is still followed
            self._tell(event)
        return why

    def _tell(self, event: Event) -> None:
        for follow in self.followers:
            follow(event)

    def _passing(self, events: Iterator[Event]) -> Iterator[Event]:
        for event in events:
            self._tell(event)
            if event.type == "run-forked":
                self.taken_over = snapshot_of(event, self._resolve)
            yield event
            # Here again, the fold has taken it in.
            while self._next is not None and self._next[0] <= event.seq:
                self._look(*self._next)
                self._next = next(self._due, None)

    def _snapshots(self) -> Iterator[tuple[int, Any]]:
        for row in rows_of("runner_snapshot", ["seq", "refs"], self.proof.run.pk, ["seq"]):
            yield row["seq"], parsed(row["refs"])

    def _look(self, seq: int, refs: Any) -> None:
        key = f"run {self.proof.run.pk}, snapshot {seq}"
        about = About(f"snapshot {seq}", "runner_snapshot", key, "the history")
        self.proof.rows += 1
        try:
            self._compare(about, refs)
        except (TypeError, ValueError, LookupError):
            why = "it cannot be read"
            raise self.proof.altered(about.row, why, about.table, key, "refs", "as written", "another text") from None

    def _compare(self, about: About, refs: dict[str, Any]) -> None:
        same = self.proof.same
        same(about, "refs", self.folded.status, refs["status"])
        same(about, "refs", self.folded.usage.as_json(), refs["usage"])
        if "opened" in refs:
            same(about, "refs", self.folded.slice.run.scopes, refs["opened"])
        for path, visit, attempt, used in refs["steps"]:
            place = (path, visit, attempt)
            same(about, "refs", True, self.folded.attempts.get(place) in STEP_LIVE)
            same(about, "refs", self.folded.used.get(place, Usage()).as_json(), Usage(*used).as_json())
        if refs.get("values") is not None:
            self._compare_values(about, refs["values"])

    def _compare_values(self, about: About, values: list[Any]) -> None:
        told = {(scope, kind, key): (digest, ops, inherited) for scope, kind, key, digest, _, ops, inherited in values}
        of_scope: dict[Any, list[tuple[Any, Any, Any]]] = {}
        for place in sorted(told):
            of_scope.setdefault(place[0], []).append(place)
        for scope, listed in of_scope.items():
            held = {
                (row.scope, row.kind, row.key): row for row in self.folded.slice.scope_values(scope, ("v", "s", "a"))
            }
            self.proof.same(about, "refs", sorted(map(str, held)), sorted(map(str, listed)))
            for place, row in held.items():
                digest, _, inherited = told[place]
                found = self._load(Stored(ref=digest))
                expected = self.folded.slice.load(row.stored)
                self.proof.same(about, "refs", Stored.of(expected).content_digest(), Stored.of(found).content_digest(),
                                covered=True)  # fmt: skip
                self.proof.same(about, "refs", row.inherited, inherited)
