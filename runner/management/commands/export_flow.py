"""`manage.py export_flow ID`: writes a flow's document out, its draft or one of its versions."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from editor import services
from editor.language.errors import LanguageError
from editor.models import Flow


class Command(BaseCommand):
    help = "Prints the document of a flow: its draft, or with --version one of its published versions."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("flow_id")
        parser.add_argument("--version-number", type=int, help="number of a published version")
        parser.add_argument("--output", type=Path, help="write to this file, not to the terminal")

    def handle(self, *args: Any, **options: Any) -> None:
        flow = Flow.objects.filter(pk=options["flow_id"]).first()
        if flow is None:
            raise CommandError(f"There is no flow {options['flow_id']!r}.", returncode=2)
        try:
            text = services.export_flow(flow, options["version_number"])
        except LanguageError as error:
            raise CommandError(error.message) from None
        if options["output"] is None:
            self.stdout.write(text)
            return
        try:
            options["output"].write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{options['output']} cannot be written: {error.strerror}.", returncode=2) from None
        self.stdout.write(f"{flow.pk}: written to {options['output']}")
