"""Who decides: the rule for an approval at hand and the one for the database say the same, for everybody."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import override_settings

from editor.models import Flow, FlowGrant
from runner.deciding import decided_by, people_who_decide, refusal, waiting_counts
from runner.models import Approval, Run, StepRun
from tests.integration.pages.samples import ASKS
from tests.support.flows import begin, make_people, make_person, publish

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> dict[str, User]:
    found = make_people() | {name: make_person(name, *groups) for name, *groups in (("fin", "finance"), ("guest",))}
    return found | {"both": make_person("both", "reviewer", "analyst"), 'o"hara': make_person('o"hara')}


def copies_of(approval: Approval, names: dict[str, list[Any]]) -> None:
    """Make a copy of an approval for each combination of these columns."""
    for number, values in enumerate(product(*names.values())):
        approval.pk = f"copy-{approval.run_id[:8]}-{number}"
        for name, value in zip(names, values, strict=True):
            setattr(approval, name, value)
        approval.save(force_insert=True)


@pytest.fixture
def approvals(people: dict[str, User]) -> list[Approval]:
    """Approvals of open, restricted, shared and archived flows, for groups, people and nobody, of several starters."""
    for number, starter in enumerate(("analyst", "both", "admin")):
        for shared in (None, "guest", "finance"):
            name = f"flow-{number}-{shared}".lower()
            version = publish({**ASKS, "id": name}, people["analyst"])
            run = begin(version, people[starter])
            Flow.objects.filter(pk=name).update(is_restricted=bool(shared))
            if shared == "guest":
                FlowGrant.objects.create(flow_id=name, person=people["guest"], rights=["decide"])
            elif shared == "finance":
                FlowGrant.objects.create(flow_id=name, group=Group.objects.get(name="finance"), rights=["view", "run"])
            named: list[Any] = [[], ["guest"], ["finance", "x"], ['o"hara'], ["gues"]]
            copies_of(
                Approval.objects.get(run=run),
                {
                    "tool": [None, "pay_invoice"],
                    "group": [None, "", "finance", "reviewer"],
                    "assignees": named,
                    "escalated_to": [None, "finance"],
                },
            )
    assert StepRun.objects.count() and Run.objects.count() == 9
    return list(Approval.objects.select_related("run__flow"))


@pytest.mark.parametrize("self_approval", ["", "yes", "no"])
def test_both_rules_say_the_same(people: dict[str, User], approvals: list[Approval], self_approval: str) -> None:
    with override_settings(SELF_APPROVAL=self_approval):
        seen = set()
        deciders = {one.pk: set(people_who_decide(one).values_list("pk", flat=True)) for one in approvals}
        for name in people:
            user = User.objects.get(username=name)
            by_rule = {one.pk for one in approvals if refusal(user, one) is None}
            by_database = set(Approval.objects.filter(decided_by(user)).values_list("pk", flat=True))
            assert by_database == by_rule, name
            assert by_rule == {one.pk for one in approvals if user.pk in deciders[one.pk]}, name
            seen.add(len(by_rule))
        assert len(seen) > 3, "the people differ"


def test_nobody_who_is_gone_decides(people: dict[str, User], approvals: list[Approval]) -> None:
    gone = people["admin"]
    gone.is_active = False
    assert not Approval.objects.filter(decided_by(gone)).exists()
    assert waiting_counts(gone).open == ""


def test_the_count_stops_where_nobody_counts_any_more(people: dict[str, User], approvals: list[Approval]) -> None:
    assert waiting_counts(User.objects.get(username="admin")).open == "99+"
