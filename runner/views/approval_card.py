"""Parts of an approval's card: what is different this time, who approved already, where it went, what came of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.urls import reverse

from editor.language.diff import Change, compare_values
from runner.deciding import has_approved, people_who_decide
from runner.models import Approval, Routing, StepRun, to_instant
from runner.models.fields import to_ms
from runner.serializers.texts import Piece, pieces, pretty
from runner.serializers.words import actor_words, count_of, verdict_words
from runner.services.earlier_calls import EarlierCall
from runner.services.mail import sent_before
from runner.services.sensitive import touches_sensitive
from runner.views.run_values import COVERED
from runner.views.values import Shown, shown, shown_of

MOST_PEOPLE = 200
"""So many people the list of whom to hand something to names."""


# Arguments, and how they differ from those of the last such call


@dataclass(frozen=True)
class Difference:
    """One value that is another than last time. `place`: where inside the argument, empty: all of it."""

    place: str
    words: str
    before: list[Piece]


@dataclass(frozen=True)
class ArgumentRow:
    """One argument with what is different about it. `gone`: it was there last time, and is not now."""

    shown: Shown
    differences: list[Difference]
    gone: bool = False


def value_rows(value: Any) -> list[Shown]:
    """Each member of an object on a line of its own; anything else is one line."""
    if isinstance(value, dict):
        return [shown(name, item, whole=True) for name, item in value.items()]
    return [shown("value", value, whole=True)]


def argument_rows(arguments: Any, earlier: EarlierCall | None) -> list[ArgumentRow]:
    """The arguments, each with what is different from the last such call."""
    return _marked(arguments, (earlier.changes or ()) if earlier is not None else ())


def _marked(arguments: Any, changes: Iterable[Change]) -> list[ArgumentRow]:
    by_name: dict[str, list[Difference]] = {}
    gone: list[ArgumentRow] = []
    for change in changes:
        name, _, place = change.path.removeprefix("/").partition("/")
        name = name.replace("~1", "/").replace("~0", "~")
        if change.kind == "removed" and not place:
            gone.append(ArgumentRow(shown(name, change.before), [_difference(change, "")], gone=True))
        else:
            by_name.setdefault(name, []).append(_difference(change, place))
    rows = [ArgumentRow(one, by_name.get(one.label if isinstance(arguments, dict) else "", []))
            for one in value_rows(arguments)]  # fmt: skip
    return rows + gone


def _difference(change: Change, place: str) -> Difference:
    if change.kind == "added":
        return Difference(place, "new", [])
    return Difference(place, "left out" if change.kind == "removed" else "was", pieces(_short(change.before)))


def _short(value: Any) -> str:
    text = pretty(value)
    return text if len(text) <= 200 else text[:200] + "…"


def earlier_words(earlier: EarlierCall | None) -> dict[str, Any] | None:
    """Who decided the last such call, how and when, and how much differs."""
    if earlier is None:
        return None
    if earlier.changes is None:
        told = "The arguments are not compared: they may hold something sensitive."
    else:
        told = count_of(len(earlier.changes), "difference") if earlier.changes else "The arguments are the same."
    return {
        "approval": earlier.approval,
        "verdict": verdict_words(earlier.decision.verdict),
        "by": actor_words(earlier.decision.actor),
        "at": earlier.decision.at,
        "told": told,
    }


# Several people who have to approve


def several_words(approval: Approval, arguments: Any, user: Any) -> dict[str, Any]:
    """How many people have to approve, who did, and what one of them changed."""
    if approval.needed == 1:
        return {"several": None}
    given = [
        {"by": actor_words(one["actor"]), "at": to_instant(one["at"]), "comment": pieces(one["comment"])}
        for one in approval.approved_by
    ]
    is_changed = approval.offer is not None or approval.offer_ref is not None
    changes = compare_values(approval.value_of("arguments"), arguments) if is_changed else ()
    return {
        "several": {
            "needed": approval.needed,
            "given": given,
            "left": max(0, approval.needed - len(given)),
            "mine": has_approved(user, approval),
            "changes": [row for row in _marked(arguments, changes) if row.differences],
        }
    }


# Handing it to somebody


class HandOverForm(forms.Form):
    """Whom to hand an approval to, of those who may decide it."""

    to = forms.ModelChoiceField(User.objects.none(), label="To", empty_label="Choose somebody")
    reason = forms.CharField(
        label="Reason", required=False, max_length=2_000, help_text="They see it, and it is kept."
    )  # fmt: skip

    def __init__(self, people: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choice = self.fields["to"]
        assert isinstance(choice, forms.ModelChoiceField)
        choice.queryset = people
        choice.label_from_instance = _named  # type: ignore[method-assign, assignment]


def _named(one: Any) -> str:
    full = one.get_full_name()
    return f"{full} ({one.get_username()})" if full else str(one.get_username())


def people_to_hand_to(approval: Approval, user: Any) -> Any:
    """Everybody else who may decide an approval, and has not approved it yet."""
    done = [int(one["person"]) for one in approval.approved_by if one["person"].isdigit()]
    return people_who_decide(approval).exclude(pk__in=[user.pk, approval.delegate_id or 0, *done])


def handing_words(approval: Approval, user: Any, *, may_decide: bool) -> dict[str, Any]:
    """Whom an approval waits for, and the form to hand it on."""
    if approval.status != "open":
        return {"hand_over": None, "delegate": None}
    people = list(people_to_hand_to(approval, user)[:MOST_PEOPLE]) if may_decide else []
    able = people_who_decide(approval)[: approval.needed].count() if approval.needed > 1 else 1
    form = HandOverForm(User.objects.filter(pk__in=[one.pk for one in people]).order_by("username"))
    return {
        "delegate": approval.delegate,
        "delegate_is_me": approval.delegate_id == user.pk,
        "hand_over": form if people else None,
        "may_take_back": may_decide and approval.delegate is not None,
        "too_few": able if able < approval.needed else None,
    }


# What happened to it


@dataclass(frozen=True)
class Happened:
    """One line of an approval's own history."""

    at: datetime
    words: str
    reason: list[Piece]


def history_of(approval: Approval) -> list[Happened]:
    """Where an approval went: handed over, reminded of, escalated; and who was told by e-mail. In order."""
    rows = Routing.objects.filter(approval=approval).select_related("person").order_by("pk")
    found = [Happened(row.at, _routing_words(row), pieces(row.reason)) for row in rows]
    for kind, (at, names) in sent_before(approval).items():
        found.append(Happened(to_instant(at), f"Told by e-mail{_MAILED[kind]}: {_some(names)}", []))
    return sorted(found, key=lambda one: to_ms(one.at))


_MAILED = {
    "asked": "",
    "delegated": " that it was handed over",
    "reminded": " again",
    "escalated": " of the escalation",
}


def _some(names: list[str]) -> str:
    more = len(names) - 5
    return ", ".join(names[:5]) + (f" and {count_of(more, 'other')}" if more > 0 else "")


def _routing_words(row: Routing) -> str:
    who, name = actor_words(row.actor), row.person.get_username() if row.person else ""
    if row.kind == Routing.Kind.DELEGATED:
        return f"{who} handed it to {name}"
    if row.kind == Routing.Kind.TAKEN_BACK:
        return f"{who} took it back from {name}"
    if row.kind == Routing.Kind.ESCALATED:
        return f"Escalated: the group {row.group} may decide, too"
    return "A reminder: it had waited long, or was to expire soon"


# What came of it


def last_attempt(approval: Approval) -> StepRun | None:
    """The newest attempt that this approval was asked for or used by; without its input and delta."""
    rows = StepRun.objects.filter(run=approval.run_id, path=approval.path, visit=approval.visit).defer("input", "delta")
    used = rows.filter(approval_id=approval.pk).order_by("-attempt").first()
    return used or rows.filter(pk=approval.step_run_id).first()


def result_of(approval: Approval, step: StepRun | None) -> Shown | None:
    """What the call gave back, once it has ended well."""
    if step is None or approval.kind == "node" or step.status != "succeeded":
        return None
    if touches_sensitive(approval.run, step):
        return Shown("Result", masked=COVERED)
    return shown_of(step, "output", "Result", reverse("step-value", args=[approval.run_id, step.pk, "output"]))
