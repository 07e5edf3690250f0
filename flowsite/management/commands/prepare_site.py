"""Brings the database up to date before the site starts: backup, migrations, samples, demo people."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command, get_commands
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor

from flowsite.backup import back_up_sqlite


class Command(BaseCommand):
    help = "Back up the SQLite file if migrations are pending, migrate, load the samples and demo people."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            connection.ensure_connection()
        except OperationalError as error:
            raise CommandError(f"The database does not answer. Check DATABASE_URL. It says: {error}") from error
        if self._migrations_are_pending():
            self._back_up()
        call_command("migrate", verbosity=0, interactive=False)
        call_command("create_demo_people")
        if "load_samples" in get_commands():
            call_command("load_samples")

    def _migrations_are_pending(self) -> bool:
        executor = MigrationExecutor(connection)
        return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))

    def _back_up(self) -> None:
        if connection.vendor != "sqlite" or not connection.introspection.table_names():
            return
        copy = back_up_sqlite(Path(connection.settings_dict["NAME"]), settings.VAR / "backups")
        self.stdout.write(f"Migrations are pending: the database was copied to {copy} first.")
