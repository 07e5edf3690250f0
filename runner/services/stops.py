"""The incident switch: an admin stops everything, one flow or one tool, and releases it again; what that holds back.

A stop refuses new runs, and counts for the next claim of every worker: the step stays pending, and goes on by itself
after the release. What runs already goes on to its end. No time limit stands still for a stop.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction

from editor import audit
from editor.models import Flow
from runner.catalog import CATALOG
from runner.engine.errors import RunError
from runner.engine.program import Program
from runner.engine.rows import StepRow
from runner.models import Stop, to_instant
from runner.models.visibility import is_admin
from runner.store.stops import ActiveStop, Stops, add_stop, end_stop, read_stops, stops_at, wake_pending_steps
from runner.store.transactions import RunTransaction

LONGEST_TEXT = 2_000
SCOPES = tuple(Stop.Scope.values)


def stop(scope: str, target: str = "", *, reason: str, user: Any) -> Stop:
    """Stop `all` flows, one `flow` (its id) or one `tool` (its name), until it is released.

    Raises RunError: `permission_denied` for whoever is no admin, `validation_failed` without a reason, for what
    does not exist, or for what is stopped already (`details` say by whom).
    """
    _demand_admin(user)
    why = _said(reason, "Say why it is stopped: everybody whose run waits reads it.")
    wanted = _target(scope, target.strip())
    with transaction.atomic():
        made = add_stop(scope, wanted, why, audit.actor_of(user))
        if made is not None:
            row = Stop.objects.get(pk=made)
            audit.record(user, "incident-stop", row, after={"scope": scope, "target": wanted}, reason=why)
            return row
    found = Stop.objects.active().filter(scope=scope, target=wanted).first()
    told = f"It is stopped already{f', by {found.by}: {found.reason}' if found else ''}. Release that stop first."
    raise RunError("validation_failed", told, details={"stop": found.pk} if found else None)


def release(stop_id: int, *, note: str, user: Any) -> Stop:
    """Let go on what a stop holds back. Raises RunError: `permission_denied`, `not_found`, `validation_failed`."""
    _demand_admin(user)
    row = Stop.objects.filter(pk=stop_id).first()
    if row is None:
        raise RunError("not_found", "There is no such stop. The list of stops has them all.")
    said = _said(note, "Say why it may go on: it is kept with the stop.")
    with transaction.atomic():
        if not end_stop(stop_id, said, audit.actor_of(user)):
            raise RunError("validation_failed", "Somebody has released this stop already.")
        before = {"scope": row.scope, "target": row.target}
        audit.record(user, "incident-release", row, before=before, reason=said)
        transaction.on_commit(wake_pending_steps, robust=True)
    row.refresh_from_db()
    return row


def _demand_admin(user: Any) -> None:
    if not is_admin(user):
        raise RunError("permission_denied", "Admins stop and release. Ask one of them.")


def _said(text: str, missing: str) -> str:
    said = text.strip()
    if not said:
        raise RunError("validation_failed", missing)
    if len(said) > LONGEST_TEXT:
        raise RunError("validation_failed", f"Say it in at most {LONGEST_TEXT:,} characters.")
    return said


def _target(scope: str, target: str) -> str:
    if scope not in SCOPES:
        raise RunError("validation_failed", f"Stop one of: {', '.join(SCOPES)}.")
    if scope == "all":
        if target:
            raise RunError("validation_failed", "A stop of everything names no target.")
        return ""
    is_known = Flow.objects.filter(pk=target).exists() if scope == "flow" else CATALOG.tool(target) is not None
    if not is_known:
        raise RunError("validation_failed", f"There is no {scope} {target!r}. Look for it in the list.")
    return target


def refuse_if_stopped(flow_id: str | None) -> None:
    """Raise RunError `permission_denied` if runs of this flow (None: of no flow) may not start now."""
    held = read_stops().of_flow(flow_id)
    if held is not None:
        raise RunError("permission_denied", f"No run starts: {words(held)}", details={"stop": as_json(held)})


def words(held: ActiveStop) -> str:
    """A stop as a sentence: who, what, since when, why."""
    what = "everything is" if held.scope == "all" else f"the {held.scope} {held.target} is"
    since = to_instant(held.at).strftime("%Y-%m-%d %H:%M UTC")
    return f"{what} stopped by {held.by} since {since}: {held.reason}"


def as_json(held: ActiveStop) -> dict[str, Any]:
    """A stop as errors tell it."""
    since = to_instant(held.at).isoformat()
    return {"scope": held.scope, "target": held.target, "by": held.by, "since": since, "reason": held.reason}


def holds(work: RunTransaction, program: Program, flow_id: str | None, step: StepRow, *, stand_ins: bool) -> bool:
    """Whether a step may not be claimed now. `stand_ins`: no tool of this installation would be called."""
    if not work.stops_version:
        return False
    return held_by(stops_at(work.stops_version), program, flow_id, step, stand_ins=stand_ins) is not None


def held_by(
    stops: Stops, program: Program, flow_id: str | None, step: StepRow, *, stand_ins: bool = False
) -> ActiveStop | None:
    """The stop that keeps a step from being claimed, or None."""
    if not stops:
        return None
    held = stops.of_flow(flow_id)
    if held is None and stops.tools and not stand_ins:
        tool = tool_of(program, step)
        held = None if tool is None else stops.of_tool(tool)
    return held


def tool_of(program: Program, step: Any) -> str | None:
    """The tool that a step (its row in the engine or in the table) calls: a node's, a member's, an agent's."""
    if step.type != "tool_call":
        return None
    call = (step.notes or {}).get("call")
    if call is not None:
        return str(call["tool"])
    return str(program.node(step.node).config.tool)
