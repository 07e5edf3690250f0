"""Lists ask the database as often for a thousand rows as for ten, page by key, and read no column with values."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from editor.models import Draft, Flow, FlowVersion
from runner.models import Approval, Artifact, Run, StepRun
from tests.integration.api.conftest import Program
from tests.integration.pages.samples import ASKS, LARGE
from tests.support.flows import append_events, begin, publish

FEW, MANY = 10, 1_000
VALUES = (
    '"document"', '"inputs"', '"result"', '"policy"', '"error"', '"input"', '"output"', '"delta"', '"late_output"',
    '"notes"', '"arguments"', '"content"', '"form"', '"instructions"', '"reasons"',
)  # fmt: skip

#: Who was erased is asked for every ten seconds by a process, whatever is listed.
ERASED = 'FROM "editor_erasure"'


def copies(row: Any, count: int, **changes: Any) -> None:
    """Add rows like this one, each with an id of its own."""
    model = type(row)
    columns = {field.attname: getattr(row, field.attname) for field in model._meta.concrete_fields}
    has_text_id = model._meta.pk.get_internal_type() == "CharField"
    made = []
    for number in range(count):
        own = {model._meta.pk.attname: uuid.uuid4().hex if has_text_id else None}
        own |= {name: value(number) if callable(value) else value for name, value in changes.items()}
        made.append(model(**(columns | own)))
    model._base_manager.bulk_create(made, batch_size=500)


@pytest.fixture
def grow(people: dict[str, User]) -> Callable[[int], dict[str, str]]:
    """A function that adds so many rows to every list; gives the paths of the lists."""
    asking = begin(publish(ASKS, people["analyst"]), people["analyst"])
    large = begin(publish(LARGE, people["analyst"]), people["analyst"])
    next_number = iter(range(1, 100_000))

    def add(count: int) -> dict[str, str]:
        copies(Flow.objects.get(pk="asks"), count, id=lambda _: f"f{uuid.uuid4().hex}", last_number=0)
        Draft.objects.bulk_create(Draft(flow=flow, document="{}") for flow in Flow.objects.filter(draft__isnull=True))
        version = FlowVersion.objects.get(flow="asks", number=1)
        copies(version, count, number=lambda _: 1 + next(next_number))
        copies(asking, count, idempotency_key=None)
        copies(Approval.objects.filter(run=asking).first(), count)
        step = StepRun.objects.filter(run=large, path="keep").first()
        copies(step, count, path=lambda _: f"loop[{next(next_number)}].keep")
        copies(Artifact.objects.filter(run=large).first(), count)
        append_events(large.pk, count)
        return {
            "flows": "flows/",
            "versions": "flows/asks/versions/",
            "runs": "runs/",
            "runs of a flow": "runs/?flow=asks",
            "runs by status": "runs/?status=awaiting_approval",
            "approvals": "approvals/",
            "approvals of a run": f"approvals/?run={asking.pk}",
            "steps": f"runs/{large.pk}/steps/",
            "artifacts": f"runs/{large.pk}/artifacts/",
            "events": f"runs/{large.pk}/events/",
        }

    return add


def statements(program: Program, path: str) -> tuple[list[str], Any]:
    with CaptureQueriesContext(connection) as captured:
        page = program.read(path)
    asked = [query["sql"] for query in captured.captured_queries]
    return [sql for sql in asked if ERASED not in sql], page


def test_lists_ask_as_often_for_a_thousand_rows_as_for_ten(
    grow: Callable[[int], dict[str, str]], with_token: Callable[..., Program]
):
    program = with_token("analyst", "read")
    program.read("flows/")  # the first use of a token is noted
    few = {name: len(statements(program, path)[0]) for name, path in grow(FEW).items()}
    for name, path in grow(MANY - FEW).items():
        whole = path + ("&" if "?" in path else "?") + "limit=200"
        asked, page = statements(program, whole)
        assert len(page["items"]) == 200 and page["next"] is not None, name
        assert len(asked) == few[name] <= 5, (name, asked)
        following = f"{whole}&after={page['next']}"
        asked, page = statements(program, following)
        assert len(asked) == few[name] and len(page["items"]) == 200, name
        assert not any(" OFFSET " in sql or "COUNT(" in sql for sql in asked), name
        listing = asked[-1]
        read = listing.partition(" FROM ")[0]
        assert not [column for column in VALUES if f".{column}" in read], (name, listing)


def test_a_list_is_read_through_to_its_end_without_loss(grow: Callable[[int], dict[str, str]], analyst: Program):
    paths = grow(250)
    expected = {
        "flows": Flow.objects.in_use().count(),
        "versions": FlowVersion.objects.filter(flow="asks").count(),
        "runs": Run.objects.count(),
        "approvals": Approval.objects.count(),
        "steps": StepRun.objects.filter(run__flow="large").count(),
        "artifacts": Artifact.objects.count(),
    }
    for name, count in expected.items():
        keys: list[Any] = []
        after = ""
        while True:
            page = analyst.read(f"{paths[name]}?limit=97{after}")
            keys += [one.get("id", one.get("number")) for one in page["items"]]
            if page["next"] is None:
                break
            after = f"&after={page['next']}"
        assert len(keys) == len(set(keys)) == count, name
