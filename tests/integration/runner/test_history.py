"""An altered history is found, and the first row that is not as it was written is named."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from runner import signing
from runner.engine.events import event_hash
from runner.models import Event, Run, SignedHead
from runner.services.history import verify_history
from runner.store.clock import shift_test_clock
from runner.sweeper import sweep
from runner.triggers import drop_triggers
from tests.support.runs import chain, document, finish, start, work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run() -> Run:
    run = finish(chain(4))
    drop_triggers()  # somebody with the database's own password
    return run


def alter(statement: str, *params: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        assert cursor.rowcount


@pytest.mark.parametrize(
    ("statement", "row"),
    [
        ("UPDATE runner_event SET text = replace(text, 'n0', 'nx') WHERE run_id = %s AND seq = 3", "event 3"),
        ("UPDATE runner_event SET hash = 'v1:0' WHERE run_id = %s AND seq = 2", "event 2"),
        ("UPDATE runner_event SET path = 'n3' WHERE run_id = %s AND seq = 3", "event 3"),
        ("UPDATE runner_event SET ts = ts + 1 WHERE run_id = %s AND seq = 4", "event 4"),
        ("DELETE FROM runner_event WHERE run_id = %s AND seq = 5", "event 6"),
        ("UPDATE runner_signedhead SET signature = 'v1:0' WHERE run_id = %s", "signature of event"),
        ("DELETE FROM runner_signedhead WHERE run_id = %s", "run "),
    ],
)
def test_what_was_altered_is_named(run: Run, statement: str, row: str) -> None:
    assert verify_history(run.pk).is_whole
    alter(statement, run.pk)
    fault = verify_history(run.pk).fault
    assert fault is not None and fault.row.startswith(row), fault


def test_a_history_that_was_cut_and_chained_anew_shows_by_its_signature(run: Run) -> None:
    """Whoever can write every table, but does not have the key."""
    last = Event.objects.filter(run=run).latest("seq")
    alter("DELETE FROM runner_event WHERE run_id = %s AND seq = %s", run.pk, last.seq)
    alter("UPDATE runner_run SET seq = %s, head_hash = %s WHERE id = %s", last.seq - 1, last.prev, run.pk)
    fault = verify_history(run.pk).fault
    assert fault is not None and fault.row == f"signature of event {last.seq}"


def test_a_text_rewritten_with_a_right_hash_breaks_the_chain(run: Run) -> None:
    event = Event.objects.get(run=run, seq=3)
    text = event.text.replace('"public"', '"detail"')
    alter(
        "UPDATE runner_event SET text = %s, hash = %s, level = 'detail' WHERE id = %s", text, event_hash(text), event.pk
    )
    fault = verify_history(run.pk).fault
    assert fault is not None and fault.row == "event 4"


def test_an_open_run_is_signed_once_a_day(settings: Any) -> None:
    settings.TEST_CLOCK = True
    run_id = start(document([{"id": "w", "type": "wait", "config": {"duration_ms": 10**9}}]))
    work(run_id)
    sweep()
    assert not SignedHead.objects.exists()
    shift_test_clock(24 * 3_600_000)
    assert sweep().signed == 1
    assert sweep().signed == 0
    head = SignedHead.objects.get()
    run = Run.objects.get(pk=run_id)
    assert (head.seq, head.hash) == (run.seq, run.head_hash)
    assert verify_history(run_id).is_whole


def test_a_signature_of_an_older_key_still_counts_and_of_an_unknown_one_is_noted(run: Run, settings: Any) -> None:
    old = settings.EVENT_SIGNING_KEY
    settings.EVENT_SIGNING_KEY = "another"
    settings.EVENT_SIGNING_OLD_KEYS = [old]
    assert verify_history(run.pk).is_whole and not verify_history(run.pk).notes
    settings.EVENT_SIGNING_OLD_KEYS = []
    verdict = verify_history(run.pk)
    assert verdict.is_whole and len(verdict.notes) == 1 and signing.key_id(old) in verdict.notes[0]


def test_the_command_says_so_and_exits_with_1(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("verify_history", run.pk)
    assert f"Run {run.pk} is whole: {run.seq} events" in capsys.readouterr().out
    alter("UPDATE runner_event SET text = '{}' WHERE run_id = %s AND seq = 2", run.pk)
    with pytest.raises(SystemExit) as ended:
        call_command("verify_history", "--all")
    assert ended.value.code == 1
    assert "event 2" in capsys.readouterr().out
