"""Runs of sub-flows: made with their step, ended together, and put right by the sweeper after any loss."""

from __future__ import annotations

from typing import Any

import pytest

from editor.services import import_flow, publish_version
from runner.catalog import CATALOG
from runner.models import Run
from runner.services import after_commit
from runner.services.after_commit import settle_child_runs
from runner.services.history import verify_history
from runner.services.runs import cancel_run
from tests.support.runs import PROGRAM, document, finish, start, step, work

pytestmark = pytest.mark.django_db(transaction=True)

DOUBLE = document(
    [
        {"id": "d", "type": "evaluator", "config": {"expression": "n * 2"}},
        {"id": "e", "type": "end", "config": {"value": {"twice": "{{steps.d.output}}"}}},
    ],
    ["d>e"],
    inputs=[{"name": "n", "type": "integer", "required": True}],
) | {"id": "double"}

THROWS = document([{"id": "t", "type": "throw", "config": {"message": "no", "code": "sold_out"}}]) | {"id": "throws"}
WAITS = document([{"id": "w", "type": "wait", "config": {"signal": "go"}}]) | {"id": "waits"}


@pytest.fixture(autouse=True)
def _published() -> None:
    for written in (DOUBLE, THROWS, WAITS):
        publish_version(import_flow(written, by=None), by=None, catalog=CATALOG, note="")


def calling(flow: str, **config: Any) -> dict[str, Any]:
    """A document whose one step runs another flow."""
    given = {"flow": flow, "version": 1, "inputs": {}} | config
    return document([{"id": "s", "type": "subflow", "config": given}])


def child_of(run_id: str) -> Run:
    """The one child run of a run."""
    return Run.objects.get(parent_run=run_id)


def test_a_child_run_gives_its_result_to_the_step_that_waits_for_it() -> None:
    run = finish(calling("double", inputs={"n": 4}))
    child = child_of(run.id)
    assert (run.status, run.value_of("result")) == ("succeeded", {"twice": 8})
    assert (child.status, child.depth, child.parent_step) == ("succeeded", 1, step(run.id, "s").id)
    assert child.version.number == 1
    assert verify_history(run.id).is_whole and verify_history(child.id).is_whole


def test_a_failure_in_the_child_fails_the_step_with_its_code() -> None:
    run = finish(calling("throws"))
    assert run.status == "failed"
    assert (run.error["code"], run.error["step"], run.error["details"]["step"]) == ("sold_out", "s", "t")


def test_a_canceled_run_cancels_its_child() -> None:
    run = finish(calling("waits"))
    assert run.status == "active"
    cancel_run(run.id, actor=PROGRAM)
    assert child_of(run.id).status == "canceled"


def test_a_canceled_child_fails_the_step() -> None:
    run = finish(calling("waits"))
    cancel_run(child_of(run.id).id, actor=PROGRAM)
    run.refresh_from_db()
    assert (run.status, run.error["code"]) == ("failed", "canceled")


def test_a_step_that_does_not_wait_gives_the_id_of_its_child() -> None:
    run = finish(calling("waits", wait=False))
    child = child_of(run.id)
    assert (run.status, run.value_of("result")) == ("succeeded", child.id)
    assert child.status == "active"
    assert settle_child_runs(10) == 0


def test_a_flow_that_runs_itself_stops_at_the_depth_limit() -> None:
    written = document(
        [{"id": "s", "type": "subflow", "config": {"flow": "test_flow", "version": "self", "inputs": {}}}]
    )
    run = finish(written)
    assert (run.status, run.error["code"]) == ("failed", "limit_exceeded")
    assert Run.objects.count() == 17


def test_word_that_was_lost_between_runs_is_given_by_the_sweeper(monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = start(calling("waits"))
    work(run_id)
    child = child_of(run_id)
    with monkeypatch.context() as lost:
        lost.setattr(after_commit, "follow_up", lambda run, command: None)
        cancel_run(child.id, actor=PROGRAM)
    assert Run.objects.get(pk=run_id).status == "active"
    assert settle_child_runs(10) == 1
    assert Run.objects.get(pk=run_id).status == "failed"


def test_a_child_that_nobody_waits_for_any_more_is_canceled_by_the_sweeper(monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = start(calling("waits"))
    work(run_id)
    with monkeypatch.context() as lost:
        lost.setattr(after_commit, "follow_up", lambda run, command: None)
        cancel_run(run_id, actor=PROGRAM)
    child = child_of(run_id)
    assert child.status == "active"
    assert settle_child_runs(10) == 1
    child.refresh_from_db()
    assert child.status == "canceled"
