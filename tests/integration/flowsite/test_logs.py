"""Log lines as JSON: each names its run, step, request and person, and tells nothing that was given or found."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.test import Client

from editor.log_context import bound, bound_fields
from flowsite.logs import KEPT, AddContext, OneLine
from runner.leases import worker_name
from runner.models import StepRun
from tests.support.flows import make_person
from tests.support.runs import call, document, finish, offer_tool, start, work

SECRET = "hunter2"


class Lines:
    """What the site logs, read back."""

    def __init__(self) -> None:
        self._text = StringIO()
        self.handler = logging.StreamHandler(self._text)
        self.handler.addFilter(AddContext())
        self.handler.setFormatter(OneLine())

    @property
    def text(self) -> str:
        return self._text.getvalue()

    def all(self, logger: str = "") -> list[dict[str, Any]]:
        found = [json.loads(line) for line in self.text.splitlines()]
        return [line for line in found if line["logger"].startswith(logger)]


@pytest.fixture
def lines() -> Iterator[Lines]:
    found = Lines()
    root, requests = logging.getLogger(), logging.getLogger("flowsite.requests")
    level = requests.level
    root.addHandler(found.handler)
    requests.setLevel(logging.INFO)
    yield found
    requests.setLevel(level)
    root.removeHandler(found.handler)


def test_a_line_is_one_json_object_whatever_is_in_it(lines: Lines) -> None:
    log = logging.getLogger("runner.test")
    log.warning("two\nlines %s", "and “quotes”", extra={"password": SECRET, "request": object()})
    try:
        raise ValueError("unforeseen")
    except ValueError:
        log.exception("it failed")
    first, second = lines.all("runner.test")
    assert first["message"] == "two\nlines and “quotes”" and first["level"] == "WARNING"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+\+00:00", first["timestamp"])
    assert "ValueError: unforeseen" in second["exc_info"]
    assert SECRET not in lines.text and set(first) <= set(KEPT)


def test_what_is_bound_ends_with_its_block() -> None:
    with bound(run_id="r", flow="f"):
        with bound(step_id="s", flow="g"):
            assert bound_fields() == {"run_id": "r", "step_id": "s", "flow": "g"}
        assert bound_fields() == {"run_id": "r", "flow": "f"}
    assert bound_fields() == {}


@pytest.mark.django_db(transaction=True)
def test_lines_of_a_step_name_run_step_attempt_and_worker_also_in_the_tools_own_thread(lines: Lines) -> None:
    def fails(word: str) -> str:
        """Fails.

        Args:
            word: any
        """
        logging.getLogger("an.app").warning("from inside")
        raise KeyError(word)

    offer_tool("test_fails", fails)
    run = finish(document([call("a", "test_fails", {"word": SECRET})]))
    assert run.status == "failed"
    row = StepRun.objects.get(run=run)
    expected = {"run_id": run.pk, "step_id": row.pk, "path": "a", "attempt": 1, "worker": worker_name()}
    for logger in ("an.app", "runner.tools"):
        (line,) = lines.all(logger)
        assert expected.items() <= line.items(), line
    assert SECRET not in lines.text  # what went wrong inside a tool is told by its class and place


@pytest.mark.django_db(transaction=True)
def test_lines_after_a_run_name_it_no_more(lines: Lines) -> None:
    offer_tool("test_one", lambda: 1)
    work(start(document([call("a", "test_one")])))
    logging.getLogger("runner.test").warning("later")
    assert "run_id" not in lines.all("runner.test")[0]


@pytest.mark.django_db
def test_each_request_has_an_id_and_a_line_with_route_status_and_person(lines: Lines, client: Client) -> None:
    person = make_person("ada", "analyst")
    client.force_login(person)
    answer = client.get(f"/runs/?flow={SECRET}", headers={"X-Request-ID": "from-the-proxy.1"})
    assert answer.headers["X-Request-ID"] == "from-the-proxy.1"
    (line,) = lines.all("flowsite.requests")
    expected = {
        "request_id": "from-the-proxy.1",
        "user_id": person.pk,
        "method": "GET",
        "route": "runs/",
        "status": 200,
    }
    assert expected.items() <= line.items() and line["duration_ms"] >= 0
    assert SECRET not in lines.text


@pytest.mark.django_db
def test_an_id_that_is_none_is_replaced_and_strangers_are_nobody(lines: Lines, client: Client) -> None:
    given = 'x" , "level": "DEBUG'
    answer = client.get("/healthz", headers={"X-Request-ID": given})
    assert re.fullmatch(r"[0-9a-f]{16}", answer.headers["X-Request-ID"])
    (line,) = lines.all("flowsite.requests")
    assert "user_id" not in line and line["request_id"] == answer.headers["X-Request-ID"]


@pytest.mark.django_db
def test_lines_of_a_request_carry_its_id_and_its_token_s_owner(lines: Lines, client: Client) -> None:
    from editor.tokens import make_token

    person = make_person("ada", "analyst")
    token = make_token(person, name="a test", scopes=["read"])
    client.get("/api/nowhere/", headers={"Authorization": f"Bearer {token.text}"})
    about = [line for line in lines.all() if line.get("request_id")]
    assert {line["logger"] for line in about} >= {"django.request", "flowsite.requests"}
    assert len({line["request_id"] for line in about}) == 1
    assert about[-1]["user_id"] == person.pk and token.text not in lines.text


@pytest.mark.django_db
def test_a_page_that_is_refused_is_one_line_without_a_traceback(lines: Lines, client: Client) -> None:
    client.force_login(make_person("ada", "analyst"))
    assert client.get("/people/").status_code == 403
    (line,) = lines.all("django.request")
    assert line["level"] == "WARNING" and "exc_info" not in line
