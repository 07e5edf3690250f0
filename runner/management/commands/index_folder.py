"""`manage.py index_folder [NAME…]`: brings the indexes of folders up to date before the first search does."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from runner.tools import ToolError
from runner.tools.folder import FOLDERS, refresh_folder


class Command(BaseCommand):
    help = "Indexes the named folders of documents, or all folders of the settings, and says what was found."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("names", nargs="*", metavar="NAME")

    def handle(self, *args: Any, **options: Any) -> None:
        is_whole = True
        for name in options["names"] or sorted(FOLDERS.places.folders):
            is_whole &= self._index(name)
        if not is_whole:
            raise SystemExit(2)

    def _index(self, name: str) -> bool:
        try:
            found, counts = refresh_folder(name)
        except ToolError as error:
            self.stderr.write(f"{error.code}: {error.message}")
            return False
        self.stdout.write(
            f"{found}: {counts.documents} documents, {counts.passages} passages;"
            f" {counts.added} added, {counts.changed} changed, {counts.removed} removed"
        )
        for reason, number in counts.skipped.items():
            self.stdout.write(f"  left out, {reason}: {number}")
        return True
