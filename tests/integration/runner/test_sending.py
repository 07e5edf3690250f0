"""What `send` promises on either database: counts in order, nothing after a failure, values as they were given."""

import pytest
from django.db import IntegrityError, transaction

from runner.store.sql import Writing, fetch, fetch_first, send

INSERT = "INSERT INTO runner_heartbeat (name, kind, at, started_at, detail) VALUES (%s, %s, %s, %s, %s)"
ROWS = [("one", "worker", 1, 2**40, '{"%": "100 %s"}'), ("two", "worker", 2, 0, "ü ☂"), ("three", "sweeper", 3, 0, "")]


def beats() -> list[tuple[object, ...]]:
    return fetch("SELECT name, kind, at, started_at, detail FROM runner_heartbeat ORDER BY at")


@pytest.mark.django_db
def test_each_statement_tells_how_many_rows_it_touched():
    touched = send(
        [
            Writing(INSERT, ROWS),
            Writing("UPDATE runner_heartbeat SET at = at + %s WHERE kind = %s", [(10, "worker")]),
            Writing("UPDATE runner_heartbeat SET at = %s WHERE name = %s", [(7, "nobody"), (8, "three")]),
            Writing("DELETE FROM runner_heartbeat WHERE name LIKE 'tw%%'", [()]),
        ]
    )
    assert touched == [3, 2, 1, 1]
    assert beats() == [("three", "sweeper", 8, 0, ""), ("one", "worker", 11, 2**40, '{"%": "100 %s"}')]


@pytest.mark.django_db
def test_a_statement_that_is_asked_often_goes_on_giving_its_answer():
    for place in range(6):  # from the fourth time on Postgres has prepared it
        assert fetch_first("SELECT CAST(%s AS bigint) + 1, %s", [place, f"100 % {place}"]) == [
            (place + 1, f"100 % {place}")
        ]


@pytest.mark.django_db(transaction=True)
def test_a_failure_is_told_and_leaves_nothing_of_its_transaction():
    for _ in range(6):
        with pytest.raises(IntegrityError), transaction.atomic():
            assert fetch_first("SELECT %s", ["begins"]) == [("begins",)]
            send([Writing(INSERT, [ROWS[0]]), Writing(INSERT, [ROWS[0]]), Writing(INSERT, [ROWS[1]])])
        assert beats() == []
    with transaction.atomic():
        assert send([Writing(INSERT, [ROWS[2]])]) == [1]
    assert beats() == [("three", "sweeper", 3, 0, "")], "the connection is as good as before"
