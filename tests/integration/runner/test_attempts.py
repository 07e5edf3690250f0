"""One attempt: time limits that hold, abort signals, leases, shutdowns, and commits whose outcome is unclear."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from django.db import OperationalError, connection

from runner.engine.errors import RunError
from runner.models import Run
from runner.services import attempts, steps
from runner.services.history import verify_history
from runner.services.runs import cancel_run
from runner.sweeper import sweep
from runner.tools.abort import Aborted
from runner.tools.context import ToolContext
from tests.support.runs import (
    PROGRAM,
    at_once,
    call,
    chain,
    document,
    event_types,
    finish,
    offer_tool,
    start,
    step,
    work,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _quick(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.FLOWSITE = settings.FLOWSITE | {"CANCEL_POLL_MS": 50, "LEASE_MS": 600}
    monkeypatch.setattr(attempts, "GRACE_S", 0.3)
    attempts_watchers().clear()


def attempts_watchers() -> dict[int, Any]:
    """Watchers read their settings when they start: each test gets new ones."""
    from runner import leases

    return leases._watchers


def test_a_tool_that_stops_when_told_fails_at_its_limit() -> None:
    def obeys(ctx: ToolContext) -> None:
        """Waits for its abort signal."""
        ctx.abort.wait(10)
        ctx.abort.raise_if_aborted()

    offer_tool("test_obeys", obeys)
    began = time.monotonic()
    run = finish(document([call("a", "test_obeys", timeout_ms=300)]))
    assert (run.status, run.error["code"]) == ("failed", "operation_timeout")
    assert 0.3 <= time.monotonic() - began < 2.5


def test_a_tool_that_blocks_is_given_up_and_its_late_result_counts_for_nothing() -> None:
    ended = threading.Event()

    def blocks() -> str:
        """Hears nothing."""
        time.sleep(1.5)
        ended.set()
        return "too late"

    offer_tool("test_blocks", blocks)
    offer_tool("test_next", lambda: "after")
    written = document(
        [call("a", "test_blocks", timeout_ms=200), call("b", "test_next")],
    )
    written["edges"] = [{"source": "a", "target": "b", "on": "timeout"}]
    began = time.monotonic()
    run = finish(written)
    assert time.monotonic() - began < 1.4
    assert (run.status, run.value_of("result")) == ("succeeded", "after")
    assert step(run.id, "a").error["code"] == "operation_timeout"
    events = run.seq
    ended.wait(3)
    time.sleep(0.1)
    assert Run.objects.get(pk=run.pk).seq == events
    assert step(run.id, "a").output is None


def test_a_loop_without_end_is_ended() -> None:
    stopped = threading.Event()

    def spins() -> None:
        """Never returns by itself."""
        try:
            while True:
                pass
        finally:
            stopped.set()

    offer_tool("test_spins", spins)
    run = finish(document([call("a", "test_spins", timeout_ms=200)]))
    assert run.error["code"] == "operation_timeout"
    assert stopped.wait(5), "the thread still runs"


def test_a_result_in_time_is_taken_however_near_the_limit() -> None:
    offer_tool("test_near", lambda: time.sleep(0.25) or "in time")
    run = finish(document([call("a", "test_near", timeout_ms=2_000)]))
    assert run.value_of("result") == "in time"


def test_a_running_tool_gets_its_abort_signal_soon_after_a_cancel() -> None:
    told: list[float] = []
    running = threading.Event()

    def waits(ctx: ToolContext) -> None:
        """Waits until it is told to stop."""
        running.set()
        ctx.abort.wait(20)
        told.append(time.monotonic())
        raise Aborted

    offer_tool("test_waits", waits)
    run_id = start(document([call("a", "test_waits")]))

    def one(place: int) -> float:
        if place == 0:
            steps.run_segment(step(run_id, "a").id)
        else:
            running.wait(10)
            cancel_run(run_id, actor=PROGRAM)
        return time.monotonic()

    _, canceled_at = at_once(2, one)
    assert told and told[0] - canceled_at < 1.0
    run = Run.objects.get(pk=run_id)
    assert (run.status, step(run_id, "a").status) == ("canceled", "canceled")
    assert event_types(run)[-1] == "flow-canceled"


def test_a_lease_is_renewed_while_the_tool_runs() -> None:
    swept: list[int] = []

    def long() -> str:
        """Longer than three leases."""
        for _ in range(10):
            time.sleep(0.2)
            swept.append(sweep().lost)
        connection.close()
        return "done"

    offer_tool("test_long", long)
    run = finish(document([call("a", "test_long")]))
    assert (run.status, run.value_of("result"), sum(swept)) == ("succeeded", "done", 0)
    assert step(run.id, "a").lost == 0


def test_a_worker_that_stops_in_order_hands_its_claim_back_and_nothing_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[int] = []

    def interrupted() -> str:
        """Is interrupted once."""
        calls.append(1)
        if len(calls) == 1:
            time.sleep(3)
        return "done"

    offer_tool("test_interrupted", interrupted)
    run_id = start(document([call("a", "test_interrupted")]))
    wait = attempts._wait

    def stop(*_: Any) -> None:
        monkeypatch.setattr(attempts, "_wait", wait)
        time.sleep(0.1)
        raise SystemExit

    monkeypatch.setattr(attempts, "_wait", stop)
    with pytest.raises(SystemExit):
        steps.run_segment(step(run_id, "a").id)
    row = step(run_id, "a")
    assert (row.status, row.lost, row.attempt, row.lease_expires_at) == ("pending", 0, 1, None)
    run = work(run_id)
    assert (run.status, len(calls), run.step_runs.count()) == ("succeeded", 2, 1)
    types = event_types(run)
    assert "attempt-lost" not in types and types.count("step-start") == 1


def test_an_interrupted_call_that_may_happen_only_once_is_not_handed_back(monkeypatch: pytest.MonkeyPatch) -> None:
    offer_tool("test_once", lambda: time.sleep(2), effect="at_most_once")
    written = document([call("a", "test_once")], permissions={"default": "allow", "rules": []})
    run_id = start(written)
    row = step(run_id, "a")
    monkeypatch.setattr("runner.engine.permissions.judge", lambda *_: _Allowed())

    def stop(*_: Any) -> None:
        raise SystemExit

    monkeypatch.setattr(attempts, "_wait", stop)
    with pytest.raises(SystemExit):
        steps.run_segment(row.id)
    assert step(run_id, "a").status == "running"
    time.sleep(0.7)
    sweep()
    assert step(run_id, "a").status == "waiting"
    assert Run.objects.get(pk=run_id).approvals.get().kind == "unknown"


class _Allowed:
    effect = "allow"


@pytest.mark.parametrize("committed", [False, True], ids=["not committed", "committed but not heard of"])
def test_a_commit_of_unclear_outcome_is_looked_up_and_nothing_happens_twice(
    committed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []

    def note(name: str) -> str:
        """Notes its call."""
        calls.append(name)
        return name

    offer_tool("test_note", note)
    run_id = start(document([call("a", "test_note", {"name": "a"}), call("b", "test_note", {"name": "b"})], ["a>b"]))
    complete = steps.Segment._complete_once
    failures: list[int] = []

    def unclear(self: steps.Segment, *given: Any) -> Any:
        if failures:
            return complete(self, *given)
        failures.append(1)
        if committed:
            complete(self, *given)
            self_claimed = step(run_id, "b")
            assert self_claimed.status == "running"
        raise OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(steps.Segment, "_complete_once", unclear)
    steps.run_segment(step(run_id, "a").id)
    if committed:  # the claim of b went unheard: its lease lapses
        time.sleep(0.7)
        sweep()
    run = work(run_id)
    assert (run.status, calls) == ("succeeded", ["a", "b"])
    assert event_types(run).count("step-complete") == 2
    assert verify_history(run_id).is_whole


def test_a_delta_that_the_state_refuses_fails_the_step_and_changes_nothing() -> None:
    offer_tool("test_text", lambda: "no number")
    written = document(
        [call("a", "test_text", output_variable="n")],
        inputs=[{"name": "n", "type": "integer", "required": True}],
        state={"type": "object", "properties": {"n": {"type": "integer"}}},
    )
    run = finish(written, inputs={"n": 1})
    assert (run.status, run.error["code"]) == ("failed", "state_invalid")
    assert run.state_values.get(kind="v", key="n").value == 1


def test_a_value_over_the_limit_is_refused_in_words(settings: Any) -> None:
    settings.FLOWSITE = settings.FLOWSITE | {"VALUE_BYTES": 100_000}
    offer_tool("test_big", lambda: "x" * 20_000_000)
    run = finish(document([call("a", "test_big")]))
    assert (run.status, run.error["code"]) == ("failed", "value_too_large")


def test_a_segment_ends_after_its_steps_and_leaves_a_hint(settings: Any) -> None:
    settings.FLOWSITE = settings.FLOWSITE | {"SEGMENT_STEPS": 3}
    run_id = start(chain(7))
    assert steps.run_segment(step(run_id, "n0").id) == 3
    assert step(run_id, "n3").status == "pending"
    assert steps.run_segment(step(run_id, "n3").id) == 3
    assert steps.run_segment(step(run_id, "n6").id) == 1
    assert Run.objects.get(pk=run_id).status == "succeeded"


def test_a_hint_that_comes_late_or_twice_does_nothing() -> None:
    run_id = start(chain(2))
    first = step(run_id, "n0").id
    assert steps.run_segment(first) == 2
    assert steps.run_segment(first) == 0
    assert steps.run_segment("0" * 32) == 0


def test_a_step_of_a_type_that_is_not_known_here_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = start(chain(1))

    def unknown(*_: Any) -> None:
        raise RunError("flow_invalid", "There is no node type 'later'.")

    monkeypatch.setattr(steps, "program_of", unknown)
    before = step(run_id, "n0").status
    assert steps.run_segment(step(run_id, "n0").id) == 0
    assert step(run_id, "n0").status == before == "pending"
