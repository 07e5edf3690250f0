"""Deciding several approvals that are alike on one page: what is the same in all, what differs, a choice for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from editor.language.canonical import canonical_text
from runner.engine.errors import RunError
from runner.models import Approval
from runner.services.deciding_several import MOST, Decided, alike, decide_several
from runner.services.seeing import note_card_seen
from runner.views.approval import find_approval
from runner.views.flow_names import flow_title, run_title
from runner.views.pages import page, person, signed_in
from runner.views.values import Shown, shown

LONGEST_COMMENT = 10_000


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def several(request: HttpRequest, approval_id: str) -> HttpResponse:
    """The approvals like this one that wait for this person; by POST those that were chosen are decided."""
    user = person(request)
    first = find_approval(user, approval_id)
    decided: list[Decided] = []
    refusal: RunError | None = None
    if request.method == "POST":
        try:
            decided = _decide(request, user, first)
        except RunError as error:
            refusal = error
    context = _table(user, first) | {
        "first": first,
        "flow": flow_title(first.run),
        "version": run_title(first.run),
        "most": MOST,
        "decided": decided,
        "refusal": refusal,
        "chosen": set(request.POST.getlist("chosen")) if refusal else set(),
        "comment": request.POST.get("comment", "") if refusal else "",
    }
    return page(request, "inbox/several.html", context, status=400 if refusal else 200)


def _decide(request: HttpRequest, user: User, first: Approval) -> list[Decided]:
    sent = request.POST
    chosen = [(name, sent.get(f"digest-{name}", "")) for name in dict.fromkeys(sent.getlist("chosen"))]
    comment = sent.get("comment", "").replace("\r\n", "\n")[:LONGEST_COMMENT]
    return decide_several(first, chosen, verdict=sent.get("verdict", ""), user=user, comment=comment)


def _table(user: User, first: Approval) -> dict[str, Any]:
    """The arguments that are the same in all, and for each approval those that differ."""
    rows = alike(first, user)
    for row in rows:
        note_card_seen(user, row)
    asked: list[Any] = [row.asked_arguments() for row in rows]
    names = list(dict.fromkeys(name for one in asked for name in one))
    same = [name for name in names if len({canonical_text([one.get(name), name in one]) for one in asked}) == 1]
    differ = [name for name in names if name not in same]
    return {
        "same": [_cell(asked[0], name) for name in same],
        "differ": differ,
        "rows": [{"approval": row, "cells": _cells(one, differ)} for row, one in zip(rows, asked, strict=True)],
    }


def _cells(arguments: Any, names: Sequence[str]) -> list[tuple[str, Shown | None]]:
    return [(name, _cell(arguments, name) if name in arguments else None) for name in names]


def _cell(arguments: Any, name: str) -> Shown:
    return shown(name, arguments[name], whole=True)
