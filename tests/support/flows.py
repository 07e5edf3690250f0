"""People, flows and runs for tests of pages and sockets: made by the real services, worked on in this process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import Group, User

from editor.models import FlowVersion
from editor.services import import_flow, publish_version
from runner.catalog import CATALOG
from runner.engine.events import ENGINE, Event, seal
from runner.models import Approval, Run
from runner.models import Event as EventRow
from runner.services.approvals import decide_approval
from runner.services.runs import actor_of, start_run
from runner.services.steps import run_segment
from runner.store.claims import pending_steps

PASSWORD = "correct horse battery staple"


def make_person(name: str, *groups: str, is_staff: bool = False) -> User:
    """A person with a password, in these groups."""
    person = User.objects.create_user(name, password=PASSWORD, is_staff=is_staff)
    person.groups.add(*(Group.objects.get_or_create(name=group)[0] for group in groups))
    return person


def make_people() -> dict[str, User]:
    """One person for each role, and an outsider who is in no group."""
    return {
        "analyst": make_person("analyst", "analyst"),
        "reviewer": make_person("reviewer", "reviewer"),
        "admin": make_person("admin", "admin", is_staff=True),
        "outsider": make_person("outsider"),
    }


def publish(document: Mapping[str, Any], by: User) -> FlowVersion:
    """The first version of a new flow with this document."""
    return publish_version(import_flow({"format": 1, **document}, by=by), by=by, catalog=CATALOG)


def begin(version: FlowVersion, by: User, *, work: bool = True, **options: Any) -> Run:
    """Start a run; unless told otherwise, work on it until it rests."""
    started = start_run(version, **({"inputs": {}} | options), actor=actor_of(by), user=by)
    return work_on(started.run_id) if work else Run.objects.get(pk=started.run_id)


def work_on(run_id: str) -> Run:
    """Do a worker's part in this process until nothing is left but people and times."""
    for _ in range(1000):
        pending = pending_steps(run_id)
        if not pending:
            return Run.objects.get(pk=run_id)
        for step_id, _backend in pending:
            run_segment(step_id)
    raise AssertionError("The run does not come to rest.")


def decide(run: Run, by: User, verdict: str, **more: Any) -> Run:
    """Decide the one open approval of a run, and work on."""
    approval = Approval.objects.get(run=run, status="open")
    decide_approval(approval.pk, verdict=verdict, digest=approval.digest, actor=actor_of(by), user=by, **more)
    return work_on(run.pk)


def append_events(run_id: str, number: int, **data: Any) -> None:
    """Add this many sealed events to a run's history, past the engine: for histories too long to be lived."""
    run = Run.objects.get(pk=run_id)
    head, rows = run.head_hash, []
    for seq in range(run.seq + 1, run.seq + number + 1):
        event = seal(Event("signal-received", seq, 1_000 + seq, ENGINE, data={"n": seq, **data}), run_id, head)
        head = event.hash
        rows.append(
            EventRow(
                run_id=run_id, seq=seq, type=event.type, level=event.level, ts=event.ts, actor=event.actor,
                text=event.text, prev=event.prev, hash=event.hash,
            )
        )  # fmt: skip
    EventRow.objects.bulk_create(rows, batch_size=500)
    Run.objects.filter(pk=run_id).update(seq=run.seq + number, head_hash=head)
