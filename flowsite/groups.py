"""The groups every site has. What a group may see and do is decided by the apps' permissions."""

from typing import Any

GROUPS = ("analyst", "reviewer", "admin")


def create_groups(using: str, **_: Any) -> None:
    """Make the groups that are missing; a receiver of post_migrate."""
    from django.contrib.auth.models import Group

    known = set(Group.objects.using(using).filter(name__in=GROUPS).values_list("name", flat=True))
    Group.objects.using(using).bulk_create([Group(name=name) for name in GROUPS if name not in known])
