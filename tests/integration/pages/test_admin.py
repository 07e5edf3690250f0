"""The admin of Django: people of the admin group read everything, nobody changes anything, no list reads it all."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from editor.admin import CappedPaginator, ReadOnlyAdmin
from editor.models import ApiToken, FlowVersion
from editor.tokens import make_token
from runner.models import Approval, Decision, Event, Run, StepRun
from tests.integration.pages.samples import ASKS, FAILS
from tests.support.flows import append_events, begin, decide, make_person, publish

READ_ONLY = [model for model, shown in admin.site._registry.items() if isinstance(shown, ReadOnlyAdmin)]


def path_of(model: type, kind: str, *args: object) -> str:
    meta = model._meta  # type: ignore[attr-defined]
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_{kind}", args=args)


@pytest.fixture
def run(people: dict[str, User]) -> Run:
    """A run with a decision in it."""
    asking = begin(publish(ASKS, people["analyst"]), people["analyst"])
    return decide(asking, people["reviewer"], "approved", form={"grade": "good"}, comment="well done")


@pytest.fixture
def client(client_of: Callable[..., Client]) -> Client:
    return client_of("admin")


def test_every_table_of_the_record_is_there() -> None:
    names = {model.__name__ for model in READ_ONLY}
    expected = "Run StepRun Event Approval Decision Artifact FlowVersion Flow Draft AuditEntry PurgeTicket ApiToken"
    assert set(expected.split()) <= names


def test_lists_and_rows_can_be_read_and_nothing_changed(run: Run, client: Client) -> None:
    for model in READ_ONLY:
        assert client.get(path_of(model, "changelist")).status_code == 200, model
        assert client.get(path_of(model, "add")).status_code == 403, model
        row = model._default_manager.first()
        if row is None:
            continue
        path = path_of(model, "change", row.pk)
        page = client.get(path)
        assert page.status_code == 200, model
        assert b'name="_save"' not in page.content, model
        assert client.post(path, {}).status_code == 403, model
        assert client.post(path_of(model, "delete", row.pk), {"post": "yes"}).status_code == 403, model


def test_only_staff_of_the_admin_group_gets_in(
    run: Run, people: dict[str, User], client_of: Callable[..., Client]
) -> None:
    people["staff"] = make_person("staff", "analyst", is_staff=True)
    for name in ("analyst", "reviewer", "outsider"):
        assert client_of(name).get(path_of(Run, "changelist")).status_code == 302
    assert client_of("staff").get(path_of(Run, "changelist")).status_code == 403
    assert client_of("staff").get(path_of(Run, "change", run.pk)).status_code == 403


def test_every_attempt_can_be_read_whole(people: dict[str, User], client: Client) -> None:
    failed = begin(publish(FAILS, people["analyst"]), people["analyst"])
    for step in StepRun.objects.filter(run=failed):
        page = unescape(client.get(path_of(StepRun, "change", step.pk)).content.decode())
        assert step.input_digest in page and step.worker in page
    boom = StepRun.objects.get(run=failed, path="boom")
    page = client.get(path_of(StepRun, "change", boom.pk)).content.decode()
    assert "no &lt;b&gt;luck&lt;/b&gt;" in page and "<b>luck" not in page


def test_a_run_links_to_its_steps_events_and_decisions(run: Run, client: Client) -> None:
    page = unescape(client.get(path_of(Run, "change", run.pk)).content.decode())
    for model, found in ((StepRun, "ask"), (Event, "step-complete"), (Decision, "approved"), (Approval, "Go on?")):
        path = f"{path_of(model, 'changelist')}?run__id__exact={run.pk}"
        assert path in page
        assert found in client.get(path).content.decode()


def test_a_search_finds_runs_by_how_their_id_begins(run: Run, people: dict[str, User], client: Client) -> None:
    other = begin(FlowVersion.objects.get(), people["analyst"])
    page = client.get(path_of(Run, "changelist"), {"q": run.pk[:10]}).content.decode()
    assert run.pk in page and other.pk not in page
    assert client.get(path_of(StepRun, "changelist"), {"q": "\0'%"}).status_code == 200


def test_a_list_reads_no_long_column_and_counts_only_so_far(
    run: Run, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    append_events(run.pk, 300)
    monkeypatch.setattr(CappedPaginator, "cap", 120)
    for model in (Run, StepRun, Event, Approval, Decision, FlowVersion):
        with CaptureQueriesContext(connection) as captured:
            page = client.get(path_of(model, "changelist")).content.decode()
        assert len(captured) < 15, model
        for query in captured:
            text = query["sql"]
            table = model._meta.db_table
            if f'FROM "{table}"' not in text:
                continue
            assert "COUNT(" not in text, text
            for column in ("text", "input", "output", "inputs", "result", "document", "policy"):
                assert f'"{table}"."{column}"' not in text.split(" FROM ")[0], (model, column)
    page = client.get(path_of(Event, "changelist")).content.decode()
    assert "120 events" in page, "no more than the cap is counted"


def test_tokens_are_listed_without_what_proves_them(people: dict[str, User], client: Client) -> None:
    made = make_token(people["analyst"], name="nightly", scopes=["read"])
    for path in (path_of(ApiToken, "changelist"), path_of(ApiToken, "change", made.row.pk)):
        page = client.get(path).content.decode()
        assert "nightly" in page and made.row.digest not in page and made.text not in page
