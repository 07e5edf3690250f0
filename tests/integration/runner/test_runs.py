"""Runs through store and services in one process: they start, go on, stop, and are refused in words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from runner.engine.errors import RunError
from runner.models import Approval, Artifact, Decision, Event, Run, SignedHead, Snapshot, StepRun
from runner.services.approvals import decide_approval
from runner.services.history import verify_history
from runner.services.runs import actor_of, cancel_run, pause_run, resume_run, retry_step, send_signal, start_run
from runner.services.working import work_on
from runner.store.clock import shift_test_clock
from tests.support.runs import (
    PROGRAM,
    call,
    chain,
    document,
    event_types,
    finish,
    freeze,
    offer_tool,
    open_approval,
    start,
    step,
    transform,
    work,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _clock(settings: Any) -> None:
    settings.TEST_CLOCK = True


def test_a_chain_runs_to_its_end_and_its_history_is_whole() -> None:
    run = finish(chain(5))
    assert (run.status, run.live, run.running) == ("succeeded", 0, 0)
    assert run.value_of("result") == {"made_by": "n4"}
    assert (
        list(run.step_runs.order_by("started_at", "created_at").values_list("status", flat=True)) == ["succeeded"] * 5
    )
    numbers = list(run.events.order_by("seq").values_list("seq", flat=True))
    assert numbers == list(range(1, run.seq + 1))
    assert verify_history(run.id).is_whole
    assert SignedHead.objects.get(run=run).hash == run.head_hash
    assert Snapshot.objects.filter(run=run, seq=run.seq).exists()


def test_a_large_value_lies_in_the_blobs_once_and_is_read_back() -> None:
    text = "x" * 50_000
    nodes = [
        {"id": "a", "type": "set_variable", "config": {"variable": "kept", "value": "$big"}},
        {"id": "b", "type": "return", "config": {"value": "$kept"}},
    ]
    written = document(nodes, ["a>b"], inputs=[{"name": "big", "type": "long_text", "required": True}])
    run = finish(written, inputs={"big": text})
    assert run.status == "succeeded"
    assert run.result is None and run.value_of("result") == text
    assert step(run.id, "a").value_of("output") == text
    assert run.blobs.filter(size=len(text) + 2).count() == 1
    assert verify_history(run.id).is_whole


def test_data_that_looks_like_a_reference_stays_data() -> None:
    run = finish(
        document(
            [{"id": "a", "type": "return", "config": {"value": "$given"}}],
            inputs=[{"name": "given", "type": "object", "required": True}],
        ),
        inputs={"given": {"ref": "v1:0", "digest": "v1:0", "size": 3}},
    )
    assert run.value_of("result") == {"ref": "v1:0", "digest": "v1:0", "size": 3}


def test_a_tool_is_called_with_its_frozen_input_and_its_result_is_stored() -> None:
    seen: list[int] = []

    def double(x: int) -> int:
        """Twice."""
        seen.append(x)
        return 2 * x

    offer_tool("test_double", double, effect="idempotent")
    run = finish(document([call("a", "test_double", {"x": 21})]))
    assert (run.status, run.value_of("result"), seen) == ("succeeded", 42, [21])
    row = step(run.id, "a")
    assert row.input == {"tool": "test_double", "arguments": {"x": 21}}
    assert row.input_digest.startswith("v1:") and row.fence == 1 and row.worker


def test_failures_are_retried_after_their_back_off_in_rows_of_their_own() -> None:
    tries: list[int] = []

    def flaky() -> str:
        """Fails twice."""
        tries.append(1)
        if len(tries) < 3:
            raise RuntimeError("not yet")
        return "done"

    offer_tool("test_flaky", flaky)
    run_id = start(document([call("a", "test_flaky", retry={"max_attempts": 3, "backoff_ms": 60_000})]))
    run = work(run_id)
    assert (run.status, len(tries)) == ("active", 1)
    shift_test_clock(60_000)
    work(run_id)
    shift_test_clock(120_000)
    run = work(run_id)
    assert run.status == "succeeded"
    attempts = list(run.step_runs.order_by("attempt").values_list("attempt", "status"))
    assert attempts == [(1, "failed"), (2, "failed"), (3, "succeeded")]


def test_a_wait_ends_when_its_time_has_come() -> None:
    run_id = start(
        document([{"id": "w", "type": "wait", "config": {"duration_ms": 3_600_000}}, transform("a")], ["w>a"])
    )
    assert work(run_id).status == "active"
    shift_test_clock(3_599_000)
    assert work(run_id).status == "active"
    shift_test_clock(1_001)
    assert work(run_id).status == "succeeded"


def test_cancel_is_final_at_once() -> None:
    run_id = start(document([{"id": "w", "type": "wait", "config": {"duration_ms": 1_000}}]))
    work_on(run_id)
    cancel_run(run_id, actor=PROGRAM, reason="not needed")
    run = Run.objects.get(pk=run_id)
    assert (run.status, step(run_id, "w").status) == ("canceled", "canceled")
    shift_test_clock(2_000)
    assert work(run_id).status == "canceled"
    with pytest.raises(RunError) as refused:
        cancel_run(run_id, actor=PROGRAM)
    assert refused.value.code == "run_finished"
    assert event_types(run)[-1] == "flow-canceled"
    assert verify_history(run_id).is_whole


def test_a_paused_run_starts_nothing_until_it_is_resumed() -> None:
    run_id = start(chain(3))
    pause_run(run_id, actor=PROGRAM)
    assert work(run_id).status == "paused"
    assert step(run_id, "n0").status == "pending"
    resume_run(run_id, actor=PROGRAM)
    assert work(run_id).status == "succeeded"
    with pytest.raises(RunError) as refused:
        resume_run(run_id, actor=PROGRAM)
    assert refused.value.code == "run_finished"


def test_a_persons_retry_goes_on_without_running_what_was_done_again() -> None:
    calls: list[str] = []
    broken = True

    def first() -> str:
        """Works."""
        calls.append("first")
        return "kept"

    def second() -> str:
        """Fails while it is broken."""
        calls.append("second")
        if broken:
            raise RuntimeError("broken")
        return "mended"

    offer_tool("test_first", first)
    offer_tool("test_second", second)
    run = finish(document([call("a", "test_first"), call("b", "test_second")], ["a>b"]))
    assert (run.status, run.error["code"]) == ("failed", "tool_failed")
    broken = False
    retry_step(run.id, step(run.id, "b").id, actor=PROGRAM)
    run = work(run.id)
    assert (run.status, run.value_of("result"), calls) == ("succeeded", "mended", ["first", "second", "second"])
    assert verify_history(run.id).is_whole
    assert SignedHead.objects.filter(run=run).count() == 2
    with pytest.raises(RunError) as refused:
        retry_step(run.id, step(run.id, "b").id, actor=PROGRAM)
    assert refused.value.code == "step_not_failed"


def test_a_signal_before_its_wait_is_kept_for_it() -> None:
    nodes = [
        {"id": "first", "type": "wait", "config": {"duration_ms": 1_000}},
        {"id": "then", "type": "wait", "config": {"signal": "paid"}},
    ]
    run_id = start(document(nodes, ["first>then"]))
    work_on(run_id)
    send_signal(run_id, "paid", {"amount": 12}, actor=PROGRAM)
    shift_test_clock(1_001)
    run = work(run_id)
    assert (run.status, run.value_of("result")) == ("succeeded", {"amount": 12})


def test_an_artifact_is_stored_with_its_content() -> None:
    nodes = [{"id": "a", "type": "artifact", "config": {"artifact": "report", "content": "# Hi", "filename": "r.md"}}]
    run = finish(document(nodes, artifacts=[{"id": "report", "type": "markdown"}]))
    assert run.status == "succeeded", run.error
    made = Artifact.objects.get(run=run)
    assert (made.artifact, made.filename, made.value_of("content")) == ("report", "r.md", "# Hi")


# Starting


def test_the_same_key_gives_the_same_run_and_another_body_is_refused() -> None:
    version = freeze(chain(1))
    first = start_run(version, inputs={}, actor=PROGRAM, idempotency_key="k")
    again = start_run(version, inputs={}, actor=PROGRAM, idempotency_key="k")
    assert (first.is_new, again.is_new, again.run_id) == (True, False, first.run_id)
    other = start_run(version, inputs={}, actor={"kind": "user", "id": "2"}, idempotency_key="k")
    assert other.is_new and other.run_id != first.run_id
    with pytest.raises(RunError) as refused:
        start_run(freeze(chain(2)), inputs={}, actor=PROGRAM, idempotency_key="k")
    assert refused.value.code == "idempotency_conflict"


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({}, "validation_failed"),
        ({"n": "three"}, "validation_failed"),
        ({"n": 3, "other": 1}, "validation_failed"),
        ({"n": float("nan")}, "validation_failed"),
        ({"n": float("inf")}, "validation_failed"),
        ({"n": 1, "t": "a\x00b"}, "validation_failed"),
        ({"n": 1, "t": "\ud800"}, "validation_failed"),
        ({"n": 1, "o": json.loads("[" * 70 + "]" * 70)}, "limit_exceeded"),
        ({"n": 1, "t": "x" * 17_000_000}, "value_too_large"),
        ({"n": 1, "o": {1: 2}}, "validation_failed"),
        ({"n": 1, "o": {"x": {1, 2}}}, "validation_failed"),
    ],
    ids=range(11),
)
def test_bad_inputs_are_refused_and_nothing_is_stored(inputs: dict[str, Any], code: str) -> None:
    written = document(
        [transform("a")],
        inputs=[
            {"name": "n", "type": "number", "required": True},
            {"name": "t", "type": "long_text"},
            {"name": "o", "type": "list"},
        ],
    )
    with pytest.raises(RunError) as refused:
        start(written, inputs=inputs)
    assert refused.value.code == code
    assert not Run.objects.exists() and not Event.objects.exists()


def test_very_deep_nesting_is_refused_without_a_recursion_error() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(RunError) as refused:
        start(document([transform("a")], inputs=[{"name": "o", "type": "list"}]), inputs={"o": deep})
    assert refused.value.code == "limit_exceeded"


@pytest.mark.parametrize("value", [0.1, 2**63, -(2**70), 1e300, 5.0, -0.0, "ünï ☃ 𝄞", "", [], {}, None, [None, True]])
def test_values_come_back_as_they_went_in(value: Any) -> None:
    offer_tool("test_give", lambda: value)
    run = finish(document([call("a", "test_give")]))
    assert run.status == "succeeded", run.error
    assert run.value_of("result") == value
    assert type(run.value_of("result")) is (int if value in (5.0, 0) and isinstance(value, float) else type(value))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object()], ids=["nan", "inf", "set", "object"])
def test_a_tool_that_gives_no_json_fails_its_step(value: Any) -> None:
    offer_tool("test_give", lambda: value)
    run = finish(document([call("a", "test_give")]))
    assert (run.status, run.error["step"]) == ("failed", "a")
    assert verify_history(run.id).is_whole


def test_nul_and_half_characters_of_a_tool_are_replaced_and_noted() -> None:
    offer_tool("test_give", lambda: {"text": "a\x00b\ud800"})
    run = finish(document([call("a", "test_give")]))
    assert run.value_of("result") == {"text": "a\ufffdb\ufffd"}
    assert step(run.id, "a").notes


# Approvals


@pytest.fixture
def reviewer() -> User:
    user = User.objects.create(username="rita")
    user.groups.add(Group.objects.get(name="reviewer"))
    return user


PAID: list[Any] = []


def _payment(**more: Any) -> dict[str, Any]:
    def pay(amount: int) -> str:
        """Pays."""
        PAID.append(amount)
        return f"paid {amount}"

    PAID.clear()
    offer_tool("test_pay", pay, needs_approval=True, editable=True, **more)
    return document([call("pay", "test_pay", {"amount": 5})])


def test_an_approved_call_runs_with_the_arguments_that_were_shown(reviewer: User) -> None:
    run = finish(_payment())
    assert (run.status, PAID) == ("awaiting_approval", [])
    asked = open_approval(run.id)
    assert asked.value_of("arguments") == {"amount": 5}
    assert Approval.objects.visible_to(reviewer).filter(pk=asked.pk).exists()
    assert Run.objects.visible_to(reviewer).filter(pk=run.pk).exists()
    decide_approval(asked.pk, verdict="approved", digest=asked.digest, actor=actor_of(reviewer), user=reviewer)
    run = work(run.id)
    assert (run.status, PAID, run.value_of("result")) == ("succeeded", [5], "paid 5")
    decision = Decision.objects.get(approval=asked)
    assert (decision.verdict, decision.actor["name"]) == ("approved", "rita")


def test_a_rejected_call_does_not_run(reviewer: User) -> None:
    run = finish(_payment())
    asked = open_approval(run.id)
    decide_approval(
        asked.pk, verdict="rejected", digest=asked.digest, actor=actor_of(reviewer), user=reviewer, comment="too much"
    )
    run = work(run.id)
    assert (run.status, run.error["code"], PAID) == ("failed", "tool_denied", [])


def test_a_second_decision_is_told_who_was_first(reviewer: User) -> None:
    asked = open_approval(finish(_payment()).id)
    decide_approval(asked.pk, verdict="approved", digest=asked.digest, actor=actor_of(reviewer), user=reviewer)
    with pytest.raises(RunError) as refused:
        decide_approval(asked.pk, verdict="rejected", digest=asked.digest, actor=PROGRAM)
    assert refused.value.code == "approval_already_decided"
    assert "rita" in refused.value.message
    assert Decision.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"digest": "v1:0"}, "approval_digest_mismatch"),
        ({"verdict": "maybe"}, "validation_failed"),
        ({"arguments": {"amount": "much"}}, "tool_args_invalid"),
        ({"comment": "a\x00"}, "validation_failed"),
    ],
)
def test_a_decision_that_does_not_fit_changes_nothing(change: dict[str, Any], code: str) -> None:
    run = finish(_payment())
    asked = open_approval(run.id)
    given: dict[str, Any] = {"verdict": "approved", "digest": asked.digest, "actor": PROGRAM}
    with pytest.raises(RunError) as refused:
        decide_approval(asked.pk, **(given | change))
    assert refused.value.code == code
    assert (Run.objects.get(pk=run.id).seq, Decision.objects.count(), PAID) == (run.seq, 0, [])


def test_who_is_not_asked_may_not_decide(reviewer: User) -> None:
    other = User.objects.create(username="olaf")
    run = finish(_payment(group="treasury"))
    asked = open_approval(run.id)
    for user in (other, reviewer):
        with pytest.raises(RunError) as refused:
            decide_approval(asked.pk, verdict="approved", digest=asked.digest, actor=PROGRAM, user=user)
        assert refused.value.code == "approval_not_found"
    analyst = User.objects.create(username="anna")
    analyst.groups.add(Group.objects.get(name="analyst"))
    with pytest.raises(RunError) as refused:
        decide_approval(asked.pk, verdict="approved", digest=asked.digest, actor=PROGRAM, user=analyst)
    assert refused.value.code == "permission_denied"


def test_the_starter_may_not_approve_what_can_happen_only_once(reviewer: User) -> None:
    run = finish(_payment(effect="at_most_once"), user=reviewer)
    asked = open_approval(run.id)
    with pytest.raises(RunError) as refused:
        decide_approval(asked.pk, verdict="approved", digest=asked.digest, actor=PROGRAM, user=reviewer)
    assert refused.value.code == "self_approval"


def test_an_approval_expires(reviewer: User) -> None:
    run = finish(_payment())
    shift_test_clock(8 * 24 * 3_600_000)
    run = work(run.id)
    assert (run.status, run.error["code"]) == ("failed", "approval_expired")


def test_nobody_without_a_group_sees_runs_of_others() -> None:
    nobody = User.objects.create(username="nobody")
    run = finish(chain(1))
    assert not Run.objects.visible_to(nobody).exists()
    assert not StepRun.objects.visible_to(nobody).exists()
    assert not Event.objects.visible_to(nobody).filter(run=run).exists()
    own = finish(chain(1), user=nobody)
    assert list(Run.objects.visible_to(nobody)) == [own]
