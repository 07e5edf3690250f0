"""The audit page: deeds of both kinds in one order, filters, pages without gaps, and the files."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.test import AsyncClient, Client
from django.urls import reverse

import editor
import runner
from editor.audit import ACTIONS, record
from runner.models import Run
from runner.services.audit_trail import Cursor, Wanted, trail, whole_trail
from runner.views import audit
from tests.integration.pages.samples import ASKS
from tests.support.flows import begin, publish


@pytest.fixture
def run(people: dict[str, User]) -> Run:
    return begin(publish(ASKS, people["analyst"]), people["analyst"])


def exported(client: Client, query: str = "") -> str:
    response = client.get(reverse("audit-export") + query)
    assert response.status_code == 200
    return b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]


def test_deeds_on_flows_and_on_runs_stand_in_one_order(run: Run, client_of: Callable[..., Client]) -> None:
    page = client_of("admin").get(reverse("audit")).content.decode()
    deeds = re.findall(r"<code>([a-z-]+)</code>", page)
    assert deeds.index("flow-start") < deeds.index("flow-publish") < deeds.index("flow-create")
    assert f"/runs/{run.pk}/?seq=1" in page


def test_what_the_engine_does_by_itself_is_no_deed(run: Run) -> None:
    assert {row.action for row in trail(Wanted(run_id=run.pk))} == {"flow-start"}
    assert {row.actor["kind"] for row in trail(Wanted())} == {"user"}


def test_filters_narrow_by_person_action_flow_run_and_day(run: Run, people: dict[str, User]) -> None:
    record(people["admin"], "flow-archive", ("flow", "other"), reason="old")
    assert [row.action for row in trail(Wanted(who="admin"))] == ["flow-archive"]
    assert trail(Wanted(who="nobody")) == []
    assert [row.action for row in trail(Wanted(action="flow-start"))] == ["flow-start"]
    assert {row.object_id for row in trail(Wanted(flow_id="asks"))} == {"asks", run.pk}
    assert trail(Wanted(since=run.started_at.replace(year=run.started_at.year + 1))) == []


def test_a_run_is_found_by_the_beginning_that_pages_show(run: Run, client_of: Callable[..., Client]) -> None:
    admin = client_of("admin")
    lines = [json.loads(line) for line in exported(admin, f"?run={run.pk[:8].upper()}").splitlines()]
    assert lines and {line["object_id"] for line in lines} == {run.pk}
    record(None, "run-purge", ("run", "00ff" + "1" * 28))
    record(None, "run-purge", ("run", "00ff" + "2" * 28))
    assert "Several runs begin with 00ff" in admin.get("/operations/audit/?run=00ff").content.decode()
    gone = exported(admin, "?run=00ff2222")
    assert json.loads(gone)["object_id"] == "00ff" + "2" * 28
    assert exported(admin, "?run=00000000") == ""


async def _streamed(admin: User) -> list[bytes]:
    client = AsyncClient()
    await client.aforce_login(admin)
    answer = await client.get(reverse("audit-export"))
    assert answer.is_async  # type: ignore[attr-defined]
    return [piece async for piece in answer.streaming_content]  # type: ignore[attr-defined]


@pytest.mark.django_db(transaction=True)
def test_an_asynchronous_server_sends_the_file_piece_by_piece(
    run: Run, people: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "LINES_AT_ONCE", 2)
    pieces = async_to_sync(_streamed)(people["admin"])
    assert len(pieces) > 1
    assert [len(piece.splitlines()) for piece in pieces[:-1]] == [2] * (len(pieces) - 1)


def test_pages_leave_nothing_out_and_repeat_nothing(run: Run, people: dict[str, User]) -> None:
    for number in range(25):
        record(people["admin"], "flow-rename", ("flow", f"f{number}"))
    whole = list(whole_trail(Wanted(), 1_000))
    seen, cursor = [], Cursor()
    for _ in range(len(whole)):
        found = trail(Wanted(), cursor, 4)
        seen += found
        cursor = Cursor.read(str(cursor.behind(found)))
    assert seen == whole and len({row.place for row in seen}) == len(seen)


def test_a_cursor_that_is_none_begins_anew() -> None:
    for text in ("", "x", "1-2", "-1-z-2", "9" * 40):
        assert Cursor.read(text) == Cursor()


def test_the_files_hold_the_filtered_rows(run: Run, people: dict[str, User], client_of: Callable[..., Client]) -> None:
    record(people["admin"], "flow-archive", ("flow", "other"), reason='=HYPERLINK("x")')
    client = client_of("admin")
    lines = [json.loads(line) for line in exported(client, "?who=admin").splitlines()]
    assert [line["action"] for line in lines] == ["flow-archive"]
    rows: list[dict[str, Any]] = list(csv.DictReader(io.StringIO(exported(client, "?who=admin&as=csv"))))
    assert rows[0]["reason"] == '\'=HYPERLINK("x")', "a spreadsheet must not take it for a formula"


def test_a_wrong_filter_is_told_and_shows_nothing(run: Run, client_of: Callable[..., Client]) -> None:
    """Rows that were not asked for would be taken for those that were, above all in a file."""
    client = client_of("admin")
    page = client.get(reverse("audit") + "?since=yesterday").content.decode()
    assert "Enter a valid date." in page and run.pk not in page
    answer = client.get(reverse("audit-export") + "?since=yesterday&as=csv")
    assert answer.status_code == 302 and answer["Location"].startswith(reverse("audit") + "?since=yesterday")


def test_only_admins_read_it(run: Run, client_of: Callable[..., Client]) -> None:
    for name in ("analyst", "reviewer"):
        assert client_of(name).get(reverse("audit")).status_code == 403
        assert client_of(name).get(reverse("audit-export")).status_code == 403


def test_every_action_that_is_recorded_can_be_chosen() -> None:
    files = [path for app in (editor, runner) for path in Path(app.__path__[0]).rglob("*.py")]
    calls = re.compile(r'record\(\s*[\w.]+,\s*"([a-z-]+)"(?: if \w+ else "([a-z-]+)")?')
    found = {name for path in files for names in calls.findall(path.read_text(encoding="utf-8")) for name in names}
    assert found - {""} == set(ACTIONS)
