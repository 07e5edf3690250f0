"""System checks: whether the database and the worker settings are such that a run's promises can be kept."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connections

from runner.catalog import folder_places
from runner.engine.errors import RunError
from runner.services.retention import automatic_rule
from runner.tools import SKILLS, TOOLS
from runner.tools.folder.index import has_full_text_search
from runner.triggers import missing_triggers


@register(Tags.database)
def check_triggers(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """Each refusal that the database should know, and does not."""
    if "default" not in (databases or []) or not _is_migrated():
        return []
    missing = missing_triggers()
    if not missing:
        return []
    return [
        Error(
            f"The database does not refuse: {', '.join(missing)}.",
            hint="Run `python manage.py migrate`: it creates the triggers anew.",
            id="runner.E001",
        )
    ]


@register(Tags.database)
def check_sqlite(databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """SQLite must write ahead, lock at once and enforce foreign keys."""
    connection = connections["default"]
    if "default" not in (databases or []) or connection.vendor != "sqlite":
        return []
    found: list[CheckMessage] = []
    if connection.settings_dict["OPTIONS"].get("transaction_mode") != "IMMEDIATE":
        hint = "Set OPTIONS['transaction_mode'] = 'IMMEDIATE': others fail as soon as two processes write."
        found.append(Error("SQLite's transactions are not IMMEDIATE.", hint=hint, id="runner.E002"))
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode")
        journal = cursor.fetchone()[0]
        cursor.execute("PRAGMA foreign_keys")
        foreign_keys = cursor.fetchone()[0]
    if journal != "wal":
        hint = "Add 'PRAGMA journal_mode=WAL;' to OPTIONS['init_command']; an in-memory database cannot serve."
        found.append(Error(f"SQLite's journal mode is '{journal}', not WAL.", hint=hint, id="runner.E003"))
    if not foreign_keys:
        hint = "Add 'PRAGMA foreign_keys=ON;' to OPTIONS['init_command']."
        found.append(Error("SQLite does not enforce foreign keys.", hint=hint, id="runner.E004"))
    return found


@register()
def check_folders(**_: Any) -> list[CheckMessage]:
    """Folders of documents must be there, and SQLite must be able to index them."""
    found: list[CheckMessage] = []
    for folder in folder_places().folders.values():
        if not folder.root.is_dir():
            hint = "Make it, or change FLOWSITE_FOLDERS; until then a search in it fails."
            found.append(Warning(f"The folder {folder.name!r} is missing: {folder.root}.", hint=hint, id="runner.W003"))
    if not has_full_text_search():
        hint = "Use a Python whose SQLite has FTS5; else bind other tools to the roles search and reader."
        found.append(Warning("SQLite cannot search texts: it has no FTS5.", hint=hint, id="runner.W004"))
    return found


@register()
def check_worker_settings(**_: Any) -> list[CheckMessage]:
    """The pool must be able to end a step, and the limits must stand in order."""
    found: list[CheckMessage] = []
    pool = getattr(settings, "CELERY_WORKER_POOL", "prefork")
    if pool != "prefork":
        hint = "Remove CELERY_WORKER_POOL: only prefork can end a step that does not stop by itself."
        found.append(Error(f"The worker pool '{pool}' has no time limits.", hint=hint, id="runner.E005"))
    limits = {
        "the longest attempt": settings.FLOWSITE["LONGEST_ATTEMPT_MS"] / 1000,
        "CELERY_TASK_SOFT_TIME_LIMIT": settings.CELERY_TASK_SOFT_TIME_LIMIT,
        "CELERY_TASK_TIME_LIMIT": settings.CELERY_TASK_TIME_LIMIT,
        "the broker's visibility_timeout": settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"],
    }
    for (lower, low), (upper, high) in pairwise(limits.items()):
        if low >= high:
            hint = "From inside out: longest attempt < soft limit < hard limit < visibility time-out."
            found.append(Error(f"{lower} ({low} s) is not below {upper} ({high} s).", hint=hint, id="runner.E006"))
    if not getattr(settings, "CELERY_TASK_IGNORE_RESULT", False):
        found.append(
            Warning(
                "Celery keeps results that nobody reads.",
                hint="Set CELERY_TASK_IGNORE_RESULT.",
                id="runner.W001",
            )
        )
    if getattr(settings, "CELERY_TASK_ALWAYS_EAGER", False):
        hint = "Remove CELERY_TASK_ALWAYS_EAGER: a run would grow the call stack and hold its starter."
        found.append(Error("Tasks run in the process that queues them.", hint=hint, id="runner.E007"))
    return found


@register()
def check_skills(**_: Any) -> list[CheckMessage]:
    """A skill lets agents call tools that are there."""
    found: list[CheckMessage] = []
    for skill in SKILLS.all():
        missing = [name for name in skill.spec.tools if TOOLS.get(name) is None]
        if missing:
            hint = "Install the app that brings them, or register the skill anew without them, in a higher version."
            told = f"The skill {skill.spec.ref} allows tools that are not here: {', '.join(missing)}."
            found.append(Warning(told, hint=hint, id="runner.W002"))
    return found


@register()
def check_retention(**_: Any) -> list[CheckMessage]:
    """What the settings ask the sweeper to delete must make sense."""
    rule = automatic_rule()
    try:
        if rule is not None:
            rule.check()
        if settings.RETENTION["BATCH"] < 1:
            raise RunError("validation_failed", "FLOWSITE_RETENTION_BATCH is a positive number.")
    except RunError as error:
        hint = "Correct FLOWSITE_RETENTION_DAYS (0: off), FLOWSITE_RETENTION_STATUSES, FLOWSITE_RETENTION_BATCH."
        return [Error(f"Old runs cannot be deleted as the settings say. {error.message}", hint=hint, id="runner.E008")]
    return []


def _is_migrated() -> bool:
    return "runner_run" in connections["default"].introspection.table_names()
