"""What the database refuses by itself, whoever asks, and what a purge ticket opens."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command
from django.db import DatabaseError, IntegrityError, connection, transaction

from runner.checks import check_sqlite, check_triggers, check_worker_settings
from runner.engine.errors import RunError
from runner.models import PurgeTicket, Run
from runner.store.purge import purge_run
from runner.triggers import create_triggers, drop_triggers, missing_triggers
from tests.support.runs import PROGRAM, call, chain, document, finish, offer_tool, open_approval, start

pytestmark = pytest.mark.django_db(transaction=True)


def refused(statement: str, *params: object) -> bool:
    """Whether the database refuses a statement, leaving everything as it was."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement, params)
            assert cursor.rowcount, "the statement touched nothing"
    except DatabaseError:
        return True
    return False


@pytest.fixture
def run() -> Run:
    return finish(chain(2))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE runner_event SET text = '{}' WHERE run_id = %s AND seq = 1",
        "DELETE FROM runner_event WHERE run_id = %s AND seq = 2",
        "UPDATE runner_steprun SET output = '1' WHERE run_id = %s AND path = 'n0'",
        "UPDATE runner_steprun SET status = 'pending' WHERE run_id = %s AND path = 'n0'",
        "UPDATE runner_steprun SET error = '{}' WHERE run_id = %s AND path = 'n0'",
        "DELETE FROM runner_steprun WHERE run_id = %s AND path = 'n0'",
        "UPDATE runner_signedhead SET signature = '' WHERE run_id = %s",
        "DELETE FROM runner_signedhead WHERE run_id = %s",
        "DELETE FROM runner_run WHERE id = %s",
    ],
)
def test_what_a_run_recorded_cannot_be_changed(run: Run, statement: str) -> None:
    assert refused(statement, run.pk)


def test_a_live_step_run_can_change_and_its_late_output_is_written_once(run: Run) -> None:
    live = start(chain(1))
    assert not refused("UPDATE runner_steprun SET worker = 'w' WHERE run_id = %s", live)
    late = "UPDATE runner_steprun SET late_output = %s WHERE run_id = %s AND path = 'n0'"
    assert not refused(late, "1", run.pk)
    assert refused(late, "2", run.pk)
    assert not refused("UPDATE runner_steprun SET restorable = %s WHERE run_id = %s AND path = 'n0'", True, run.pk)


def test_a_version_never_changes_and_stays_while_a_run_names_it(run: Run) -> None:
    assert refused("UPDATE editor_flowversion SET document = '{}' WHERE id = %s", run.version_id)
    assert refused("DELETE FROM editor_flowversion WHERE id = %s", run.version_id)
    purge_run(run.pk, actor=PROGRAM, reason="a trial")
    assert not refused("DELETE FROM editor_flowversion WHERE id = %s", run.version_id)


def test_a_decision_is_never_changed() -> None:
    from runner.services.approvals import decide_approval

    offer_tool("test_gate", lambda: 1, needs_approval=True)
    asked = open_approval(finish(document([call("a", "test_gate")])).id)
    decide_approval(asked.pk, verdict="approved", digest=asked.digest, actor=PROGRAM)
    assert refused("UPDATE runner_decision SET verdict = 'rejected' WHERE run_id = %s", asked.run_id)
    assert refused("DELETE FROM runner_decision WHERE run_id = %s", asked.run_id)


def test_a_ticket_opens_one_run_to_deletion_and_stays(run: Run) -> None:
    other = finish(chain(1))
    counts = purge_run(run.pk, actor=PROGRAM, reason="asked for by its owner")
    assert not Run.objects.filter(pk=run.pk).exists()
    assert (counts["steprun"], counts["event"]) == (2, run.seq)
    ticket = PurgeTicket.objects.get(run_id=run.pk)
    assert (ticket.head_hash, ticket.counts, ticket.actor) == (run.head_hash, counts, PROGRAM)
    assert refused("DELETE FROM runner_purgeticket")
    assert refused("UPDATE runner_purgeticket SET reason = ''")
    assert refused("DELETE FROM runner_event WHERE run_id = %s", other.pk)


def test_a_run_that_has_not_ended_is_not_purged() -> None:
    run_id = start(chain(1))
    with pytest.raises(RunError) as error:
        purge_run(run_id, actor=PROGRAM, reason="too early")
    assert error.value.code == "run_busy"
    with pytest.raises(RunError):
        purge_run(run_id, actor=PROGRAM, reason=" ")
    assert not PurgeTicket.objects.exists()


def test_tables_cannot_be_emptied_at_once(run: Run) -> None:
    purge_run(finish(chain(1)).pk, actor=PROGRAM, reason="makes a ticket")
    for table in ("runner_event", "runner_steprun", "runner_signedhead", "runner_purgeticket", "editor_flowversion"):
        empty = f"TRUNCATE {table} CASCADE" if connection.vendor == "postgresql" else f"DELETE FROM {table}"
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(empty)


def test_a_check_names_what_is_missing_and_migrate_brings_it_back(run: Run) -> None:
    assert missing_triggers() == [] and check_triggers(["default"]) == []
    drop_triggers()
    missing = missing_triggers()
    assert "UPDATE of runner_event" in missing and "DELETE of runner_purgeticket" in missing
    assert [error.id for error in check_triggers(["default"])] == ["runner.E001"]
    call_command("migrate", verbosity=0)
    assert missing_triggers() == []
    create_triggers()
    assert missing_triggers() == []


def test_the_settings_of_the_site_pass_its_checks(settings: Any) -> None:
    assert check_worker_settings() == []
    assert check_sqlite(["default"]) == []
    settings.CELERY_WORKER_POOL = "threads"
    settings.CELERY_TASK_TIME_LIMIT = 10**6
    settings.CELERY_TASK_ALWAYS_EAGER = True
    assert {message.id for message in check_worker_settings()} == {"runner.E005", "runner.E006", "runner.E007"}


def test_sqlite_without_immediate_transactions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "transaction_mode", "DEFERRED")
    found = [error.id for error in check_sqlite(["default"])]
    assert found == (["runner.E002"] if connection.vendor == "sqlite" else [])
