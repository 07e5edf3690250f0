"""Makes one person for each role, so that a new site can be tried at once."""

import secrets
from typing import Any

from django.contrib.auth.models import Group, User
from django.core.management.base import BaseCommand
from django.db import transaction

from editor.visibility import ADMIN, ANALYST, REVIEWER


class Command(BaseCommand):
    help = "Create analyst, reviewer and admin if the site has no people yet; print their passwords once."

    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic():
            if User.objects.exists():
                return
            passwords = {name: secrets.token_urlsafe(9) for name in (ANALYST, REVIEWER, ADMIN)}
            for name, password in passwords.items():
                self._create_person(name, password)
        self.stdout.write("People to sign in as. These passwords are shown only this once:")
        for name, password in passwords.items():
            self.stdout.write(f"    {name:<10} {password}")

    def _create_person(self, name: str, password: str) -> None:
        is_admin = name == ADMIN
        person = User.objects.create_user(name, password=password, is_staff=is_admin, is_superuser=is_admin)
        person.groups.add(Group.objects.get_or_create(name=name)[0])
