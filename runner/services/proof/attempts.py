"""Step runs against what the events say of them: identity, values, errors, use and times."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from runner.engine.events import Event
from runner.engine.fold import ATTEMPT_STATES
from runner.engine.retry import step_run_id
from runner.engine.rows import Usage, derived_id
from runner.engine.statuses import STEP_LIVE
from runner.services.proof.tables import About, Proof, Row, parsed, rows_by_id, rows_of
from runner.store.codec.stored import names

TABLE = "runner_steprun"
_COLUMNS = names(
    "id run_id node path visit attempt status created_at started_at ended_at"
    " input input_ref input_size input_digest output output_ref output_size delta delta_ref delta_size"
    " error input_tokens output_tokens cost_micros units notes"
)
_AT_ONCE = 100
_ENDS = {kind: status for kind, status in ATTEMPT_STATES.items() if status not in STEP_LIVE}
#: What happens to an attempt until it has ended; what follows from its end is told of it, too.
_OF_ITS_LIFE = frozenset({*ATTEMPT_STATES, "approval-decided"})


@dataclass(slots=True)
class Told:
    """What the events have said of one attempt so far."""

    node: str
    path: str
    visit: int
    attempt: int
    scheduled_at: int | None = None
    begun: Event | None = None
    changed: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None
    ended: Event | None = None
    shown: dict[str, Any] | None = None
    is_moved: bool = False

    @property
    def place(self) -> str:
        """The attempt as people name it."""
        return f"step run {self.path} visit {self.visit} attempt {self.attempt}"


class Attempts:
    """Follows the events and looks at the rows of attempts soon after they have ended; the rest at the end."""

    def __init__(self, proof: Proof, is_sensitive: Callable[[str], bool]) -> None:
        self.proof = proof
        self.is_sensitive = is_sensitive
        self.seen: set[bytes] = set()
        self._open: dict[tuple[str, int, int], Told] = {}
        self._ended: dict[str, Told] = {}
        self._calls: list[Told] = []

    def follow(self, event: Event) -> None:
        """Take in one event. Raises AlteredError at the first row that is not as told."""
        if event.type == "run-moved":
            for moved in self._open.values():  # what it was about to be called with is worked out anew
                moved.is_moved = True
        if event.type not in _OF_ITS_LIFE or event.path is None or event.visit is None or event.attempt is None:
            return
        place = (event.path, event.visit, event.attempt)
        told = self._open.get(place)
        if told is None:
            told = self._open[place] = Told(event.step or "", *place)
        self._take(told, event)
        self._follow_calls(told, event)
        if event.type in _ENDS:
            del self._open[place]
            self._ended[self._id(told)] = told
            if len(self._ended) >= _AT_ONCE:
                self._look()

    def _follow_calls(self, told: Told, event: Event) -> None:
        """An agent's model asked for calls: each stands in a row, all of them in the event that follows them."""
        if event.type == "step-scheduled":
            self._calls.append(told)
            return
        if event.type == "step-waiting" and event.data.get("calls") is not None:
            members = [one for one in self._calls if one.path.startswith(f"{told.path}[")]
            rows = rows_by_id(TABLE, ["id", "notes"], [self._id(one) for one in members])
            notes = [parsed(rows[self._id(one)]["notes"]) if self._id(one) in rows else None for one in members]
            calls = [one.get("call") if isinstance(one, dict) else None for one in notes]
            first = members[0] if members else told
            about = About(f"calls of {told.place}", TABLE, self._id(first), f"event {event.seq}")
            self.proof.same(about, "notes", *self.proof.named(event.data["calls"], calls), covered=True)
        self._calls = []

    def extra(self, taken_over: Collection[str]) -> None:
        """Raise AlteredError for a row that no event speaks of; `taken_over`: those with which a fork began."""
        for row in rows_of(TABLE, ["id", "path"], self.proof.run.pk, ["id"]):
            if row["id"] not in taken_over and _short(row["id"]) not in self.seen:
                why = "no event speaks of it"
                raise self.proof.altered(f"step run {row['path']}", why, TABLE, row["id"], "", "no row", "a row")

    def finish(self) -> None:
        """Look at all that is left. Raises AlteredError."""
        self._look()
        self._ended = {self._id(told): told for told in self._open.values()}
        self._open = {}
        self._look()

    def _id(self, told: Told) -> str:
        return step_run_id(self.proof.run.pk, told.path, told.visit, told.attempt)

    @staticmethod
    def _take(told: Told, event: Event) -> None:
        if event.type == "step-scheduled":
            told.scheduled_at = event.ts
        elif event.type in ("step-start", "attempt-start"):
            told.begun, told.is_moved = event, False
        elif event.type == "approval-requested" and event.data["kind"] == "node":
            told.shown, told.is_moved = event.data["shown"], False
        elif event.type == "approval-decided" and "changed" in event.data and not event.data.get("outstanding"):
            told.changed = event.data["changed"]
        elif event.type in _ENDS:
            told.ended = event
        if "usage" in event.data:
            told.usage = event.data["usage"]

    def _look(self) -> None:
        ids = list(self._ended)
        for start in range(0, len(ids), _AT_ONCE):
            part = ids[start : start + _AT_ONCE]
            rows = rows_by_id(TABLE, _COLUMNS, part)
            for step_id in part:
                self._check(self._ended[step_id], step_id, rows.get(step_id))
        self._ended = {}

    def _check(self, told: Told, step_id: str, row: Row | None) -> None:
        about = About(told.place, TABLE, step_id, "the history")
        if row is None:
            raise self.proof.altered(told.place, "it has no row", TABLE, step_id, "", "a row", "none")
        self.proof.rows += 1
        self.seen.add(_short(step_id))
        same = self.proof.same
        same(about, "run_id", self.proof.run.pk, row["run_id"])
        for name in ("node", "path", "visit", "attempt"):
            same(about, name, getattr(told, name), row[name])
        if told.scheduled_at is not None:
            same(about, "created_at", told.scheduled_at, row["created_at"])
        if told.begun is not None:
            self._begun(about, told, told.begun, row)
        self._usage(about, told, row)
        if told.ended is not None:
            self._ended_as(about, told, told.ended, row)
        elif row["status"] not in (*STEP_LIVE, "canceled"):  # what never started may be canceled without an event
            same(about, "status", "no end", row["status"])

    def _begun(self, about: About, told: Told, event: Event, row: Row) -> None:
        """The input as it was frozen at the start, or as a reviewer changed its arguments."""
        covered = self.is_sensitive(told.node)
        found = self.proof.digest_of(about, row, "input")
        if told.is_moved:
            pass
        elif told.changed is not None:
            self._changed(about, told.changed, row, covered)
        elif told.shown is not None:
            self.proof.value(about, row, "input", told.shown, covered=covered)
        else:
            self.proof.value(about, row, "input", event.data.get("input"), covered=covered)
        self.proof.same(about, "input_digest", found or "", row["input_digest"], covered=covered)
        self._size(about, row, "input")
        notes = parsed(row["notes"]) or {}
        key = notes.get("effect_key") if isinstance(notes, dict) else None
        if key is not None:
            expected = derived_id("effect", self.proof.run.pk, told.path, told.visit, found)
            self.proof.same(about, "notes", expected, key)
        begun_by = event.ts
        if row["started_at"] is None or row["started_at"] < begun_by:
            self.proof.same(about, "started_at", begun_by, row["started_at"])
        if row["ended_at"] is not None and row["started_at"] > row["ended_at"]:
            self.proof.same(about, "started_at", begun_by, row["started_at"])

    def _changed(self, about: About, told: dict[str, Any], row: Row, covered: bool) -> None:
        """A reviewer changed the arguments: the call that was made has these."""
        given = self.proof.load(row, "input")
        arguments = given.get("arguments") if isinstance(given, dict) else None
        self.proof.same(about, "input", *self.proof.named(told, arguments), covered=covered)

    def _size(self, about: About, row: Row, name: str) -> None:
        text, ref = row[name], row[f"{name}_ref"]
        length = 0
        if ref is not None:
            length = self.proof.blobs.get(ref, -1)
        elif text is not None:
            length = len(text.encode())
        self.proof.same(about, f"{name}_size", length, row[f"{name}_size"])

    def _usage(self, about: About, told: Told, row: Row) -> None:
        used = Usage.from_json(told.usage).as_json()
        if told.usage is not None or told.ended is not None:
            for name, amount in used.items():
                self.proof.same(about, name, amount, row[name])

    def _ended_as(self, about: About, told: Told, event: Event, row: Row) -> None:
        covered = self.is_sensitive(told.node)
        status = "failed" if row["status"] == "budget_exhausted" else row["status"]
        self.proof.same(about, "status", _ENDS[event.type], status)
        self.proof.same(about, "ended_at", event.ts, row["ended_at"])
        data = event.data
        if event.type == "step-complete":
            self.proof.value(about, row, "output", data["output"], covered=covered)
            self.proof.value(about, row, "delta", data.get("delta"), covered=covered)
            self.proof.same(about, "error", None, parsed(row["error"]), covered=covered)
            self._notes(about, data, row)
        elif event.type in ("step-retry", "step-error"):
            self.proof.same(about, "error", data["error"], parsed(row["error"]), covered=covered)

    def _notes(self, about: About, data: dict[str, Any], row: Row) -> None:
        notes = parsed(row["notes"]) or {}
        self.proof.same(about, "notes", data.get("warnings"), notes.get("warnings") or None)
        if "failed" in data:
            self.proof.same(about, "notes", *self.proof.named(data["failed"], notes.get("failed")), covered=True)


def _short(step_id: str) -> bytes:
    """An id in half its size: a run may have very many."""
    return bytes.fromhex(step_id) if len(step_id) == 32 and set(step_id) <= _HEX else step_id.encode()


_HEX = frozenset("0123456789abcdef")
