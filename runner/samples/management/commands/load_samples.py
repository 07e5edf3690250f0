"""`manage.py load_samples`: the sample flows as published versions, their files in the input folder."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from editor.language.errors import LanguageError
from runner.samples.loading import copy_inputs, load_flows


class Command(BaseCommand):
    help = "Publishes the sample flows that are not there yet and copies their input files. Safe to repeat."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            for loaded in (*load_flows(), *copy_inputs()):
                self.stdout.write(f"{loaded.what}: {loaded.how}")
        except LanguageError as error:
            raise CommandError(error.message) from error
