"""Every column of every row of a run: altered past all triggers, it is found, or it is listed as not proven.

The columns come from the models, so that a new one must be decided upon.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models

from editor.models import FlowVersion
from runner.models import JsonTextField, Run
from runner.services.history import Fault, verify_history
from runner.services.proof.columns import NOT_PROVEN
from runner.triggers import drop_triggers
from tests.support.runs import document, finish, transform
from tests.support.whole_run import run_through_everything

pytestmark = pytest.mark.django_db(transaction=True)

TABLES = {model._meta.db_table: model for model in apps.get_app_config("runner").get_models()} | {
    "editor_flowversion": FlowVersion
}
#: Rows that are of the site, not of a run; and tickets, which stay when a run is gone.
NOT_OF_A_RUN = {"runner_clockoffset", "runner_heartbeat", "runner_mailbox", "runner_purgeticket", "runner_reviewnotice",
                "runner_savedview", "runner_stop", "runner_stopsversion"}  # fmt: skip
REFUSED = Fault("", "the database refuses it")
#: What names a row: altered, the row is missing where it belongs.
NAMES = {"id", "run", "path", "visit", "attempt", "n", "scope", "kind", "key", "approval", "region", "node", "branch",
         "count", "seq", "digest"}  # fmt: skip


@pytest.fixture
def run() -> Run:
    """A run that has ended, with rows in every table, past the triggers."""
    found = run_through_everything()
    finish(document([transform("only")]))  # somebody else's run
    drop_triggers()
    return found


def test_every_column_is_decided_upon() -> None:
    assert set(NOT_PROVEN) == set(TABLES) - NOT_OF_A_RUN
    for table, columns in NOT_PROVEN.items():
        known = {field.name for field in TABLES[table]._meta.concrete_fields}
        assert set(columns) <= known, f"{table} has no column {sorted(set(columns) - known)}"
        assert all(reason for reason in columns.values())


def test_an_altered_column_is_found_and_named(run: Run) -> None:
    verdict = verify_history(run.pk)
    assert verdict.is_proven, verdict
    silent, misnamed, looked_at = [], [], 0
    for table, model in TABLES.items():
        for field in model._meta.concrete_fields:
            if table in NOT_OF_A_RUN or field.name in NOT_PROVEN[table]:
                continue
            looked_at += 1
            with altered(run, table, field) as place:
                fault = verify_history(run.pk).fault if place else REFUSED
            if fault is REFUSED:
                continue
            if fault is None:
                silent.append(place)
            elif not is_named(fault, table, field):
                misnamed.append(f"{place}: {fault}")
            else:
                assert "secret word" not in str(fault)
    assert not silent + misnamed, "\n".join(silent + misnamed)
    assert looked_at > 120
    assert verify_history(run.pk).is_proven


#: Where an altered column shows, if not in itself: two columns that belong together, or a row that is missed.
ELSEWHERE = {
    ("runner_blob", "run_id"): ("runner_steprun", "output_ref"),
    ("runner_blob", "digest"): ("runner_blob", "text"),
    ("runner_event", "run_id"): ("runner_run", "seq"),
    ("runner_event", "hash"): ("runner_event", "text"),
    ("runner_signedhead", "hash"): ("runner_signedhead", "signature"),
    ("editor_flowversion", "flow_id"): ("runner_run", "flow_id"),
    ("editor_flowversion", "skills"): ("editor_flowversion", "skills_hash"),
}


def is_named(fault: Fault, table: str, field: models.Field[Any, Any]) -> bool:
    """Whether a fault names the row and the column, or another part of the same value."""
    if (fault.table, fault.column) == ELSEWHERE.get((table, field.column)):
        return True
    same_value = field.column.removesuffix("_ref") == fault.column.removesuffix("_ref")
    return fault.table == table and (field.name in NAMES or same_value)


@contextmanager
def altered(run: Run, table: str, field: models.Field[Any, Any]) -> Iterator[str]:
    """Write something else into a column of one row, past every refusal; the old value comes back."""
    owner = "id = %s" if table == "runner_run" else "run_id = %s"
    params: list[Any] = [run.pk]
    if table == "editor_flowversion":
        owner, params = "id = %s", [run.version_id]
    column = f'"{field.column}"'
    with connection.cursor() as cursor:
        # Rows that hold something first: what is nothing may be nothing for many reasons.
        cursor.execute(
            f"SELECT id, {column} FROM {table} WHERE {owner} ORDER BY ({column} IS NULL), id DESC LIMIT 1", params
        )
        found = cursor.fetchone()
        assert found, f"the run has no row in {table}"
        key, value = found
        other = another(field, value)
        unbind(cursor, True)
        try:
            cursor.execute(f"UPDATE {table} SET {column} = %s WHERE id = %s", [other, key])
        except IntegrityError:  # a constraint that no superuser goes past without changing the table
            unbind(cursor, False)
            yield ""
            return
        key = other if field.primary_key else key
        try:
            yield f"{table}.{field.column} of {key}: {value!r} -> {other!r}"
        finally:
            cursor.execute(f"UPDATE {table} SET {column} = %s WHERE id = %s", [value, key])
            unbind(cursor, False)


def another(field: models.Field[Any, Any], value: Any) -> Any:
    """Something else that the column can hold."""
    kind = field.get_internal_type() if not isinstance(field, JsonTextField) else "JSON"
    if field.name in ("run", "flow", "step_run", "approval", "version", "started_by") or kind == "ForeignKey":
        numeric = field.target_field.get_internal_type() in ("AutoField", "BigAutoField")
        return (value or 1) + 1 if numeric else "0" * 32
    if kind in ("JSON", "JSONField"):
        return json.dumps({"altered": 1})
    if kind == "BooleanField":
        return not value
    if kind == "FloatField":
        return value + 1.5
    if "Integer" in kind or kind == "InstantField":
        return (value or 0) + 1
    text = str(value or "")
    return text[:-1] + ("0" if text.endswith("1") else "1")


def unbind(cursor: Any, is_free: bool) -> None:
    """Let a key be written that no other row has: what somebody with the database's own password can do."""
    if connection.vendor == "sqlite":
        cursor.execute(f"PRAGMA foreign_keys = {'OFF' if is_free else 'ON'}")
        cursor.execute(f"PRAGMA ignore_check_constraints = {'ON' if is_free else 'OFF'}")
    else:
        cursor.execute(f"SET session_replication_role = {'replica' if is_free else 'origin'}")
