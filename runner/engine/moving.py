"""Moving a run to another version of its flow: whether the two fit, and what a run that is moved begins anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from editor.language.definition import Definition
from editor.language.diff import compare_documents
from editor.language.policy import Permissions, Rule
from editor.language.schema import structure_hash
from editor.language.schema.writing import to_json
from runner.engine.commands import HintStep
from runner.engine.errors import RunError
from runner.engine.happenings import MoveAsked
from runner.engine.people import arm_run_limit, run_limit_id, void_timers
from runner.engine.rows import StepRow
from runner.engine.statuses import ApprovalStatus, RunStatus, StepStatus
from runner.engine.turn import Turn

# Whether two versions fit


def check_fit(before: Definition, after: Definition) -> None:
    """Raise RunError `flow_changed`, naming what differs, where a run of one version cannot go on as the other.

    The structure must be the same, and permissions may only become stricter.
    """
    found = [] if structure_hash(before) == structure_hash(after) else _structural(before, after)
    found += _looser(before.permissions, after.permissions)
    found += _fewer_approvals(before, after)
    if found:
        listed = "; ".join(found[:_NAMED]) + ("; …" if len(found) > _NAMED else "")
        raise RunError(
            "flow_changed",
            f"The versions do not fit: {listed}. Start a new run of the other version.",
            details={"differences": found},
        )


_NAMED = 5

#: Keys that a version may change under a run: they say how a step works, not which step runs where.
_FREE = {
    "nodes": ("name", "description", "notes", "layout", "timeout_ms", "retry", "budget", "max_visits", "read_only"),
    "edges": ("label", "when"),
}


def _structural(before: Definition, after: Definition) -> list[str]:
    """What differs in the structure, in words; the whole comparison is the editor's."""
    difference = compare_documents(to_json(before), to_json(after))
    found: list[str] = []
    for name, noun in (("nodes", "node"), ("edges", "edge")):
        parts = difference.lists[name]
        for part in parts.parts:
            if part.kind != "changed":
                found.append(f"{noun} '{part.id}' was {part.kind}")
                continue
            free = _FREE[name]
            paths = [one.path for one in part.changes if one.path.split("/")[1] not in free]
            found += [f"{noun} '{part.id}' changed at {path}" for path in paths]
        if parts.order_changed:
            found.append(f"the order of the {name} changed")
    if before.start != after.start:
        found.append("the start changed")
    return found or ["the structure changed"]


_STRICTNESS = {"allow": 0, "ask": 1, "deny": 2}


def _looser(before: Permissions, after: Permissions) -> list[str]:
    """In what permissions became looser. What cannot be told to be as strict counts as looser."""
    found = []
    if not _is_as_strict(before.default, after.default):
        found.append(f"the default permission went from {before.default or 'none'} to {after.default or 'none'}")
    for rule in before.rules:
        if rule.effect != "allow" and not any(_covers(other, rule) for other in after.rules):
            found.append(f"the rule '{rule.effect} {rule.tool}' was taken away or became looser")
    known = [rule for rule in before.rules if rule.effect == "allow"]
    for rule in after.rules:
        if rule.effect == "allow" and rule not in known:
            found.append(f"the rule 'allow {rule.tool}' is new")
    return found


def _fewer_approvals(before: Definition, after: Definition) -> list[str]:
    """The approval nodes that would ask fewer people than they did."""
    asked = {node.id: getattr(node.config, "approvals", 1) for node in before.nodes if node.type == "approval"}
    now = {node.id: getattr(node.config, "approvals", 1) for node in after.nodes if node.type == "approval"}
    fewer = [(name, count, now[name]) for name, count in asked.items() if now.get(name, count) < count]
    return [f"node '{name}' asked for {count} approvals and would ask for {less}" for name, count, less in fewer]


def _is_as_strict(before: str | None, after: str | None) -> bool:
    """Without a default, read-only tools are allowed and the site says what holds for the others."""
    if before == after or after == "deny" or before == "allow":
        return True
    return before is not None and after is not None and _STRICTNESS[after] >= _STRICTNESS[before]


def _covers(other: Rule, rule: Rule) -> bool:
    """Whether a rule holds wherever another did, and asks at least as much."""
    if other.tool != rule.tool or (other.when is not None and other.when != rule.when):
        return False
    if other.effect == "deny" or rule.effect == "deny":
        return other.effect == "deny"
    same_people = other.group == rule.group
    as_many = other.approvals >= rule.approvals
    return other.effect == "ask" and same_people and as_many and (rule.editable or not other.editable)


# The move itself


def move(turn: Turn, asked: MoveAsked) -> None:
    """Let a stopped run go on as another version: what was asked is asked anew, what waits is worked out anew.

    Raises RunError `run_finished`, `not_paused` or `run_busy` where it may not be moved now.
    """
    run = turn.run
    if run.status in (RunStatus.SUCCEEDED, RunStatus.CANCELED):
        raise RunError("run_finished", f"The run has ended: {run.status}. Start a new run of the other version.")
    if run.status is RunStatus.ACTIVE:
        raise RunError("not_paused", "The run is at work. Pause it, then move it to the other version.")
    if run.running:
        raise RunError("run_busy", "A step of the run is still running. Wait for its end, then move the run.")
    run.moved_at = turn.at
    turn.emit("run-moved", None, by=asked.actor, policy=asked.policy, **asked.about)
    _take_policy(turn, asked.policy)
    for step in turn.slice.live_steps():
        if step.is_container:
            continue
        if step.status is StepStatus.WAITING and step.waits_for == "person":
            _ask_anew(turn, step)
        elif step.status is StepStatus.PENDING and not step.lost:
            turn.slice.change_step(step, **_UNRESOLVED, notes=_without_key(step))


_UNRESOLVED: Mapping[str, Any] = {"input": None, "approval_id": None}


def _without_key(step: StepRow) -> dict[str, Any] | None:
    return {key: value for key, value in (step.notes or {}).items() if key not in ("effect", "effect_key")} or None


def _ask_anew(turn: Turn, step: StepRow) -> None:
    """Withdraw an open question and put it again, as the other version has it; not what became of a lost call."""
    approvals = turn.slice.open_approvals([step.id])
    if any(one.kind == "unknown" for one in approvals):
        return
    for approval in approvals:
        turn.slice.change_approval(approval, status=ApprovalStatus.CANCELED)
    void_timers(turn, step)
    turn.slice.change_step(
        step, status=StepStatus.PENDING, waits_for="", not_before=turn.now, **_UNRESOLVED, notes=_without_key(step)
    )
    turn.command(HintStep(step.id, step.backend, step.not_before))


def _take_policy(turn: Turn, policy: dict[str, Any]) -> None:
    """The other version's limits hold from now on; of a longer or shorter run limit, the difference."""
    before, after = turn.run.policy.get("max_duration_ms"), policy.get("max_duration_ms")
    turn.run.policy = policy
    timer = turn.slice.timer(run_limit_id(turn))
    if timer is None or timer.status not in ("armed", "held"):
        if after and turn.run.status is not RunStatus.FAILED:
            arm_run_limit(turn)
    elif not after:
        turn.slice.set_timer(timer, status="void")
    elif before != after:
        turn.slice.set_timer(timer, due_at=timer.due_at + int(after) - int(before or 0))
