"""`manage.py dossier_keys`: the public keys by which dossiers of this site are verified."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from runner.dossier_key import public_keys


class Command(BaseCommand):
    help = "Shows the public keys of this site's dossiers: id, key, and which one signs today."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        for key in public_keys():
            self.stdout.write(f"{key.id}  {key.hex}  {'signs today' if key.is_current else 'of the past'}")
