"""Makes the groups every site has. Their names, and what a group may see and do, are the apps' own."""

from typing import Any

from django.apps import apps as installed_apps

from editor.visibility import GROUPS


def create_groups(using: str, apps: Any = installed_apps, **_: Any) -> None:
    """Make the groups that are missing; a receiver of post_migrate."""
    try:
        groups = apps.get_model("auth", "Group")._base_manager.using(using)
    except LookupError:
        return  # only some apps were migrated: auth has no tables yet
    known = set(groups.filter(name__in=GROUPS).values_list("name", flat=True))
    groups.bulk_create([groups.model(name=name) for name in sorted(GROUPS - known)])
