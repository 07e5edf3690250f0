"""Settings that must fit together: time limits in their order, a database that never loses a commit."""

import pytest
from django.conf import settings
from django.db import connection

from flowsite.celery import app


def test_the_time_limits_stand_in_their_order() -> None:
    longest_s = settings.FLOWSITE["LONGEST_ATTEMPT_MS"] / 1000
    segment_s = settings.FLOWSITE["SEGMENT_MS"] / 1000
    visibility_s = app.conf.broker_transport_options["visibility_timeout"]
    assert longest_s + segment_s < app.conf.task_soft_time_limit < app.conf.task_time_limit < visibility_s


def test_messages_are_json_and_leave_no_results() -> None:
    assert app.conf.accept_content == ["json"]
    assert app.conf.task_serializer == "json"
    assert app.conf.task_ignore_result is True
    assert app.conf.result_backend is None
    assert app.conf.task_acks_late is True
    assert app.conf.worker_prefetch_multiplier == 1


@pytest.mark.django_db
@pytest.mark.only_on("sqlite")
def test_sqlite_waits_for_writers_and_writes_to_the_disk() -> None:
    with connection.cursor() as cursor:
        values = {}
        for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout"):
            cursor.execute(f"PRAGMA {name}")
            values[name] = cursor.fetchone()[0]
    assert values == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 20_000}
    assert connection.transaction_mode == "IMMEDIATE"
