"""The audit for admins: who did what, filtered by what the address says, and the same rows as a file."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import AsyncIterator, Iterator
from datetime import datetime, time
from itertools import islice
from typing import Any

from asgiref.sync import sync_to_async
from django import forms
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from editor.audit import ACTIONS
from runner import dossier_key
from runner.models.fields import to_instant
from runner.models.history import ACTS
from runner.services.audit_trail import Cursor, Row, Wanted, runs_beginning, trail, whole_trail
from runner.views.operations import demand_operator
from runner.views.pages import page, signed_in

ROWS = 50
EXPORTED_ROWS = 100_000
LINES_AT_ONCE = 200
COLUMNS = ("at", "actor_kind", "actor", "action", "object", "object_id", "event", "reason", "before", "after")
_SHORT_ID = re.compile(r"[0-9a-f]{4,31}")
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


class AuditForm(forms.Form):
    """What to show. Everything is optional; the address holds it."""

    who = forms.CharField(required=False, max_length=150, label="Person")
    action = forms.ChoiceField(
        required=False, choices=[("", "All"), *((name, name) for name in sorted({*ACTIONS, *ACTS}))]
    )
    flow = forms.CharField(required=False, max_length=63)
    run = forms.CharField(required=False, max_length=32)
    since = forms.DateField(required=False, label="From", widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(required=False, label="To", widget=forms.DateInput(attrs={"type": "date"}))

    def clean_run(self) -> str:
        """The whole id of the run; pages show its beginning. Raises ValidationError where several begin so."""
        given: str = self.cleaned_data["run"].strip().lower()
        found = runs_beginning(given) if _SHORT_ID.fullmatch(given) else []
        if len(found) > 1:
            raise forms.ValidationError(f"Several runs begin with {given}. Give more of the id.")
        return found[0] if found else given

    def wanted(self) -> Wanted:
        """What was asked for; a field that is wrong is told on the page, which shows no rows then."""
        given = self.cleaned_data if self.is_valid() else getattr(self, "cleaned_data", {})
        since, until = given.get("since"), given.get("until")
        zone = timezone.get_current_timezone()
        return Wanted(
            who=given.get("who", ""),
            action=given.get("action", ""),
            flow_id=given.get("flow", ""),
            run_id=given.get("run", ""),
            since=datetime.combine(since, time.min, zone) if since else None,
            until=datetime.combine(until, time.max, zone) if until else None,
        )


@signed_in
@require_safe
def audit_page(request: HttpRequest) -> HttpResponse:
    """The newest deeds first. Every row about a run opens the run at that event."""
    form = _asked(request)
    cursor = Cursor.read(request.GET.get("after", ""))
    rows = trail(form.wanted(), cursor, ROWS + 1) if form.is_valid() else []
    query = request.GET.copy()
    query.pop("after", None)
    filters = query.urlencode()
    if len(rows) > ROWS:
        query["after"] = str(cursor.behind(rows[:ROWS]))
    context = {
        "form": form,
        "rows": [_shown(row) for row in rows[:ROWS]],
        "filters": filters,
        "next": query.urlencode() if len(rows) > ROWS else "",
        "dossier_keys": dossier_key.public_keys(),
        "is_first": "after" not in request.GET,
    }
    return page(request, "operations/audit.html", context)


@signed_in
@require_safe
def export(request: HttpRequest) -> HttpResponseBase:
    """The same rows as a file: `?as=csv`, or one JSON object a line. With a wrong filter, the page that says so."""
    form = _asked(request)
    if not form.is_valid():
        return redirect(f"{reverse('audit')}?{request.GET.urlencode()}")
    rows = whole_trail(form.wanted(), EXPORTED_ROWS)
    as_csv = request.GET.get("as") == "csv"
    lines = _csv(rows) if as_csv else (json.dumps(_flat(row), ensure_ascii=False) + "\n" for row in rows)
    kind, ending = ("text/csv; charset=utf-8", "csv") if as_csv else ("application/jsonl", "jsonl")
    # A server of the asynchronous kind would read all of what is not asynchronous before it sends anything.
    body = _in_pieces(lines) if isinstance(request, ASGIRequest) else lines
    response = StreamingHttpResponse(body, content_type=kind)
    response.headers["Content-Disposition"] = f'attachment; filename="audit.{ending}"'
    return response


def _asked(request: HttpRequest) -> AuditForm:
    demand_operator(request)
    return AuditForm(request.GET)


def _shown(row: Row) -> dict[str, Any]:
    return {
        "at": to_instant(row.at_ms),
        "who": row.actor.get("name") or row.actor.get("kind"),
        "kind": row.actor.get("kind"),
        "action": row.action,
        "object_type": row.object_type,
        "object_id": row.object_id,
        "seq": row.seq,
        "reason": row.reason,
        "before": _text(row.before),
        "after": _text(row.after),
    }


def _text(value: Any) -> str:
    return "" if value in (None, {}) else json.dumps(value, ensure_ascii=False, indent=1)


def _flat(row: Row) -> dict[str, Any]:
    values = (
        to_instant(row.at_ms).isoformat(timespec="milliseconds"),
        row.actor.get("kind", ""),
        row.actor.get("name", ""),
        row.action,
        row.object_type,
        row.object_id,
        row.seq,
        row.reason,
        row.before,
        row.after,
    )
    return dict(zip(COLUMNS, values, strict=True))


def _csv(rows: Iterator[Row]) -> Iterator[str]:
    yield _line(COLUMNS)
    for row in rows:
        yield _line([_cell(value) for value in _flat(row).values()])


async def _in_pieces(lines: Iterator[str]) -> AsyncIterator[str]:
    """The same text, some lines at a time: never more of it is held in memory."""
    take = sync_to_async(lambda: "".join(islice(lines, LINES_AT_ONCE)))
    while piece := await take():
        yield piece


def _line(cells: Any) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue()


def _cell(value: Any) -> str:
    """A value as a cell. A text that a spreadsheet would take for a formula gets an apostrophe before it."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
