"""`manage.py import_flow FILE`: takes a document in as a draft, says what its checks find, publishes it if asked."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from editor import services
from editor.language.errors import LanguageError
from editor.language.formats import FORMATS
from editor.language.problems import errors_of
from runner.catalog import CATALOG


class Command(BaseCommand):
    help = (
        "Imports a flow document (JSON) as a draft, in our form or a foreign one that is known. "
        "With --publish it also becomes the flow's next version."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the document")
        parser.add_argument("--replace", action="store_true", help="replace the draft of a flow with the same id")
        parser.add_argument("--publish", action="store_true", help="publish it if the checks find no error")
        parser.add_argument("--id", help="id of the flow if a foreign document has none; else the name of the file")
        parser.add_argument("--note", default="", help="what the version is for")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            source = options["file"].read_bytes()
        except OSError as error:
            raise CommandError(f"{options['file']} cannot be read: {error.strerror}.", returncode=2) from None
        try:
            taken = services.import_document(
                source, by=None, replace=options["replace"], default_id=options["id"] or options["file"].stem
            )
            flow = taken.flow
            problems = services.check_draft(flow, CATALOG)
            self.stdout.write(f"{flow.pk}: the draft holds the document of {options['file'].name}")
            self._tell_losses(taken)
            for found in problems:
                place = found.path or "the document"
                self.stdout.write(f"  {found.severity}: {found.code} at {place}: {found.message}")
            if not options["publish"]:
                return
            if errors_of(problems):
                raise CommandError("It is not published: mend its errors first.")
            version = services.publish_version(flow, by=None, catalog=CATALOG, note=options["note"])
        except LanguageError as error:
            is_taken = "flow" in (error.details or {}) and not options["replace"]
            hint = " With --replace this document takes the place of its draft." if is_taken else ""
            raise CommandError(error.message + hint) from None
        self.stdout.write(f"{flow.pk}: published version {version.number}")

    def _tell_losses(self, taken: services.FlowImport) -> None:
        title = next((known.title for known in FORMATS if known.name == taken.format), None)
        if title is None:
            return
        said = f"{len(taken.losses)} said differently" if taken.losses else "nothing is said differently"
        self.stdout.write(f"  read in the {title}: {said}")
        for loss in taken.losses:
            self.stdout.write(f"  differs: at {loss.place or 'the document'}: {loss.what} {loss.instead}")
