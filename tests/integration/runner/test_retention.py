"""Deleting old runs: the right ones, whole, in bounded transactions, and with what an audit needs of them."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from editor.models import AuditEntry
from editor.services import import_flow, publish_version
from runner.catalog import CATALOG
from runner.checks import check_retention
from runner.engine.errors import RunError
from runner.models import Event, PurgeTicket, Run, StepRun
from runner.services.approvals import decide_approval
from runner.services.retention import Rule, purge_by_settings, purge_old_runs
from runner.services.runs import cancel_run
from runner.store.clock import now_ms
from runner.triggers import create_triggers
from tests.support.runs import PROGRAM, call, document, finish, offer_tool, open_approval, start, transform, work

pytestmark = pytest.mark.django_db(transaction=True)

DAY_MS = 24 * 3_600_000


@pytest.fixture(autouse=True)
def _triggers() -> None:
    create_triggers()


def aged(run_id: str, days: float) -> str:
    """Let a run have ended so long ago."""
    Run.objects.filter(pk=run_id).update(ended_at=now_ms() - int(days * DAY_MS))
    return run_id


def old_run(days: float = 40, **more: Any) -> str:
    return aged(finish(document([transform("a")]), **more).pk, days)


def command(*arguments: str) -> tuple[str, int]:
    out = StringIO()
    try:
        call_command("purge_runs", *arguments, stdout=out, stderr=out)
    except SystemExit as ended:
        return out.getvalue(), int(ended.code or 0)
    return out.getvalue(), 0


def test_only_old_ended_runs_are_deleted_and_each_leaves_a_ticket_and_an_audit_entry() -> None:
    gone, young = old_run(31), old_run(29)
    alive = start(document([transform("a")]))
    head, events = Run.objects.get(pk=gone).head_hash, Event.objects.filter(run_id=gone).count()
    done = purge_old_runs(Rule(30), actor=PROGRAM, reason="30 days are enough", limit=100)
    assert (done.runs, done.skipped, done.rows["event"]) == (1, 0, events)
    assert set(Run.objects.values_list("pk", flat=True)) == {young, alive}
    assert not Event.objects.filter(run_id=gone).exists() and not StepRun.objects.filter(run_id=gone).exists()
    ticket = PurgeTicket.objects.get()
    assert (ticket.run_id, ticket.head_hash, ticket.reason) == (gone, head, "30 days are enough")
    entry = AuditEntry.objects.get(action="run-purge")
    assert (entry.object_type, entry.object_id, entry.actor_name) == ("run", gone, "test")
    assert entry.before["head_hash"] == head and entry.before["status"] == "succeeded"
    assert entry.after["deleted"]["event"] == events and entry.before["decisions"] == []


def test_who_decided_what_stays_but_not_about_which_values() -> None:
    def pay(amount: str) -> str:
        """Pays.

        Args:
            amount: any
        """
        return amount

    offer_tool("test_pay", pay, needs_approval=True)
    run_id = start(document([call("pay", "test_pay", {"amount": "hunter2"})]))
    work(run_id)
    asked = open_approval(run_id)
    decide_approval(asked.pk, verdict="approved", digest=asked.digest, actor=PROGRAM, comment="hunter2 is fine")
    work(run_id)
    aged(run_id, 2)
    purge_old_runs(Rule(1), actor=PROGRAM, reason="r", limit=10)
    entry = AuditEntry.objects.get(action="run-purge")
    (decision,) = entry.before["decisions"]
    assert (decision["path"], decision["tool"], decision["verdict"]) == ("pay", "test_pay", "approved")
    assert decision["by"]["name"] == "test" and decision["digest"] == asked.digest
    assert "hunter2" not in str(entry.before) + str(entry.after)


def test_sub_runs_go_with_the_run_that_started_them_and_not_before() -> None:
    inner = document([transform("a")]) | {"id": "inner"}
    waits = document([{"id": "w", "type": "wait", "config": {"signal": "go"}}]) | {"id": "waits"}
    for written in (inner, waits):
        publish_version(import_flow(written, by=None), by=None, catalog=CATALOG, note="")
    parent = finish(document([{"id": "s", "type": "subflow", "config": {"flow": "inner", "version": 1}}]))
    aged(Run.objects.get(parent_run=parent.pk).pk, 40)
    assert purge_old_runs(Rule(30), actor=PROGRAM, reason="r", limit=10).runs == 0  # its parent has just ended
    aged(parent.pk, 31)
    done = purge_old_runs(Rule(30), actor=PROGRAM, reason="r", limit=10)
    assert done.runs == 1 and PurgeTicket.objects.count() == 2 and not Run.objects.exists()

    config = {"flow": "waits", "version": 1, "wait": False}
    leaves = finish(document([{"id": "s", "type": "subflow", "config": config}]))
    aged(leaves.pk, 40)
    done = purge_old_runs(Rule(30), actor=PROGRAM, reason="r", limit=10)
    assert (done.runs, done.skipped) == (0, 1) and Run.objects.count() == 2  # its sub-run still waits
    cancel_run(Run.objects.get(parent_run=leaves.pk).pk, actor=PROGRAM)
    assert purge_old_runs(Rule(30), actor=PROGRAM, reason="r", limit=10).runs == 1 and not Run.objects.exists()


def test_batches_go_on_behind_what_was_skipped_and_stop_at_the_limit() -> None:
    runs = [old_run(50 - n) for n in range(7)]
    told: list[int] = []
    rule = Rule(1)
    done = purge_old_runs(
        rule, actor=PROGRAM, reason="r", limit=5, batch=2, tell=lambda purged: told.append(purged.runs)
    )
    assert done.runs == 5 and told == [2, 4, 5]
    assert list(Run.objects.order_by("-ended_at").values_list("pk", flat=True)) == runs[:4:-1]  # the oldest went first


def test_a_failure_in_the_middle_leaves_the_run_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = old_run()
    monkeypatch.setattr("runner.services.retention.audit.record", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        purge_old_runs(Rule(1), actor=PROGRAM, reason="r", limit=10)
    run = Run.objects.get(pk=run_id)
    assert Event.objects.filter(run_id=run_id).count() == run.seq
    assert not PurgeTicket.objects.exists()


def test_the_command_shows_first_and_then_deletes_by_status_and_flow() -> None:
    version = publish_version(
        import_flow(document([transform("a")], id="one"), by=None), by=None, catalog=CATALOG, note=""
    )
    from runner.services.runs import start_run

    of_flow = aged(work(start_run(version, inputs={}, actor=PROGRAM).run_id).pk, 40)
    other, canceled = old_run(40), start(document([transform("a")]))
    cancel_run(canceled, actor=PROGRAM)
    aged(canceled, 40)
    text, code = command("--older-than", "30", "--dry-run")
    assert code == 0 and "Would delete 3 runs" in text and "1 canceled   (no flow)" in text
    assert Run.objects.count() == 3
    text, code = command("--older-than", "30", "--flow", "one", "--reason", "a test")
    assert code == 0 and text.splitlines()[-1].startswith("Deleted 1 runs with ")
    assert not Run.objects.filter(pk=of_flow).exists()
    assert command("--older-than", "30", "--status", "canceled", "--reason", "a test")[1] == 0
    assert Run.objects.get().pk == other


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--older-than", "0", "--reason", "x"), "at least one day"),
        (("--older-than", "30"), "Say why"),
        (("--older-than", "30", "--reason", "x", "--limit", "0"), "positive"),
    ],
)
def test_the_command_refuses_what_makes_no_sense(arguments: tuple[str, ...], told: str) -> None:
    old_run()
    text, code = command(*arguments)
    assert code == 2 and told in text and Run.objects.count() == 1


def test_nothing_is_deleted_by_itself_unless_the_settings_say_so(settings: Any) -> None:
    run_id = old_run(40)
    assert purge_by_settings() == 0 and check_retention() == []
    settings.RETENTION = {"DAYS": 30, "STATUSES": ["failed"], "BATCH": 10}
    assert purge_by_settings() == 0
    settings.RETENTION = {"DAYS": 30, "STATUSES": ["succeeded"], "BATCH": 10}
    assert purge_by_settings() == 1 and check_retention() == []
    entry = AuditEntry.objects.get(action="run-purge")
    assert (entry.object_id, entry.actor_kind) == (run_id, "engine") and "30 days" in entry.reason


@pytest.mark.parametrize(
    "wrong",
    [
        {"DAYS": -1, "STATUSES": ["failed"], "BATCH": 1},
        {"DAYS": 1, "STATUSES": ["active"], "BATCH": 1},
        {"DAYS": 1, "STATUSES": [], "BATCH": 1},
        {"DAYS": 0, "STATUSES": [], "BATCH": 0},
    ],
)
def test_a_setting_that_makes_no_sense_is_found_at_start(settings: Any, wrong: dict[str, Any]) -> None:
    settings.RETENTION = wrong
    assert [error.id for error in check_retention()] == ["runner.E008"]
    with pytest.raises(RunError):
        Rule(30, ("active",)).check()
