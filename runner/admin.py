"""The admin's view of runs: everything can be read, nothing can be changed. Actions on runs are on the pages."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from editor.admin import ReadOnlyAdmin, one_of
from runner.models import (
    Approval,
    Artifact,
    Decision,
    Event,
    PurgeTicket,
    Run,
    Scope,
    SignedHead,
    StateValue,
    StepRun,
    Timer,
)
from runner.serializers.words import actor_words, run_words
from runner.services.seeing import note_row_seen

VERDICTS = ("approved", "rejected", "happened", "not_happened", "try_again")
OF_RUN = (StepRun, Event, Approval, Decision, Artifact, StateValue, Scope, Timer, SignedHead)


@admin.display(description="everything of this run")
def links_of_run(run: Run) -> SafeString:
    """Links from a run to its page and to the lists of its rows."""
    rows = [
        (
            reverse(f"admin:runner_{model._meta.model_name}_changelist"),
            run.pk,
            model._meta.verbose_name_plural,
        )
        for model in OF_RUN
    ]
    links = format_html_join(" · ", '<a href="{}?run__id__exact={}">{}</a>', rows)
    return format_html('<a href="{}">page of the run</a> · {}', reverse("run", args=[run.pk]), links)


@admin.display(description="run")
def run_link(row: Any) -> SafeString:
    """A link to the run of a row, without loading the run."""
    return format_html('<a href="{}">{}</a>', reverse("admin:runner_run_change", args=[row.run_id]), row.run_id[:8])


@admin.display(description="actor")
def actor(row: Any) -> str:
    """Who did it, by name."""
    return actor_words(row.actor)


class ShowsValues(ReadOnlyAdmin):
    """Pages that show values uncovered: who opens one that may be sensitive is kept in the audit."""

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        row = self.get_object(request, unquote(object_id)) if self.has_view_permission(request) else None
        if row is not None:
            note_row_seen(request.user, row)
        return super().change_view(request, object_id, form_url, extra_context)


@admin.register(Run)
class RunAdmin(ShowsValues):
    """Runs, newest first. A search finds ids by how they begin."""

    list_display = (
        "short_id",
        "words",
        "flow_id",
        "version",
        "preset",
        "started_by",
        "started_at",
        "ended_at",
        "seq",
    )
    list_filter = ("status",)
    list_select_related = ("version", "started_by")
    ordering = ("-started_at", "-id")
    extra = (links_of_run,)
    never_shown = ("salt",)

    @admin.display(description="run")
    def short_id(self, run: Run) -> str:
        """The first letters of the id."""
        return run.pk[:8]

    @admin.display(description="status")
    def words(self, run: Run) -> str:
        """The status in words."""
        return run_words(run).text


class OfRunAdmin(ShowsValues):
    """Rows that belong to a run: a search is for the id of the run, from its beginning."""

    search_column = "run_id"
    search_help_text = "Id of the run, or how it begins"


@admin.register(StepRun)
class StepRunAdmin(OfRunAdmin):
    """Every attempt, with input, output and error."""

    list_display = (
        run_link,
        "path",
        "visit",
        "attempt",
        "type",
        "status",
        "worker",
        "started_at",
        "ended_at",
        "lost",
    )
    list_display_links = ("path",)
    list_filter = ("status",)
    ordering = ("run", "path", "visit", "attempt")


@admin.register(Event)
class EventAdmin(OfRunAdmin):
    """The history of runs, as it was hashed."""

    list_uses = ("actor",)
    list_display = (run_link, "seq", "type", "level", actor, "path", "visit", "attempt", "ts")
    list_display_links = ("seq",)
    list_filter = (one_of("level", ("public", "detail")),)
    ordering = ("run", "seq")


@admin.register(Approval)
class ApprovalAdmin(OfRunAdmin):
    """Requests to people."""

    list_display = (
        run_link,
        "title",
        "tool",
        "path",
        "visit",
        "kind",
        "status",
        "group",
        "created_at",
        "expires_at",
    )
    list_display_links = ("title",)
    list_filter = ("status", one_of("kind", ("tool", "node", "unknown")))
    ordering = ("run", "id")


@admin.register(Decision)
class DecisionAdmin(OfRunAdmin):
    """What people decided."""

    list_uses = ("actor",)
    list_display = (run_link, "approval_id", "verdict", actor, "at", "comment")
    list_display_links = ("approval_id",)
    list_filter = (one_of("verdict", VERDICTS),)
    ordering = ("-id",)


@admin.register(Artifact)
class ArtifactAdmin(OfRunAdmin):
    """What runs produced."""

    list_display = (run_link, "artifact", "filename", "type", "content_size", "created_at")
    list_display_links = ("artifact",)
    ordering = ("run", "id")


@admin.register(StateValue)
class StateValueAdmin(OfRunAdmin):
    """Current values of a run's state, scope by scope."""

    list_display = (run_link, "scope", "kind", "key", "value_size", "seq")
    list_display_links = ("key",)
    ordering = ("run", "scope", "kind", "key")


@admin.register(Scope)
class ScopeAdmin(OfRunAdmin):
    """Where the paths of a run live."""

    list_display = (run_link, "n", "parent", "kind", "node", "status", "live")
    list_display_links = ("n",)
    ordering = ("run", "n")


@admin.register(Timer)
class TimerAdmin(OfRunAdmin):
    """What is due, and what was."""

    list_display = (run_link, "id", "kind", "due_at", "status", "step_id")
    list_display_links = ("id",)
    list_filter = (one_of("status", ("armed", "held", "fired", "canceled")),)
    ordering = ("run", "id")


@admin.register(SignedHead)
class SignedHeadAdmin(OfRunAdmin):
    """Signatures over histories."""

    list_display = (run_link, "seq", "key_id", "at", "hash")
    list_display_links = ("seq",)
    ordering = ("run", "seq")


@admin.register(PurgeTicket)
class PurgeTicketAdmin(ReadOnlyAdmin):
    """Which runs were deleted, by whom and why."""

    search_column = "run_id"
    search_help_text = "Id of the deleted run, or how it begins"
    list_uses = ("actor",)
    list_display = ("run_id", actor, "at", "reason")
    ordering = ("-id",)

    def get_list_display_links(self, request: HttpRequest, list_display: Any) -> list[Any]:
        return ["run_id"]
