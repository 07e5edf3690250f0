"""What the database itself refuses: to change or delete what runs have recorded. Created after every migrate.

A trigger's name ends in a hash of its text, so that a changed rule replaces the old one and a check can tell
what is missing. Deleting a run's rows is possible only once a purge ticket names the run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

PREFIX = "flowsite_"

#: What an ended step run says for ever. (Whether a retry may start it again is not part of it.)
ENDED_STEP_COLUMNS = (
    "id run_id node type path visit attempt backend status fence worker started_at ended_at"
    " input input_ref input_digest output output_ref delta delta_ref error"
    " input_tokens output_tokens cost_micros units"
)


@dataclass(frozen=True)
class Rule:
    """A refusal: on which table and deed, with which words, `unless` or only `when` which condition (SQL)."""

    table: str
    deed: str
    message: str
    when: str = ""
    unless: str = ""

    def names(self) -> str:
        """Table and deed, as the beginning of the trigger's name."""
        return f"{PREFIX}{self.table}_{self.deed.lower()}_"


def _purged(column: str) -> str:
    return f"EXISTS (SELECT 1 FROM runner_purgeticket t WHERE t.run_id = OLD.{column})"


def _not_a_name(differs: str) -> str:
    """More than names changes in an audit entry, or nobody's data is being erased in this transaction."""
    fixed = ["id", "actor_kind", "actor_id", "action", "object_type", "object_id", "at"]
    changed = " OR ".join(f"NEW.{name} {differs} OLD.{name}" for name in fixed)
    return f"{changed} OR NOT EXISTS (SELECT 1 FROM editor_erasure e WHERE e.is_open)"


def _rules(vendor: str) -> list[Rule]:
    differs = "IS DISTINCT FROM" if vendor == "postgresql" else "IS NOT"
    changed = " OR ".join(f"NEW.{name} {differs} OLD.{name}" for name in ENDED_STEP_COLUMNS.split())
    ended = (
        f"OLD.status NOT IN ('pending', 'running', 'waiting') AND ({changed}"
        f" OR (OLD.late_output IS NOT NULL AND NEW.late_output {differs} OLD.late_output))"
    )
    rules = [
        Rule("editor_flowversion", "UPDATE", "a flow version never changes; publish another one"),
        Rule(
            "editor_flowversion",
            "DELETE",
            "a flow version stays as long as a run names it",
            when="EXISTS (SELECT 1 FROM runner_run r WHERE r.version_id = OLD.id)",
        ),
        Rule("editor_auditentry", "UPDATE", "an audit entry never changes", when=_not_a_name(differs)),
        Rule("editor_erasure", "UPDATE", "an erasure never changes", when="NOT OLD.is_open OR NEW.is_open"),
        Rule("editor_erasure", "DELETE", "an erasure is never deleted"),
        Rule("editor_auditentry", "DELETE", "an audit entry is never deleted"),
        Rule("runner_steprun", "UPDATE", "an ended step run never changes", when=ended),
        Rule("runner_purgeticket", "UPDATE", "a purge ticket never changes"),
        Rule("runner_purgeticket", "DELETE", "a purge ticket is never deleted"),
        Rule("runner_run", "DELETE", "a run is deleted with a purge ticket only", unless=_purged("id")),
    ]
    for table, noun in (
        ("runner_event", "an event"),
        ("runner_decision", "a decision"),
        ("runner_routing", "what happened to an approval"),
        ("runner_signedhead", "a signature"),
    ):
        rules.append(Rule(table, "UPDATE", f"{noun} never changes"))
    for table in ("runner_event", "runner_steprun", "runner_decision", "runner_routing", "runner_signedhead"):
        message = "rows of a run are deleted with a purge ticket only"
        rules.append(Rule(table, "DELETE", message, unless=_purged("run_id")))
    if vendor == "postgresql":
        kept = dict.fromkeys(rule.table for rule in rules)
        rules += [Rule(table, "TRUNCATE", "these rows cannot be truncated") for table in kept]
    return rules


def _sqlite(rule: Rule, name: str) -> list[str]:
    when = rule.when or (f"NOT {rule.unless}" if rule.unless else "")
    condition = f" WHEN {when}" if when else ""
    return [
        f'CREATE TRIGGER "{name}" BEFORE {rule.deed} ON {rule.table}{condition}'
        f" BEGIN SELECT RAISE(ABORT, '{rule.message}'); END"
    ]


def _postgresql(rule: Rule, name: str) -> list[str]:
    if rule.deed == "TRUNCATE":
        body, each = f"RAISE EXCEPTION '{rule.message}' USING ERRCODE = 'restrict_violation';", "STATEMENT"
    else:
        refuse = f"RAISE EXCEPTION '{rule.message}' USING ERRCODE = 'restrict_violation';"
        when = rule.when or (f"NOT {rule.unless}" if rule.unless else "true")
        row = "OLD" if rule.deed == "DELETE" else "NEW"
        body, each = f"IF {when} THEN {refuse} END IF; RETURN {row};", "ROW"
    return [
        f'CREATE OR REPLACE FUNCTION "{name}"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$',
        f'CREATE TRIGGER "{name}" BEFORE {rule.deed} ON {rule.table} FOR EACH {each} EXECUTE FUNCTION "{name}"()',
    ]


_WRITERS = {"sqlite": _sqlite, "postgresql": _postgresql}


def _expected(connection: BaseDatabaseWrapper) -> dict[str, tuple[Rule, list[str]]]:
    """Trigger name -> its rule and statements, for the tables that exist."""
    tables = set(connection.introspection.table_names())
    write = _WRITERS[connection.vendor]
    expected = {}
    for rule in _rules(connection.vendor):
        if rule.table in tables:
            mark = hashlib.sha256("".join(write(rule, "")).encode()).hexdigest()[:8]
            name = rule.names() + mark
            expected[name] = (rule, write(rule, name))
    return expected


def _present(connection: BaseDatabaseWrapper) -> dict[str, str]:
    """Name -> table of our triggers in the database."""
    statement = {
        "sqlite": "SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'",
        "postgresql": (
            "SELECT t.tgname, c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
            " JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE NOT t.tgisinternal AND t.tgenabled <> 'D' AND n.nspname = current_schema()"
        ),
    }[connection.vendor]
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return {name: table for name, table in cursor.fetchall() if name.startswith(PREFIX)}


def missing_triggers(using: str = DEFAULT_DB_ALIAS) -> list[str]:
    """Table and deed of each refusal that the database does not know."""
    connection = connections[using]
    present = _present(connection)
    return [f"{rule.deed} of {rule.table}" for name, (rule, _) in _expected(connection).items() if name not in present]


def create_triggers(using: str = DEFAULT_DB_ALIAS) -> None:
    """Create what is missing and drop what is out of date; does nothing where all is well."""
    connection = connections[using]
    expected, present = _expected(connection), _present(connection)
    with transaction.atomic(using=using), connection.cursor() as cursor:
        _drop(
            cursor,
            connection.vendor,
            {name: table for name, table in present.items() if name not in expected},
        )
        for name, (_, statements) in expected.items():
            if name not in present:
                for statement in statements:
                    cursor.execute(statement)


def drop_triggers(using: str = DEFAULT_DB_ALIAS) -> None:
    """Drop all of them: before a migration rebuilds tables, and before tests empty the database."""
    connection = connections[using]
    with transaction.atomic(using=using), connection.cursor() as cursor:
        _drop(cursor, connection.vendor, _present(connection))


def _drop(cursor: Any, vendor: str, triggers: dict[str, str]) -> None:
    for name, table in triggers.items():
        if vendor == "postgresql":
            cursor.execute(f'DROP TRIGGER IF EXISTS "{name}" ON "{table}"')
            cursor.execute(f'DROP FUNCTION IF EXISTS "{name}"()')
        else:
            cursor.execute(f'DROP TRIGGER IF EXISTS "{name}"')


def before_migrate(using: str = DEFAULT_DB_ALIAS, plan: Sequence[Any] = (), **_: object) -> None:
    """SQLite rebuilds a table to alter it, and refuses while a trigger elsewhere names it."""
    if plan and connections[using].vendor == "sqlite":
        drop_triggers(using)


def after_migrate(using: str = DEFAULT_DB_ALIAS, **_: object) -> None:
    """Receiver of `post_migrate`."""
    create_triggers(using)
