"""Approvals and decisions against the events that asked and decided."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from runner.engine.events import Event
from runner.engine.program import Program
from runner.engine.retry import step_run_id
from runner.services.proof.tables import About, Proof, Row, parsed, rows_by_id, rows_of
from runner.store.codec.stored import names

APPROVALS, DECISIONS = "runner_approval", "runner_decision"
_APPROVAL = names(
    "id run_id kind step_id node path visit status tool arguments arguments_ref arguments_size digest reasons group"
    " assignees editable title instructions form created_at expires_at needed approved_by offer offer_ref offer_size"
)
_DECISION = names(
    "approval_id run_id verdict actor at comment arguments arguments_ref arguments_size digest form form_ref form_size"
)
_STEP = names("id status waits_for output output_ref output_size")
_AT_ONCE = 100


@dataclass(slots=True)
class Asked:
    """A question, and what became of it so far."""

    event: Event
    partly: list[Event] = field(default_factory=list)
    decided: Event | None = None
    expired: bool = False
    is_shifted: bool = False

    def approvals(self) -> tuple[int, list[dict[str, Any]], dict[str, Any] | None, str]:
        """How many people have to approve, who has (all but `person`), what they changed it to, and its digest."""
        needed, so_far = self.event.data.get("needed", 1), list[dict[str, Any]]()
        offer, digest = None, self.event.data["digest"]
        for event in self.partly:
            if "changed" in event.data:
                so_far, offer, digest = [], event.data["changed"], event.data["digest"]
            so_far.append(_approval(event))
            needed = event.data["outstanding"] + len(so_far)
        if needed > 1 and self.decided is not None and self.decided.data["verdict"] == "approved":
            so_far.append(_approval(self.decided))
        return needed, so_far, offer, digest


def _approval(event: Event) -> dict[str, Any]:
    return {"actor": event.actor, "at": event.ts, "comment": event.data.get("comment", "")}


class Questions:
    """Follows the events and looks at approvals and decisions once they are closed; the rest at the end."""

    def __init__(self, proof: Proof, is_sensitive: Callable[[str], bool], programs: list[Program]) -> None:
        self.proof = proof
        self.is_sensitive = is_sensitive
        self.programs = programs
        self.seen: set[str] = set()
        self.decided: set[str] = set()
        self._open: dict[str, Asked] = {}
        self._closed: dict[str, Asked] = {}

    def follow(self, event: Event) -> None:
        """Take in one event. Raises AlteredError at the first row that is not as told."""
        if event.type == "approval-requested":
            self._open[event.data["approval"]] = Asked(event)
        elif event.type == "run-resumed" and event.data["reason"] == "person":
            for asked in self._open.values():
                asked.is_shifted = True
        elif event.data.get("outstanding") and event.type == "approval-decided":
            self._open[event.data["approval"]].partly.append(event)
        elif event.type in ("approval-decided", "approval-expired"):
            asked = self._open.pop(event.data["approval"])
            asked.decided = event if event.type == "approval-decided" else None
            asked.expired = asked.decided is None
            self._closed[event.data["approval"]] = asked
            if len(self._closed) >= _AT_ONCE:
                self._look()

    def finish(self) -> None:
        """Look at all that is left, and for rows that no event speaks of. Raises AlteredError."""
        self._look()
        self._closed, self._open = self._open, {}
        self._look()
        for table, key, known in ((APPROVALS, "id", self.seen), (DECISIONS, "approval_id", self.decided)):
            for row in rows_of(table, [key], self.proof.run.pk, [key]):
                if row[key] not in known:
                    what = "approval" if table == APPROVALS else "decision about"
                    why = "no event speaks of it"
                    raise self.proof.altered(f"{what} {row[key]}", why, table, row[key], "", "no row", "a row")

    def _look(self) -> None:
        ids = list(self._closed)
        for start in range(0, len(ids), _AT_ONCE):
            part = ids[start : start + _AT_ONCE]
            approvals = rows_by_id(APPROVALS, _APPROVAL, part)
            decisions = rows_by_id(DECISIONS, _DECISION, part, key="approval_id")
            steps = rows_by_id("runner_steprun", _STEP, [self._step(self._closed[one].event) for one in part])
            for approval in part:
                asked = self._closed[approval]
                self._check(approval, asked, approvals.get(approval), steps.get(self._step(asked.event)))
                self._check_decision(approval, asked, decisions.get(approval), steps.get(self._step(asked.event)))
        self._closed = {}

    def _step(self, event: Event) -> str:
        return step_run_id(self.proof.run.pk, event.path or "", event.visit or 0, event.attempt or 0)

    def _check(self, key: str, asked: Asked, row: Row | None, step: Row | None) -> None:
        event, data = asked.event, asked.event.data
        about = About(f"approval of {event.path}", APPROVALS, key, f"event {event.seq}")
        if row is None:
            raise self.proof.altered(about.row, "it has no row", APPROVALS, key, "", "a row", "none")
        self.proof.rows += 1
        self.seen.add(key)
        same, covered = self.proof.same, self.is_sensitive(event.step or "")
        expected = {
            "run_id": self.proof.run.pk,
            "kind": data["kind"],
            "step_id": self._step(event),
            "node": event.step,
            "path": event.path,
            "visit": event.visit,
            "tool": data["tool"],
            "group": data["group"],
            "created_at": event.ts,
        }
        for name, value in expected.items():
            same(about, name, value, row[name])
        self._check_approvals(about, asked, row, covered)
        same(about, "reasons", data["reasons"], parsed(row["reasons"]))
        self.proof.value(about, row, "arguments", data["shown"], covered=covered)
        if not asked.is_shifted:
            same(about, "expires_at", data["expires_at"], row["expires_at"])
        self._check_status(about, asked, row, step)
        self._check_card(about, asked, row, covered)

    def _check_approvals(self, about: About, asked: Asked, row: Row, covered: bool) -> None:
        """Who has approved so far, where several people have to."""
        needed, so_far, offer, digest = asked.approvals()
        held = parsed(row["approved_by"])
        found = [{key: one[key] for key in one if key != "person"} for one in held] if _is_list(held) else held
        self.proof.same(about, "needed", needed, row["needed"])
        self.proof.same(about, "approved_by", so_far, found, covered=covered)
        self.proof.same(about, "digest", digest, row["digest"], covered=covered)
        self.proof.value(about, row, "offer", offer, covered=covered)

    def _check_status(self, about: About, asked: Asked, row: Row, step: Row | None) -> None:
        if asked.decided is not None:
            expected = "rejected" if asked.decided.data["verdict"] == "rejected" else "approved"
            self.proof.same(about, "status", expected, row["status"])
        elif asked.expired:
            self.proof.same(about, "status", "expired", row["status"])
        else:
            waits = step is not None and step["status"] == "waiting" and step["waits_for"] == "person"
            if row["status"] not in ("open", "canceled") or (row["status"] == "open" and not waits):
                self.proof.same(about, "status", "open" if waits else "canceled", row["status"])

    def _check_card(self, about: About, asked: Asked, row: Row, covered: bool) -> None:
        """What the card says beside the arguments: of an approval node, its fields; else the node's label."""
        same = self.proof.same
        if row["kind"] == "node":
            shown = self.proof.load(row, "arguments") or {}
            same(about, "assignees", [str(one) for one in shown.get("assignees") or []], parsed(row["assignees"]))
            for name in ("title", "instructions"):
                same(about, name, str(shown.get(name, "")), row[name], covered=covered)
            same(about, "form", shown.get("form"), parsed(row["form"]), covered=covered)
            return
        for name, nothing in (("assignees", []), ("form", None)):
            same(about, name, nothing, parsed(row[name]))
        same(about, "instructions", "", row["instructions"])
        labels = {program.node(row["node"]).node.label for program in self.programs if row["node"] in program.order}
        if labels and row["title"] not in labels:
            same(about, "title", sorted(labels)[0], row["title"])

    def _check_decision(self, key: str, asked: Asked, row: Row | None, step: Row | None) -> None:
        event = asked.decided
        if event is None:
            return
        about = About(f"decision about {event.path}", DECISIONS, key, f"event {event.seq}")
        if row is None:
            raise self.proof.altered(about.row, "it has no row", DECISIONS, key, "", "a row", "none")
        self.proof.rows += 1
        self.decided.add(key)
        covered = self.is_sensitive(event.step or "")
        same, data = self.proof.same, event.data
        same(about, "run_id", self.proof.run.pk, row["run_id"])
        same(about, "verdict", data["verdict"], row["verdict"])
        same(about, "actor", event.actor, parsed(row["actor"]))
        same(about, "at", event.ts, row["at"])
        same(about, "comment", data.get("comment", ""), row["comment"], covered=covered)
        same(about, "digest", data["digest"], row["digest"], covered=covered)
        self.proof.value(about, row, "arguments", data.get("changed"), covered=covered)
        given: dict[str, Any] | None = None
        if asked.event.data["kind"] == "node" and data["verdict"] == "approved" and step is not None:
            # The step's output, which its own event names, is what the reviewer filled in.
            found = self.proof.digest_of(About(about.row, "runner_steprun", step["id"], about.source), step, "output")
            given = {"digest": found, "size": step["output_size"]} if step["status"] == "succeeded" else None
            if given is None:
                return
        self.proof.value(about, row, "form", given, covered=covered)


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)
