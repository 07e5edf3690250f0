"""The admin's view of flows: read-only, and the base of every read-only list of the site."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.core.paginator import Paginator
from django.db import models
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.safestring import SafeString

from editor.models import ApiToken, AuditEntry, Draft, Flow, FlowGrant, FlowVersion, Invitation
from editor.visibility import ADMIN, is_one_of

if TYPE_CHECKING:
    AnyPaginator = Paginator[Any]
    AnyModelAdmin = admin.ModelAdmin[Any]
else:  # at run time neither class takes parameters
    AnyPaginator = Paginator
    AnyModelAdmin = admin.ModelAdmin

SHOWN_CHARS = 200_000
"""The most that a page of the admin shows of one value."""


class CappedPaginator(AnyPaginator):
    """Counts no further than a cap, so that a list of millions of rows opens as fast as a short one."""

    cap = 2_000

    @cached_property
    def count(self) -> int:
        """The number of rows, or the cap."""
        rows: Any = self.object_list
        return len(rows.values_list("pk", flat=True)[: self.cap])


def one_of(column: str, choices: Sequence[str]) -> type[admin.SimpleListFilter]:
    """A filter of a list by a column without choices of its own. Django's would look for them in the whole table."""

    class OneOf(admin.SimpleListFilter):
        title = column
        parameter_name = f"{column}__exact"

        def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
            return [(choice, choice.replace("_", " ")) for choice in choices]

        def queryset(self, request: HttpRequest, queryset: models.QuerySet[Any]) -> models.QuerySet[Any]:
            wanted = self.value()
            return queryset.filter(**{column: wanted}) if wanted in choices else queryset

    return OneOf


def may_look(request: HttpRequest) -> bool:
    """Whether this person reads in the admin: staff that are superusers or in the group admin."""
    user: Any = request.user
    return bool(user.is_staff and is_one_of(user, ADMIN))


class ReadOnlyAdmin(AnyModelAdmin):
    """Lists and pages of rows that nobody edits here.

    `search_column` is an indexed text column: a search finds the rows where it begins with the text.
    `never_shown` are columns for the program's eyes only.
    `extra` are further read-only columns of a row's page. Long columns are left out of lists, but for those shown
    there by name and those in `list_uses`, which functions of the list read.
    """

    search_column = "pk"
    search_fields = ("pk",)
    search_help_text = "Id, or how it begins"
    list_uses: tuple[str, ...] = ()
    never_shown: tuple[str, ...] = ()
    extra: tuple[Callable[[Any], object], ...] = ()
    actions = None
    paginator = CappedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER  # a count for each choice reads the whole table
    list_per_page = 50
    list_max_show_all = 50

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may_look(request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return may_look(request)

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Any]:
        rows = super().get_queryset(request)
        match = request.resolver_match
        if match is not None and (match.url_name or "").endswith("_changelist"):
            shown = {*self.list_display, *self.list_uses}
            rows = rows.defer(*(field.name for field in _long_columns(self.model) if field.name not in shown))
        return rows

    def get_search_results(
        self, request: HttpRequest, queryset: models.QuerySet[Any], search_term: str
    ) -> tuple[models.QuerySet[Any], bool]:
        term = search_term.strip().replace("\0", "")
        if not term:
            return queryset, False
        # A range, which every index answers; LIKE is answered by none of ours.
        upper = term + "zzzzzzzz"
        return queryset.filter(**{f"{self.search_column}__gte": term, f"{self.search_column}__lt": upper}), False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        shown = [field for field in self.model._meta.fields if field.name not in self.never_shown]
        return [*self.extra, *(_column(field) for field in shown)]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return self.get_readonly_fields(request, obj)


def _long_columns(model: type[models.Model]) -> list[models.Field[Any, Any]]:
    return [field for field in model._meta.fields if isinstance(field, (models.TextField, models.JSONField))]


def _column(field: models.Field[Any, Any]) -> Any:
    """A field by name, or a function that shows its JSON on several lines."""
    if not isinstance(field, (models.TextField, models.JSONField)):
        return field.name
    name = field.name

    @admin.display(description=field.verbose_name)
    def shown(row: Any) -> SafeString | str:
        has_blob = getattr(row, f"{name}_ref", None) is not None and hasattr(row, "value_of")
        value = row.value_of(name) if has_blob else getattr(row, name)
        if value is None or isinstance(value, str):
            text = value
        else:
            text = json.dumps(value, indent=2, ensure_ascii=False, sort_keys=True)
        if not text:
            return "-"
        cut = "\n… cut here" if len(text) > SHOWN_CHARS else ""
        return format_html("<pre>{}{}</pre>", text[:SHOWN_CHARS], cut)

    shown.__name__ = name
    return shown


@admin.register(Flow)
class FlowAdmin(ReadOnlyAdmin):
    """Flows. They are changed in the editor."""

    list_display = ("id", "name", "owner", "last_number", "created_at", "archived_at")
    list_select_related = ("owner",)
    ordering = ("name", "id")


@admin.register(Draft)
class DraftAdmin(ReadOnlyAdmin):
    """The editable copies."""

    list_display = ("flow_id", "revision", "updated_by", "updated_at")
    list_display_links = ("flow_id",)
    list_select_related = ("flow", "updated_by")
    ordering = ("flow",)


@admin.register(FlowVersion)
class FlowVersionAdmin(ReadOnlyAdmin):
    """Frozen documents, published and trial."""

    search_column = "flow_id"
    search_help_text = "Id of the flow, or how it begins"
    list_display = ("__str__", "kind", "content_hash", "created_by", "created_at", "note")
    list_filter = ("kind",)
    list_select_related = ("created_by",)
    ordering = ("-id",)


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    """Keys of programs: whose, for what, last used when. Their owners revoke them on a page of their own."""

    search_column = "prefix"
    search_help_text = "How the token begins, without fst_"
    list_display = ("prefix", "name", "owner", "scopes", "created_at", "last_used_at", "expires_at", "revoked_at")
    list_select_related = ("owner",)
    ordering = ("-id",)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return [column for column in super().get_readonly_fields(request, obj) if column != "digest"]


@admin.register(FlowGrant)
class FlowGrantAdmin(ReadOnlyAdmin):
    """Who flows are shared with. Changed on each flow's page of that."""

    search_column = "flow_id"
    search_help_text = "Id of the flow, or how it begins"
    list_display = ("flow_id", "person", "group", "rights")
    list_select_related = ("person", "group")
    ordering = ("flow", "id")


@admin.register(Invitation)
class InvitationAdmin(ReadOnlyAdmin):
    """Links that work once. Made and taken back on the page of people."""

    search_column = "email"
    search_help_text = "E-mail, or how it begins"
    never_shown = ("digest",)
    list_display = ("id", "role", "email", "person", "made_by", "created_at", "expires_at", "used_at", "revoked_at")
    list_select_related = ("person", "made_by")
    ordering = ("-id",)


# Accounts and groups are changed on the site's page of people, which writes the audit.
admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class PersonAdmin(ReadOnlyAdmin):
    """Accounts."""

    search_column = "username"
    search_help_text = "User name, or how it begins"
    never_shown = ("password",)
    list_display = ("username", "first_name", "last_name", "email", "is_active", "last_login")
    ordering = ("username",)


@admin.register(Group)
class GroupOfPeopleAdmin(ReadOnlyAdmin):
    """Groups."""

    search_column = "name"
    search_help_text = "Name, or how it begins"
    list_display = ("name",)
    ordering = ("name",)


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    """Who changed what, and why. A search is for the type of the object, such as `flow`."""

    search_column = "object_type"
    search_help_text = "Type of the object, such as flow"
    list_display = ("at", "actor_kind", "actor_name", "action", "object_type", "object_id", "reason")
    ordering = ("-id",)
