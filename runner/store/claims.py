"""Single statements about claims, outside a run's lock: leases, late results, hints. None changes what a run is.

Each carries its whole condition in the statement, so that it is right whatever happened in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runner.engine.statuses import RunStatus, StepStatus
from runner.store.clock import now_sql
from runner.store.codec.stored import from_text, to_text
from runner.store.sql import execute, fetch


@dataclass(frozen=True, slots=True)
class StepPlace:
    """Where a step run belongs, read without a lock: enough to know whether a claim is worth trying."""

    step_id: str
    run_id: str
    type: str
    backend: str
    status: StepStatus
    fence: int
    run_status: RunStatus
    flow_id: str | None
    version: VersionPlace


@dataclass(frozen=True, slots=True)
class VersionPlace:
    """Which version a run is bound to; `flow_test`: the stand-ins of a run that is a flow test.

    `trial`: of a run that tries single steps, which ones, and how those before them ended.
    """

    version_id: int
    content_hash: str
    flow_test: dict[str, Any] | None
    trial: dict[str, Any] | None = None


_PLACE = (
    "SELECT s.id, s.run_id, s.type, s.backend, s.status, s.fence, r.status, r.flow_id,"
    " r.version_id, v.content_hash, r.flow_test, r.trial, r.given_ends"
    " FROM runner_steprun s JOIN runner_run r ON r.id = s.run_id"
    " JOIN editor_flowversion v ON v.id = r.version_id WHERE s.id = %s"
)
_VERSION = (
    "SELECT r.version_id, v.content_hash, r.flow_test, r.trial, r.given_ends"
    " FROM runner_run r JOIN editor_flowversion v ON v.id = r.version_id WHERE r.id = %s"
)


def step_place(step_id: str) -> StepPlace | None:
    """Where a step run belongs, or None if there is none with this id."""
    found = fetch(_PLACE, [step_id])
    if not found:
        return None
    id_, run_id, type_, backend, status, fence, run_status, flow_id, *version = found[0]
    place = _version_place(version)
    return StepPlace(id_, run_id, type_, backend, StepStatus(status), fence, RunStatus(run_status), flow_id, place)


def version_place(run_id: str) -> VersionPlace | None:
    """Which version a run is bound to, or None if there is no such run."""
    found = fetch(_VERSION, [run_id])
    return _version_place(found[0]) if found else None


def _version_place(row: Sequence[Any]) -> VersionPlace:
    version_id, content_hash, flow_test, targets, ends = row
    trial = None if targets is None else {"targets": from_text(targets), "given": from_text(ends)}
    return VersionPlace(version_id, content_hash, from_text(flow_test), trial)


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim as the database knows it. `is_held`: this fence still has the right to report."""

    is_held: bool
    is_canceled: bool


def renew_lease(step_id: str, fence: int, lease_ms: int) -> Claim:
    """Lengthen the lease of a claim to `lease_ms` from now, if it is still held."""
    found = fetch(
        f"UPDATE runner_steprun SET lease_expires_at = {now_sql()} + %s"
        " WHERE id = %s AND fence = %s AND status = 'running' RETURNING cancel_requested",
        [lease_ms, step_id, fence],
    )
    return Claim(True, bool(found[0][0])) if found else look_at_claim(step_id, fence)


def look_at_claim(step_id: str, fence: int) -> Claim:
    """Whether a claim is still held, and whether somebody wants the step to stop."""
    found = fetch("SELECT status, fence, cancel_requested FROM runner_steprun WHERE id = %s", [step_id])
    if not found:
        return Claim(False, True)
    status, current, cancel_requested = found[0]
    is_held = status == StepStatus.RUNNING and current == fence
    return Claim(is_held, bool(cancel_requested) or status == StepStatus.CANCELED)


def workers_at_work() -> list[str]:
    """The names of workers that hold a lease which is not over."""
    found = fetch(
        "SELECT DISTINCT worker FROM runner_steprun"
        f" WHERE status = 'running' AND lease_expires_at > {now_sql()} AND worker <> ''"
    )
    return [row[0] for row in found]


def end_leases_of(worker: str) -> int:
    """Let the leases of a worker that is known to be dead be over; gives how many.

    The claims themselves stay: taking them back, with a higher fence, is the same deed as after any lease's end.
    """
    now = now_sql()
    return execute(
        f"UPDATE runner_steprun SET lease_expires_at = {now}"
        f" WHERE worker = %s AND status = 'running' AND lease_expires_at > {now}",
        [worker],
    )


def note_late_result(step_id: str, fence: int, result: dict[str, Any]) -> None:
    """Keep a result that came after its claim was lost, beside the row and without any other trace."""
    late = to_text({"fence": fence, **result})
    execute("UPDATE runner_steprun SET late_output = %s WHERE id = %s AND late_output IS NULL", [late, step_id])


def pending_steps(run_id: str) -> list[tuple[str, str]]:
    """Step run and backend of what is pending and due in a run."""
    return [
        (row[0], row[1])
        for row in fetch(
            "SELECT id, backend FROM runner_steprun"
            f" WHERE run_id = %s AND status = 'pending' AND not_before <= {now_sql()}",
            [run_id],
        )
    ]
