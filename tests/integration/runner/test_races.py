"""What happens at the same moment: claims, joins, decisions, cancels, starts, from threads of their own."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.db import IntegrityError, connection, transaction

from runner.engine.commands import ExecuteStep
from runner.engine.errors import RunError
from runner.engine.happenings import StepFinished
from runner.models import Decision, Event, Run, StepRun
from runner.services import steps
from runner.services.approvals import decide_approval
from runner.services.history import verify_history
from runner.services.programs import dispatcher_of, program_of
from runner.services.runs import actor_of, cancel_run, start_run
from runner.services.timers import take_back_lost_claims
from runner.store.claims import step_place
from runner.store.clock import shift_test_clock
from runner.store.transactions import Memory, run_transaction
from tests.support.runs import (
    PROGRAM,
    at_once,
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
    work,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _clock(settings: Any) -> None:
    settings.TEST_CLOCK = True


def claim(step_id: str) -> tuple[steps.Segment, ExecuteStep | None]:
    """Claim a step as a worker does, and stop there."""
    place = step_place(step_id)
    assert place is not None
    segment = steps.Segment(place, program_of(place.version), dispatcher_of(place.version))
    return segment, segment._claim(step_id)


@pytest.mark.parametrize("again", range(5))
def test_of_two_workers_racing_for_a_step_one_gets_it(again: int) -> None:
    offer_tool("test_one", lambda: 1)
    run_id = start(document([call("a", "test_one")]))
    step_id = step(run_id, "a").id
    claims = at_once(4, lambda _: claim(step_id)[1])
    assert [type(one) for one in claims if one is not None] == [ExecuteStep]
    row = step(run_id, "a")
    assert (row.status, row.fence, event_types(Run.objects.get(pk=run_id)).count("step-start")) == ("running", 1, 1)


def test_whoever_lost_the_claim_reports_in_vain() -> None:
    offer_tool("test_slow", lambda: "by the second")
    run_id = start(document([call("a", "test_slow")]))
    step_id = step(run_id, "a").id
    first, command = claim(step_id)
    assert command is not None
    shift_test_clock(60_000)
    assert take_back_lost_claims(10) == 1
    second, again = claim(step_id)
    assert again is not None and again.fence > command.fence and again.effect_key == command.effect_key
    events = Run.objects.get(pk=run_id).seq
    late = first._complete(
        command, lambda now: StepFinished(now, step_id=step_id, fence=command.fence, output="late"), 1e12
    )
    assert late is None
    row = step(run_id, "a")
    assert (row.status, row.late_output["output"], row.lost, row.attempt) == ("running", "late", 1, 1)
    assert Run.objects.get(pk=run_id).seq == events
    second._complete(again, lambda now: StepFinished(now, step_id=step_id, fence=again.fence, output="in time"), 1e12)
    run = Run.objects.get(pk=run_id)
    assert (run.status, run.value_of("result")) == ("succeeded", "in time")
    assert event_types(run).count("attempt-lost") == 1 and event_types(run).count("step-start") == 1
    assert verify_history(run_id).is_whole


def test_a_step_that_kills_its_worker_each_time_fails_in_the_end() -> None:
    offer_tool("test_poison", lambda: 1)
    run_id = start(document([call("a", "test_poison", retry={"max_attempts": 5})]))
    step_id = step(run_id, "a").id
    for _ in range(3):
        assert claim(step_id)[1] is not None
        shift_test_clock(60_000)
        take_back_lost_claims(10)
    run = Run.objects.get(pk=run_id)
    assert (run.status, run.error["code"]) == ("failed", "worker_lost")
    assert (step(run_id, "a").lost, run.step_runs.count()) == (3, 1)


def test_a_lost_call_that_may_happen_only_once_is_put_before_a_person() -> None:
    offer_tool("test_once", lambda: 1, effect="at_most_once", needs_approval=False)
    written = document([call("a", "test_once")], permissions={"default": "allow", "rules": []})
    run_id = start(written)
    run = Run.objects.get(pk=run_id)
    assert claim(step(run_id, "a").id)[1] is not None or open_approval(run_id)
    if step(run_id, "a").status == "waiting":
        asked = open_approval(run_id)
        decide_approval(asked.pk, verdict="approved", digest=asked.digest, actor=PROGRAM)
        assert claim(step(run_id, "a").id)[1] is not None
    shift_test_clock(60_000)
    take_back_lost_claims(10)
    asked = open_approval(run_id)
    assert (asked.kind, step(run_id, "a").status) == ("unknown", "waiting")
    decide_approval(asked.pk, verdict="not_happened", digest=asked.digest, actor=PROGRAM)
    run = Run.objects.get(pk=run_id)
    assert (run.status, run.error["code"]) == ("failed", "worker_lost")


@pytest.mark.parametrize("again", range(10))
def test_a_join_of_four_branches_that_end_at_once_starts_once(again: int) -> None:
    """Four workers hold one branch each and report at the same moment."""
    offer_tool("test_leaf", lambda: 1, read_only=True)
    leaves = [call(f"leaf{n}", "test_leaf", read_only=True) for n in range(4)]
    split = {
        "id": "split",
        "type": "transform",
        "config": {"fields": {}},
        "fan_out": True,
        "read_only": True,
        "synthesis": "join",
    }
    written = document(
        [split, *leaves, {"id": "join", "type": "transform", "config": {"fields": {"n": 1}}}],
        [*(f"split>leaf{n}" for n in range(4)), *(f"leaf{n}>join" for n in range(4))],
    )
    run_id = start(written)
    segment, command = claim(step(run_id, "split").id)
    assert command is not None
    segment.backend = "nobody's"
    segment._complete(command, steps._pure_report(command), 1e12)
    held = [claim(row.id) for row in StepRun.objects.filter(run_id=run_id, status="pending")]
    assert len(held) == 4
    for one, _ in held:
        one.backend = "nobody's"
        one.memory = Memory()

    def report(place: int) -> None:
        one, given = held[place]
        assert given is not None
        one._complete(
            given, lambda now: StepFinished(now, step_id=given.step_id, fence=given.fence, output=place), 1e12
        )

    assert at_once(4, report) == [None] * 4
    joins = StepRun.objects.filter(run_id=run_id, node="join")
    assert list(joins.values_list("visit", "attempt", "status")) == [(1, 1, "pending")]
    run = work(run_id)
    assert run.status == "succeeded", run.error
    assert verify_history(run_id).is_whole


@pytest.mark.parametrize("again", range(5))
def test_two_reviewers_at_the_same_moment_make_one_decision(again: int) -> None:
    calls: list[int] = []
    offer_tool("test_gated", lambda: calls.append(1), needs_approval=True)
    asked = open_approval(finish(document([call("a", "test_gated")])).id)
    group = Group.objects.get(name="reviewer")
    people = [User.objects.create(username=f"r{n}") for n in range(3)]
    for person in people:
        person.groups.add(group)
    verdicts = ["approved", "rejected", "approved"]

    def decide(place: int) -> Any:
        return decide_approval(
            asked.pk, verdict=verdicts[place], digest=asked.digest, actor=actor_of(people[place]), user=people[place]
        )

    results = at_once(3, decide)
    refused = [one for one in results if isinstance(one, RunError)]
    assert len(refused) == 2 and all(one.code in ("approval_already_decided", "run_finished") for one in refused), (
        results
    )
    assert Decision.objects.count() == 1
    work(asked.run_id)
    assert len(calls) == (1 if Decision.objects.get().verdict == "approved" else 0)


@pytest.mark.parametrize("again", range(10))
def test_cancel_and_the_last_result_at_once_leave_one_ending(again: int) -> None:
    offer_tool("test_last", lambda: 1)
    run_id = start(document([call("a", "test_last")]))
    segment, command = claim(step(run_id, "a").id)
    assert command is not None
    segment.memory = Memory()
    finished = StepFinished(0, step_id=command.step_id, fence=command.fence, output=1)

    def one(place: int) -> Any:
        if place:
            return cancel_run(run_id, actor=PROGRAM)
        return segment._complete(
            command, lambda now: StepFinished(now, step_id=finished.step_id, fence=finished.fence), 1e12
        )

    results = at_once(2, one)
    run = Run.objects.get(pk=run_id)
    ends = [kind for kind in event_types(run) if kind in ("flow-complete", "flow-canceled")]
    if run.status == "succeeded":
        assert isinstance(results[1], RunError) and results[1].code == "run_finished" and ends == ["flow-complete"]
    else:
        assert (run.status, ends) == ("canceled", ["flow-canceled"])
    assert not run.step_runs.filter(status__in=["pending", "running", "waiting"]).exists()
    assert verify_history(run_id).is_whole


@pytest.mark.parametrize("again", range(3))
def test_the_same_key_many_times_at_once_starts_one_run(again: int) -> None:
    version = freeze(chain(2))
    started = at_once(6, lambda _: start_run(version, inputs={}, actor=PROGRAM, idempotency_key="same"))
    assert len({one.run_id for one in started}) == 1
    assert [one.is_new for one in started].count(True) == 1
    assert Run.objects.count() == 1 and Event.objects.filter(type="flow-start").count() == 1


def test_the_database_allows_one_live_attempt_of_a_visit() -> None:
    run_id = start(chain(1))
    row = step(run_id, "n0")
    with pytest.raises(IntegrityError), transaction.atomic():
        StepRun.objects.create(
            id="f" * 32, run_id=run_id, node="n0", type="transform", path="n0", visit=1, attempt=2,
            scope=row.scope, region=row.region, status="pending",
        )  # fmt: skip
    with pytest.raises(IntegrityError), transaction.atomic():
        StepRun.objects.create(
            id="", run_id=run_id, node="n1", type="transform", path="n1", visit=1, attempt=1,
            scope=row.scope, region=row.region, status="pending",
        )  # fmt: skip


def test_a_memory_is_used_only_while_nobody_else_wrote() -> None:
    run_id = start(chain(3))
    memory = Memory()
    with run_transaction(run_id, memory=memory) as held:
        assert held is not None
        held.slice.emit("step-scheduled", held.now, {"kind": "engine"})
    assert memory.reader is held.reader
    with run_transaction(run_id, memory=memory) as again:
        assert again is not None and again.reader is held.reader
        again.slice.emit("step-scheduled", again.now, {"kind": "engine"})
    with run_transaction(run_id) as other:
        assert other is not None
        other.slice.emit("step-scheduled", other.now, {"kind": "engine"})
    with run_transaction(run_id, memory=memory) as late:
        assert late is not None and late.reader is not held.reader
        assert [event.seq for event in late.slice.events] == []
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), max(seq) FROM runner_event WHERE run_id = %s", [run_id])
        count, newest = cursor.fetchone()
    assert count == newest


def test_eight_workers_on_one_wide_run_lose_and_double_nothing() -> None:
    done: list[str] = []
    lock = threading.Lock()

    def leaf(n: int) -> int:
        """Counts itself."""
        with lock:
            done.append(f"{n}")
        return n

    offer_tool("test_wide", leaf)
    loop = {"id": "loop", "type": "for_each", "config": {"items": 24, "concurrency": 24}}
    inner = call("leaf", "test_wide", {"n": "$index"}, parent="loop")
    run_id = start(document([loop, inner]))
    steps.run_segment(step(run_id, "loop").id)

    def worker(_: int) -> None:
        while True:
            pending = list(StepRun.objects.filter(run_id=run_id, status="pending").values_list("id", flat=True)[:3])
            if not pending and not StepRun.objects.filter(run_id=run_id, status="running", type="tool_call").exists():
                return
            for step_id in pending:
                steps.run_segment(step_id)

    assert at_once(4, worker) == [None] * 4
    run = work(run_id)
    assert run.status == "succeeded", run.error
    assert sorted(done, key=int) == [str(n) for n in range(24)]
    assert run.value_of("result") == list(range(24))
    assert verify_history(run_id).is_whole
