"""One approval: the card that shows exactly what would be used, and the decision. GET changes nothing."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST, require_safe

from editor.language.canonical import canonical_text
from runner.deciding import refusal
from runner.engine.errors import RunError
from runner.models import Approval, Decision, Event, StepRun
from runner.serializers.texts import pieces
from runner.serializers.words import actor_words, approval_words, run_words, verdict_words, who_decides
from runner.services.approvals import decide_approval
from runner.services.deciding_several import how_many_alike
from runner.services.earlier_calls import last_such_call
from runner.services.routing import delegate_approval, take_back_approval
from runner.services.runs import actor_of
from runner.services.seeing import note_card_seen
from runner.store.clock import now_ms
from runner.views.approval_card import (
    HandOverForm,
    argument_rows,
    earlier_words,
    handing_words,
    history_of,
    last_attempt,
    people_to_hand_to,
    result_of,
    several_words,
    value_rows,
)
from runner.views.decision_form import Answer, DecisionForm
from runner.views.flow_names import definition_of, flow_title, run_title
from runner.views.pages import page, person, signed_in
from runner.views.steps_table import AttemptRow, attempt_row

LED_HERE = 8
"""Attempts before this one that the card lists."""
_ENDS = ("step-complete", "step-error", "step-skipped")
_CONFLICTS = frozenset(
    {"approval_already_decided", "approval_expired", "approval_digest_mismatch", "run_finished", "run_busy"}
)


def find_approval(user: User, approval_id: str) -> Approval:
    """An approval that this person may see. Raises Http404 for every other."""
    found = Approval.objects.visible_to(user).select_related(
        "run", "run__flow", "run__version", "run__started_by", "delegate"
    )
    approval = found.filter(pk=approval_id).first()
    if approval is None:
        raise Http404("There is no such approval.")
    return approval


@signed_in
@require_safe
def approval_page(request: HttpRequest, approval_id: str) -> HttpResponse:
    """The card of one approval: open with its form, or with what was decided."""
    approval = find_approval(person(request), approval_id)
    note_card_seen(person(request), approval)
    return _card_page(request, approval, status=200)


@signed_in
@require_POST
def decide(request: HttpRequest, approval_id: str) -> HttpResponse:
    """Decide. Who comes second gets the card with the decision of the first, and 409; the comment is kept."""
    user = person(request)
    approval = find_approval(user, approval_id)
    arguments = approval.asked_arguments()
    form = DecisionForm(approval, arguments, request.POST)
    if not form.is_valid():
        return page(request, "inbox/approval.html", _card(request, approval, arguments, form), status=400)
    try:
        _decide(user, approval, form.answer())
    except RunError as error:
        return _refused(request, approval_id, error, form)
    return redirect("approval", approval.pk)


@signed_in
@require_POST
def delegate(request: HttpRequest, approval_id: str) -> HttpResponse:
    """Hand an approval to somebody who may decide it."""
    user = person(request)
    approval = find_approval(user, approval_id)
    form = HandOverForm(people_to_hand_to(approval, user), request.POST)
    if not form.is_valid():
        return _card_page(request, approval, status=400, hand_over=form)
    to: User = form.cleaned_data["to"]
    try:
        delegate_approval(approval.pk, to=to.get_username(), user=user, reason=form.cleaned_data["reason"])
    except RunError as error:
        return _refused(request, approval_id, error)
    messages.success(request, f"It waits for {to.get_username()} now.")
    return redirect("approval", approval.pk)


@signed_in
@require_POST
def take_back(request: HttpRequest, approval_id: str) -> HttpResponse:
    """Let an approval wait for everybody again who may decide it."""
    user = person(request)
    approval = find_approval(user, approval_id)
    try:
        take_back_approval(approval.pk, user=user)
    except RunError as error:
        return _refused(request, approval_id, error)
    messages.success(request, "It waits for everybody again who may decide it.")
    return redirect("approval", approval.pk)


def _decide(user: User, approval: Approval, answer: Answer) -> None:
    decide_approval(
        approval.pk,
        verdict=answer.verdict,
        digest=answer.digest,
        actor=actor_of(user),
        user=user,
        comment=answer.comment,
        arguments=answer.arguments,
        form=answer.form,
    )


def _card_page(request: HttpRequest, approval: Approval, *, status: int, **more: Any) -> HttpResponse:
    arguments = approval.asked_arguments()
    context = _card(request, approval, arguments, DecisionForm(approval, arguments))
    return page(request, "inbox/approval.html", context | more, status=status)


def _refused(request: HttpRequest, approval_id: str, error: RunError, form: DecisionForm | None = None) -> HttpResponse:
    status = 409 if error.code in _CONFLICTS else 403 if error.code in ("permission_denied", "self_approval") else 400
    approval = find_approval(person(request), approval_id)
    problems = (error.details or {}).get("problems")
    more: dict[str, Any] = {"refusal": error, "problems": problems if isinstance(problems, list) else []}
    if form is None:
        return _card_page(request, approval, status=status, **more)
    arguments = approval.asked_arguments()
    if form.data.get("digest") != approval.digest:  # the page shows what is asked now: a next decision is about that
        given: Any = request.POST.copy()
        given["digest"] = approval.digest
        form.data = given
    more |= {"kept_comment": form.cleaned_data.get("comment", "")}
    return page(request, "inbox/approval.html", _card(request, approval, arguments, form) | more, status=status)


def _card(request: HttpRequest, approval: Approval, arguments: Any, form: DecisionForm) -> dict[str, Any]:
    user = person(request)
    decision = Decision.objects.filter(approval=approval).first()
    approval.decision = decision
    refused = refusal(user, approval) if approval.status == "open" else None
    step = last_attempt(approval)
    earlier = last_such_call(approval, arguments, user)
    # Once decided, the call as it was asked for; what one of several approvers made of it stands with the decision.
    told = arguments if approval.status == "open" else approval.value_of("arguments")
    return {
        "approval": approval,
        "words": approval_words(approval),
        "run": approval.run,
        "run_words": run_words(approval.run),
        "flow": flow_title(approval.run),
        "version": run_title(approval.run),
        "node": definition_of(approval.run.version).nodes_by_id.get(approval.node),
        "who": who_decides(approval.group, approval.assignees),
        "asked_by": actor_words(approval.run.actor),
        "step": step,
        "step_row": attempt_row(approval.run, step, now_ms()) if step else None,
        "title": pieces(approval.title or approval.tool or approval.node),
        "instructions": pieces(approval.instructions),
        "reasons": [pieces(reason) for reason in approval.reasons],
        "arguments": argument_rows(told, earlier),
        "earlier": earlier_words(earlier),
        **several_words(approval, arguments, user),
        **handing_words(approval, user, may_decide=refused is None),
        "history": history_of(approval),
        "exact": pieces(canonical_text(told)),
        "led_here": _led_here(approval, step),
        "form": form,
        "refused": refused,
        "alike": how_many_alike(approval, user) if approval.status == "open" and refused is None else 0,
        "now_late": approval.expires_at is not None and now_ms() > int(approval.expires_at.timestamp() * 1000),
        **_outcome(approval, decision, step),
    }


def _led_here(approval: Approval, step: StepRun | None) -> list[AttemptRow]:
    """The attempts that ended last before this was asked."""
    if step is None:
        return []
    ends = Event.objects.filter(run=approval.run_id, type__in=_ENDS, ts__lte=approval.created_at)
    places = list(ends.order_by("-seq").values_list("path", "visit", "attempt")[:LED_HERE])
    if not places:
        return []
    any_of = reduce(or_, (Q(path=path, visit=visit, attempt=attempt) for path, visit, attempt in places))
    found = StepRun.objects.filter(any_of, run=approval.run_id).defer("input", "output", "delta")
    rows = {(one.path, one.visit, one.attempt): attempt_row(approval.run, one, now_ms()) for one in found}
    return [rows[place] for place in reversed(places) if place in rows]


def _outcome(approval: Approval, decision: Decision | None, step: StepRun | None) -> dict[str, Any]:
    if decision is None:
        return {"decision": None}
    changed = decision.value_of("arguments")
    form = decision.value_of("form")
    return {
        "decision": decision,
        "verdict": verdict_words(decision.verdict),
        "decided_by": actor_words(decision.actor),
        "decided_at": decision.at,
        "comment": pieces(decision.comment),
        "changed": value_rows(changed) if changed is not None else [],
        "answers": value_rows(form) if form else [],
        "result": result_of(approval, step),
        "request_number": approval.visit,
    }
