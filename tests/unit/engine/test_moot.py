"""What comes at the wrong moment, one by one: reports, claims, decisions and timers that flow tests miss."""

from __future__ import annotations

from typing import Any

import pytest

from runner.engine.commands import ExecuteStep
from runner.engine.errors import RunError
from runner.engine.happenings import (
    ApprovalDecided,
    AttemptLost,
    ChildEnded,
    Happening,
    PauseAsked,
    ResumeAsked,
    RetryAsked,
    RunStarted,
    StepClaimed,
    StepFailed,
    StepFinished,
    TimerDue,
)
from runner.engine.machine import advance
from runner.engine.rows import ApprovalRow, StepRow, TimerRow, Usage
from runner.engine.slice import Slice
from runner.engine.statuses import StepStatus
from runner.simulation.flow_test import prepare, setting_of
from runner.simulation.flow_test_file import FlowTest
from runner.simulation.invariants import Watcher
from runner.simulation.memory import MemoryStore, is_anything

LEASE_MS = 30_000


class Hand:
    """A run to which things happen one by one, each committed."""

    def __init__(self, nodes: list[dict[str, Any]], edges: list[dict[str, Any]] | None = None, **more: Any) -> None:
        flow = {"format": 1, "id": "t", "nodes": nodes, "edges": edges or [], **more.pop("flow", {})}
        setting = setting_of(prepare(FlowTest.model_validate({"name": "t", "flow": flow, "expect": {}, **more})))
        self.program = setting.program
        self.store = MemoryStore(setting.run)
        self.now, self.watcher = 0, Watcher()
        self.happen(RunStarted(0, state=setting.state))

    def happen(self, happening: Happening) -> tuple[Any, ...]:
        """Gives the commands; moves the clock to the happening's time."""
        self.now = happening.now
        transition = advance(self.program, Slice(self.store.run, self.store), happening)
        self.store.commit(transition.changes())
        self.watcher.check(self.store)
        return tuple(transition.commands)

    def changes_anything(self, happening: Happening) -> bool:
        """Whether a happening would change a row."""
        transition = advance(self.program, Slice(self.store.run, self.store), happening)
        return is_anything(transition.changes(), self.store.seen)

    def row(self, node: str) -> StepRow:
        """The newest attempt of a node."""
        found: StepRow = [row for row in self.store.rows("steps") if row.node == node][-1]
        return found

    def claim(self, node: str) -> ExecuteStep | None:
        """What a worker that claims this step is to run."""
        commands = self.happen(StepClaimed(self.now, self.row(node).id, worker="w", lease_ms=LEASE_MS))
        return next((one for one in commands if isinstance(one, ExecuteStep)), None)

    def lose(self, node: str) -> None:
        """The lease of a running step ends, and the sweeper comes."""
        row = self.row(node)
        assert row.lease_expires_at is not None
        self.happen(AttemptLost(row.lease_expires_at, row.id, row.fence))

    def approval(self) -> ApprovalRow:
        """The newest question."""
        found: ApprovalRow = self.store.rows("approvals")[-1]
        return found

    def timer(self, kind: str) -> TimerRow:
        """The timer of this kind."""
        found: TimerRow = next(row for row in self.store.rows("timers") if row.kind == kind)
        return found


def call(node: str, **more: Any) -> dict[str, Any]:
    return {"id": node, "type": "tool_call", "config": {"tool": node, "arguments": {}}, **more}


def gated(**rule: Any) -> Hand:
    """A payment that waits for a person."""
    pay = {"id": "pay", "type": "tool_call", "config": {"tool": "pay", "arguments": {"amount": 9}}}
    rules = [{"tool": "pay", "effect": "ask", "editable": True, **rule}]
    rules.append({"tool": "pay", "effect": "deny", "when": "args.amount > 100"})
    hand = Hand([pay], flow={"permissions": {"rules": rules}}, tools={"pay": {}})
    assert hand.claim("pay") is None
    return hand


def decision(hand: Hand, at: int, **more: Any) -> ApprovalDecided:
    return ApprovalDecided(at, hand.approval().id, "approved", hand.approval().digest, **more)


def test_a_step_that_was_asked_to_stop_and_succeeds_all_the_same_counts_as_canceled() -> None:
    hand = Hand([{"id": "p", "type": "parallel"}, call("a", parent="p"), call("b", parent="p")])
    hand.claim("p")
    one, other = hand.claim("a"), hand.claim("b")
    assert one is not None and other is not None
    hand.happen(StepFailed(5, other.step_id, other.fence, "tool_failed", "no"))
    assert hand.row("a").cancel_requested
    hand.happen(StepFinished(6, one.step_id, one.fence, "too late", usage=Usage(input_tokens=7)))
    assert hand.row("a").status is StepStatus.CANCELED and hand.row("a").output is None
    assert hand.store.seen.usage.input_tokens == 7
    assert str(hand.store.seen.status) == "failed"


def test_a_report_that_comes_twice_is_charged_once() -> None:
    hand = Hand([call("a"), call("b")], [{"source": "a", "target": "b"}])
    taken = hand.claim("a")
    assert taken is not None
    report = StepFinished(5, taken.step_id, taken.fence, 1, usage=Usage(input_tokens=7))
    hand.happen(report)
    assert not hand.changes_anything(report)


def test_a_lost_step_goes_on_while_the_run_is_paused_and_a_new_one_does_not_start() -> None:
    hand = Hand([{"id": "p", "type": "parallel"}, call("a", parent="p"), call("b", parent="p")])
    hand.claim("p")
    assert hand.claim("a") is not None
    hand.happen(PauseAsked(5))
    hand.lose("a")
    assert hand.claim("b") is None
    assert hand.claim("a") is not None


def test_limits_are_not_asked_again_of_a_call_that_was_under_way() -> None:
    ask = {"type": "llm_call", "config": {"prompt": "?"}, "parent": "p"}
    nodes: list[dict[str, Any]] = [{"id": "p", "type": "parallel"}, {"id": "a", **ask}, {"id": "b", **ask}]
    hand = Hand(nodes, flow={"policy": {"max_tokens": 10}})
    hand.claim("p")
    one, other = hand.claim("a"), hand.claim("b")
    assert one is not None and other is not None
    hand.happen(StepFinished(5, other.step_id, other.fence, "text", usage=Usage(output_tokens=50)))
    hand.lose("a")
    again = hand.claim("a")
    assert again is not None and again.fence > one.fence


def test_a_decision_after_its_time_is_refused_before_any_sweeper_came() -> None:
    hand = gated()
    expires = hand.approval().expires_at
    assert expires is not None
    with pytest.raises(RunError) as refused:
        hand.happen(decision(hand, expires + 1))
    assert refused.value.code == "approval_expired"
    hand.happen(decision(hand, expires))
    assert hand.claim("pay") is not None


def test_changed_arguments_are_judged_as_the_first_were() -> None:
    hand = gated()
    with pytest.raises(RunError) as refused:
        hand.happen(decision(hand, 5, arguments={"amount": 900}))
    assert refused.value.code == "tool_denied"


def test_a_pause_moves_the_time_to_decide() -> None:
    hand = gated()
    expires = hand.approval().expires_at
    assert expires is not None
    hand.happen(PauseAsked(10))
    hand.happen(ResumeAsked(expires + 10))
    assert hand.approval().expires_at == 2 * expires
    hand.happen(decision(hand, 2 * expires))
    assert hand.claim("pay") is not None


def test_a_wait_does_not_end_in_a_pause() -> None:
    hand = Hand([{"id": "w", "type": "wait", "config": {"duration_ms": 100}}])
    hand.claim("w")
    timer = hand.timer("wait")
    hand.happen(PauseAsked(10))
    assert not hand.changes_anything(TimerDue(timer.due_at, timer.id))
    hand.happen(ResumeAsked(60))
    assert hand.timer("wait").due_at == timer.due_at + 50
    hand.happen(TimerDue(timer.due_at + 50, timer.id))
    assert not hand.changes_anything(TimerDue(timer.due_at + 50, timer.id))


def test_a_child_run_that_ends_after_its_step_was_given_up_counts_for_nothing() -> None:
    child = {"format": 1, "id": "child", "nodes": [call("work")], "edges": []}
    nodes = [{"id": "s", "type": "subflow", "config": {"flow": "child", "version": 1}, "timeout_ms": 100}, call("b")]
    hand = Hand(nodes, [{"source": "s", "target": "b", "on": "timeout"}], flows={"child@1": child})
    hand.claim("s")
    row, timer = hand.row("s"), hand.timer("limit")
    assert row.status is StepStatus.WAITING
    hand.happen(TimerDue(timer.due_at, timer.id))
    assert hand.row("s").status is StepStatus.FAILED
    late = ChildEnded(timer.due_at + 5, row.id, row.wait_key, "succeeded", usage=Usage(input_tokens=7))
    assert not hand.changes_anything(late)
    assert hand.row("b").status is StepStatus.PENDING


def test_a_retry_of_a_run_that_did_not_fail_is_told_why_it_is_refused() -> None:
    hand = Hand([call("a", retry={"max_attempts": 2, "backoff_ms": 5})])
    taken = hand.claim("a")
    assert taken is not None
    hand.happen(StepFailed(5, taken.step_id, taken.fence, "tool_failed", "no"))
    with pytest.raises(RunError, match=r"Only a run that failed can go on; this one is active") as refused:
        hand.happen(RetryAsked(6, taken.step_id))
    assert refused.value.code == "step_not_failed"


def test_a_time_limit_that_comes_while_a_container_stops_does_not_rename_its_failure() -> None:
    hand = Hand([{"id": "p", "type": "parallel", "timeout_ms": 100}, call("a", parent="p"), call("b", parent="p")])
    hand.claim("p")
    one, other = hand.claim("a"), hand.claim("b")
    assert one is not None and other is not None
    hand.happen(StepFailed(50, other.step_id, other.fence, "tool_failed", "no"))
    timer = hand.timer("limit")
    hand.happen(TimerDue(timer.due_at, timer.id))
    hand.happen(StepFailed(timer.due_at + 5, one.step_id, one.fence, "canceled", "stopped"))
    assert hand.store.seen.error is not None
    assert hand.store.seen.error["code"] == "tool_failed"


def test_a_fan_out_that_fails_while_its_item_stops_fails_no_item() -> None:
    nodes: list[dict[str, Any]] = [
        {"id": "each", "type": "for_each", "config": {"items": 1, "on_item_error": "collect"}, "timeout_ms": 100},
        {"id": "plan", "type": "one_of", "parent": "each", "read_only": True, "fan_out": True, "synthesis": "sum"},
        call("f", parent="each"),
        call("g", parent="each"),
        {"id": "sum", "type": "transform", "parent": "each", "config": {"fields": {}}},
    ]
    pairs = [("plan", "f"), ("plan", "g"), ("f", "sum"), ("g", "sum")]
    hand = Hand(nodes, [{"source": source, "target": target} for source, target in pairs])
    hand.claim("each")
    plan = hand.claim("plan")
    assert plan is not None
    hand.happen(StepFinished(0, plan.step_id, plan.fence))
    f, g = hand.claim("f"), hand.claim("g")
    assert f is not None and g is not None
    hand.happen(StepFailed(50, f.step_id, f.fence, "tool_failed", "f fails"))
    timer = hand.timer("limit")
    hand.happen(TimerDue(timer.due_at, timer.id))
    hand.happen(StepFailed(timer.due_at + 5, g.step_id, g.fence, "canceled", "stopped"))
    assert hand.store.seen.error is not None and hand.store.seen.error["code"] == "operation_timeout"
    assert not any("item" in event.type for event in hand.store.events)
