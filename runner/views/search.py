"""One box for everything: flows, runs, approvals and, for admins, people. Each question reads a bounded number of rows.

Runs are found by the beginning of their id, by who started them, by their flow, and by words of their inputs that
were kept when they started. Everything goes through `visible_to`.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from editor.models import Flow
from runner.models import Approval, Run
from runner.models.visibility import is_admin
from runner.models.words import RunWord
from runner.store.words import words_in
from runner.views.inbox import UNREAD, WITH_RUN, asks
from runner.views.pages import page, person, signed_in
from runner.views.runs import run_rows

SHOWN = 10
"""Rows of each kind."""
SCANNED_FLOWS, SCANNED_APPROVALS, CANDIDATES = 2_000, 500, 300
LONGEST, SHORTEST_ID = 200, 4
_AFTER_ALL = "\U0010ffff"


@signed_in
@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """What `?q=` finds, each kind in its own list."""
    user = person(request)
    asked = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST]
    context: dict[str, Any] = {"asked": asked}
    if asked:
        flows, people = _flows(user, asked), _people(user, asked)
        context |= {
            "flows": flows,
            "rows": run_rows(_runs(user, asked)),
            "asks": asks(user, _approvals(user, asked)),
            "people": people,
            "starter": _starter(user, asked),
        }
        context["nothing"] = not any(context[kind] for kind in ("flows", "rows", "asks", "people", "starter"))
    return page(request, "search/results.html", context)


def _flows(user: User, asked: str) -> list[Flow]:
    """Flows whose name, id or description holds all words, best first: a flow's name is worth most."""
    rows = Flow.objects.visible_to(user).in_use().only("id", "name", "description").order_by("name", "pk")
    parts = asked.casefold().split()
    found: list[tuple[int, Flow]] = []
    for flow in rows[:SCANNED_FLOWS]:
        name, rest = f"{flow.name} {flow.pk}".casefold(), flow.description.casefold()
        if all(part in name or part in rest for part in parts):
            found.append((sum(part not in name for part in parts), flow))
    return [flow for _, flow in sorted(found, key=lambda one: one[0])[:SHOWN]]


def _runs(user: User, asked: str) -> list[Run]:
    """The newest runs that are found by id or by words."""
    found = [*_ids_by_beginning(asked), *_ids_by_words(asked)]
    return list(Run.objects.visible_to(user).filter(pk__in=found).for_lists().defer("error")[:SHOWN])


def _ids_by_beginning(asked: str) -> list[str]:
    text = asked.lower()
    if len(text) < SHORTEST_ID or len(text) > 32 or set(text) - set("0123456789abcdef"):
        return []
    rows = Run.objects.filter(pk__gte=text, pk__lt=text + "g").order_by("pk")
    return list(rows.values_list("pk", flat=True)[:CANDIDATES])


def _ids_by_words(asked: str) -> list[str]:
    """Runs that have all words; the last one, which may still be typed, need only begin so."""
    words = words_in(asked)
    if not words:
        return []
    *whole, last = words
    rows = RunWord.objects.filter(word__gte=last, word__lt=last + _AFTER_ALL)
    for word in whole:
        rows = rows.filter(run__in=RunWord.objects.filter(word=word).values("run"))
    exact = RunWord.objects.filter(pk__in=rows.filter(word=last).order_by("-started_at").values("pk")[:CANDIDATES])
    newest = list(exact.values_list("run_id", flat=True))
    begun = rows.order_by("word").values_list("run_id", flat=True)[: CANDIDATES - len(newest)]
    return list(dict.fromkeys([*newest, *begun]))


def _approvals(user: User, asked: str) -> list[Approval]:
    """Open approvals whose title or tool holds the text, and any whose id begins so."""
    visible = Approval.objects.visible_to(user)
    known_by = visible.open().order_by("created_at", "pk").values_list("pk", "title", "tool")[:SCANNED_APPROVALS]
    wanted = asked.casefold()
    found = [pk for pk, title, tool in known_by if wanted in f"{title} {tool or ''}".casefold()][:SHOWN]
    if len(asked) >= SHORTEST_ID and asked.isalnum():
        found += [approval.pk for approval in _beginning(visible.only("pk"), "pk", asked.lower())]
    shown = visible.filter(pk__in=found).select_related("decision", *WITH_RUN).defer(*UNREAD)
    return list(shown.order_by("created_at", "pk")[:SHOWN])


def _people(user: User, asked: str) -> list[User]:
    """For admins: people by the beginning of their name or address."""
    if not is_admin(user):
        return []
    found: dict[int, User] = {}
    for column in ("username", "first_name", "last_name", "email"):
        for text in {asked, asked.lower(), asked.capitalize()}:
            found |= {one.pk: one for one in _beginning(User.objects.all(), column, text)}
    return list(found.values())[:SHOWN]


def _starter(user: User, asked: str) -> User | None:
    """The person of exactly this name, if they have started a run that the user sees."""
    starter = User.objects.filter(username=asked).first()
    if starter is None:
        return None
    newest = Run.objects.filter(started_by=starter).order_by("-started_at").values_list("pk", flat=True)[:CANDIDATES]
    return starter if Run.objects.visible_to(user).filter(pk__in=list(newest)).exists() else None


def _beginning(rows: QuerySet[Any, Any], column: str, text: str) -> list[Any]:
    """Rows of which a column begins with a text: a range, which an index answers."""
    found: list[Model] = list(
        rows.filter(**{f"{column}__gte": text, f"{column}__lt": text + _AFTER_ALL}).order_by(column)[:SHOWN]
    )
    return found
