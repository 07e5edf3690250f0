"""`manage.py erase_person NAME --reason WHY`: erases a person's data; their account stays as a pseudonym."""

from __future__ import annotations

import getpass
from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand

from editor.language.errors import LanguageError
from runner.services.erasing import erase_person

_REFUSED = 2


class Command(BaseCommand):
    help = (
        "Erases a person's data for good: name, e-mail, sessions, tokens, links, saved views. Their account stays as a"
        " pseudonym, histories stay whole. Says what was removed, and what was kept because the audit needs it. Exit"
        " code 2: it was refused."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--reason", default="", help="kept in the audit; needed")

    def handle(self, *args: Any, **options: Any) -> None:
        person = User.objects.filter(username=options["username"]).first()
        actor = {"kind": "user", "id": "command line", "name": getpass.getuser()}
        try:
            if person is None:
                raise LanguageError("not_found", f"There is nobody called {options['username']!r}.")
            done = erase_person(person, by=actor, reason=options["reason"])
        except LanguageError as error:
            self.stderr.write(f"{error.code}: {error.message}")
            raise SystemExit(_REFUSED) from None
        self.stdout.write(f"{options['username']} is {done.pseudonym} from now on.")
        for told, counts in (("Removed", done.removed), ("Kept, shown by the pseudonym", done.kept)):
            listed = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items() if count)
            self.stdout.write(f"{told}: {listed or 'nothing'}.")
        if done.named_in:
            self.stdout.write(
                f"Named in what people wrote, which stays until they change it: {', '.join(done.named_in)}."
            )
