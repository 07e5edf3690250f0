"""What tools and handlers log: kept with the attempt whatever becomes of it, bounded, covered where it is sensitive."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from runner.models import Run, StepLog, StepRun
from runner.services.runs import cancel_run
from runner.services.step_logs import Log, log_of
from runner.services.steps import run_segment
from runner.store.logs import write_log
from runner.store.purge import purge_run
from runner.sweeper import sweep
from runner.tools import ToolContext, ToolError
from tests.support.flows import make_people
from tests.support.runs import PROGRAM, call, document, finish, offer_tool, start, step, work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _fast(settings: Any) -> None:
    settings.TEST_CLOCK = True
    settings.FLOWSITE = settings.FLOWSITE | {"CANCEL_POLL_MS": 30}


def log(run_id: str, path: str, attempt: int = 1) -> Log:
    return log_of(Run.objects.get(pk=run_id), step(run_id, path, attempt))


def messages(found: Log) -> list[str]:
    return [line.message for line in found.lines]


def test_lines_are_kept_with_the_result_and_with_a_failure_of_each_attempt() -> None:
    def says(name: str, ctx: ToolContext) -> str:
        """Logs.

        Args:
            name: what
        """
        ctx.log(f"before {name}", attempt=ctx.attempt)
        if name == "fails":
            raise ToolError("No.")
        return name

    offer_tool("test_says", says)
    fails = call("bad", "test_says", {"name": "fails"}, retry={"max_attempts": 2, "backoff_ms": 0})
    run = finish(document([call("good", "test_says", {"name": "works"}), fails], ["good>bad"]))
    assert run.status == "failed"
    assert messages(log(run.pk, "good")) == ["before works"]
    assert log(run.pk, "good").lines[0].fields == {"attempt": 1}
    for attempt in (1, 2):
        assert log(run.pk, "bad", attempt).lines[0].fields == {"attempt": attempt}
    assert not (step(run.pk, "good").notes or {}).get("log")


def test_an_attempt_that_logs_nothing_costs_no_row() -> None:
    offer_tool("test_quiet", lambda: 1)
    assert finish(document([call("a", "test_quiet")])).status == "succeeded"
    assert not StepLog.objects.exists()


def test_a_handler_that_never_ends_leaves_what_it_logged() -> None:
    hangs = threading.Event()

    def stuck(ctx: ToolContext) -> None:
        ctx.log("I will be here for a while")
        hangs.wait(20)

    offer_tool("test_stuck", stuck)
    run = finish(document([call("a", "test_stuck", timeout_ms=50)]))
    hangs.set()
    assert run.error["code"] == "operation_timeout"
    assert messages(log(run.pk, "a")) == ["I will be here for a while"]


def test_lines_of_a_running_attempt_can_be_read_and_outlive_its_worker() -> None:
    go_on, wait = threading.Event(), threading.Event()

    def slow(ctx: ToolContext) -> int:
        ctx.log("begun", fence=ctx.fence)
        wait.set()
        go_on.wait(20)
        return ctx.fence

    offer_tool("test_slow", slow)
    run_id = start(document([call("a", "test_slow")]))
    worker = threading.Thread(target=run_segment, args=(step(run_id, "a").pk,))
    worker.start()
    assert wait.wait(20)
    until = time.monotonic() + 20
    while not StepLog.objects.exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert messages(log(run_id, "a")) == ["begun"]
    # Its lease ends unseen, somebody else takes the step over, and the first result comes too late.
    StepRun.objects.filter(pk=step(run_id, "a").pk).update(lease_expires_at=1)
    sweep()
    go_on.set()
    worker.join()
    assert work(run_id).status == "succeeded"
    assert [(line.fence, line.fields["fence"]) for line in log(run_id, "a").lines] == [(1, 1), (3, 3)]
    assert step(run_id, "a").lost == 1


def test_a_canceled_run_keeps_what_its_step_logged() -> None:
    begun = threading.Event()

    def waits(ctx: ToolContext) -> None:
        ctx.log("waiting")
        begun.set()
        ctx.abort.wait(20)
        ctx.log("told to stop")
        ctx.abort.raise_if_aborted()

    offer_tool("test_waits", waits)
    run_id = start(document([call("a", "test_waits")]))
    worker = threading.Thread(target=run_segment, args=(step(run_id, "a").pk,))
    worker.start()
    assert begun.wait(20)
    cancel_run(run_id, actor=PROGRAM)
    worker.join()
    assert messages(log(run_id, "a")) == ["waiting", "told to stop"]


def test_a_shorter_state_of_a_log_never_takes_the_place_of_a_longer_one() -> None:
    offer_tool("test_logs", lambda: 1)
    run_id = start(document([call("a", "test_logs")]))
    lines = [{"at_ms": n, "message": "x"} for n in range(5)]
    step_id = step(run_id, "a").pk
    write_log(run_id, step_id, 1, lines, 2)
    write_log(run_id, step_id, 1, lines[:3], 0)
    found = log(run_id, "a")
    assert (len(found.lines), found.dropped) == (5, 2)


def test_logs_of_sensitive_steps_are_covered_everywhere_and_purged_with_their_run(client: Client) -> None:
    people: dict[str, User] = make_people()
    client.force_login(people["analyst"])

    def tells(word: str, ctx: ToolContext) -> str:
        """Logs what it was given.

        Args:
            word: any
        """
        ctx.log(f"it is {word}", word=word)
        return "done"

    offer_tool("test_tells", tells)
    inputs = [
        {"name": "secret", "type": "short_text", "required": True, "sensitive": True},
        {"name": "open", "type": "short_text", "required": True},
    ]
    nodes = [call("hidden", "test_tells", {"word": "{{secret}}"}), call("shown", "test_tells", {"word": "{{open}}"})]
    run = finish(document(nodes, ["hidden>shown"], inputs=inputs), inputs={"secret": "hunter2", "open": "<b>plain</b>"})
    assert run.status == "succeeded"
    for path, told in (("hidden", False), ("shown", True)):
        row = step(run.pk, path)
        for address in (reverse("step", args=[run.pk, row.pk]), reverse("step", args=[run.pk, row.pk]) + "?part"):
            page = client.get(address).content.decode()
            assert ("it is &lt;b&gt;plain&lt;/b&gt;" in page) is told and "hunter2" not in page
            assert ("covered: sensitive" in page) is not told
        answer = client.get(f"/api/runs/{run.pk}/steps/{row.pk}/").json()
        assert answer["log"]["covered"] is not told and len(answer["log"]["lines"]) == told
        assert "hunter2" not in str(answer)
    assert purge_run(run.pk, actor=PROGRAM, reason="a test")["steplog"] == 2
    assert not StepLog.objects.exists()
