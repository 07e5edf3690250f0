"""The sweeper: what nobody claimed is handed on, bounded; a pause keeps timers; heartbeats tell who lives."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from runner import dispatch
from runner.models import Heartbeat, Run, StepRun, Timer
from runner.services.history import verify_history
from runner.services.programs import dispatcher_of, program_of
from runner.services.runs import cancel_run, pause_run, resume_run
from runner.services.steps import Segment
from runner.store.claims import step_place
from runner.store.clock import shift_test_clock
from runner.store.sweeping import beat, heartbeat_age_ms, oldest_due_step_ms, take_due_hints
from runner.sweeper import sweep
from tests.support.runs import PROGRAM, call, chain, document, offer_tool, start, step, work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _clock_and_queue(settings: Any) -> None:
    settings.TEST_CLOCK = True
    drain()


def drain() -> int:
    """Empty the queues of the test's own broker; gives how many messages there were."""
    from celery import current_app

    dispatch.flush(5)
    with current_app.connection_for_write() as broker:
        return sum(broker.default_channel.queue_purge(f"steps.{name}") or 0 for name in ("inline", "provider", "host"))


def test_a_start_sends_one_hint_and_a_lost_one_is_sent_again_at_doubling_intervals() -> None:
    run_id = start(chain(1))
    assert drain() == 1
    sent = []
    for _ in range(40):
        shift_test_clock(1_000)
        sweep()
        dispatch.flush(5)
        sent.append(drain())
    assert sum(sent) == 4  # after about 2, 6, 14 and 30 seconds
    row = step(run_id, "n0")
    assert row.dispatch_count == 4 and row.dispatched_at is not None
    assert work(run_id).status == "succeeded"


@pytest.fixture
def worker() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process that could be a worker, and its name."""
    tell = "from runner.processes import own_name; print(own_name(), flush=True); input()"
    process = subprocess.Popen([sys.executable, "-c", tell], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    yield process, process.stdout.readline().strip()
    process.kill()
    process.wait()


def claimed_by(worker: str) -> str:
    """A run whose one step this worker has claimed."""
    offer_tool("test_claimed", lambda: 1)
    run_id = start(document([call("a", "test_claimed")]))
    place = step_place(step(run_id, "a").pk)
    assert place is not None
    segment = Segment(place, program_of(place.version), dispatcher_of(place.version))
    assert segment._claim(place.step_id) is not None
    StepRun.objects.filter(pk=place.step_id).update(worker=worker)
    return run_id


def test_the_lease_of_a_worker_that_is_proved_dead_is_not_waited_for(worker: tuple[Any, str]) -> None:
    process, name = worker
    run_id = claimed_by(name)
    for _ in range(3):
        sweep()
    assert step(run_id, "a").status == "running"  # the process lives, whatever it does
    process.kill()
    process.wait()
    sweep()
    row = step(run_id, "a")
    assert (row.status, row.lost, row.fence) == ("pending", 1, 2)
    assert work(run_id).status == "succeeded" and verify_history(run_id).is_whole


@pytest.mark.parametrize("name", ["host:1", "elsewhere:4194305/0123456789ab-1", "", "flow_test"])
def test_the_lease_of_a_worker_elsewhere_is_waited_for(name: str) -> None:
    run_id = claimed_by(name)
    sweep()
    assert step(run_id, "a").status == "running"
    shift_test_clock(31_000)
    sweep()
    assert step(run_id, "a").status == "pending"


def test_hints_of_a_paused_run_wait_and_come_with_its_resume() -> None:
    run_id = start(chain(1))
    pause_run(run_id, actor=PROGRAM)
    drain()
    shift_test_clock(60_000)
    sweep()
    assert drain() == 0
    resume_run(run_id, actor=PROGRAM)
    assert drain() == 1


def test_ten_thousand_pending_steps_without_a_worker_keep_the_queue_bounded(settings: Any) -> None:
    run_id = start(chain(1))
    _multiply_pending(run_id, 10_000)
    drain()
    longest = 0
    for _ in range(60):
        shift_test_clock(2_000)
        swept = sweep()
        assert swept.hints <= settings.FLOWSITE["SWEEP_BATCH"]
        dispatch.flush(20)
        longest = max(longest, dispatch.queue_length("steps.inline"))
    assert 0 < longest <= settings.FLOWSITE["SWEEP_BATCH"]


def _multiply_pending(run_id: str, count: int) -> None:
    """So many rows like the run's first step."""
    names = [field.column for field in StepRun._meta.concrete_fields if field.column not in ("id", "path")]
    quoted = ", ".join(f'"{name}"' for name in names)
    numbers = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %s)"
    with connection.cursor() as cursor:
        cursor.execute(
            f"{numbers} INSERT INTO runner_steprun (id, path, {quoted})"
            f" SELECT 'copy' || i, 'copy' || i, {quoted} FROM runner_steprun, n WHERE run_id = %s",
            [count, run_id],
        )
    assert StepRun.objects.filter(run_id=run_id, status="pending").count() == count + 1


def test_two_sweepers_do_not_hand_on_the_same_step() -> None:
    run_id = start(chain(1))
    _multiply_pending(run_id, 30)
    shift_test_clock(5_000)
    first, second, third = take_due_hints(20), take_due_hints(20), take_due_hints(20)
    assert (len(first), len(second), len(third)) == (20, 11, 0)
    assert not set(first) & set(second)


def test_a_pause_moves_the_time_of_a_wait() -> None:
    run_id = start(document([{"id": "w", "type": "wait", "config": {"duration_ms": 10_000}}]))
    work(run_id)
    shift_test_clock(4_000)
    pause_run(run_id, actor=PROGRAM)
    shift_test_clock(60_000)
    assert sweep().timers == 0
    resume_run(run_id, actor=PROGRAM)
    assert sweep().timers == 0
    shift_test_clock(5_000)
    assert sweep().timers == 0
    shift_test_clock(1_500)
    assert sweep().timers == 1
    assert Run.objects.get(pk=run_id).status == "succeeded"


def test_an_ended_run_leaves_nothing_to_sweep() -> None:
    run_id = start(document([{"id": "w", "type": "wait", "config": {"duration_ms": 1_000}}]))
    work(run_id)
    cancel_run(run_id, actor=PROGRAM)
    shift_test_clock(10_000)
    swept = sweep()
    assert (swept.lost, swept.timers, swept.hints) == (0, 0, 0)
    assert not Timer.objects.filter(status="armed").exists()


def test_a_run_that_cannot_be_read_here_does_not_keep_the_others_waiting(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bad = start(document([{"id": "w", "type": "wait", "config": {"duration_ms": 1_000}}]))
    work(bad)
    good = start(document([{"id": "v", "type": "wait", "config": {"duration_ms": 1_500}}]))
    work(good)
    from runner.services import timers

    read = timers.program_of_run
    monkeypatch.setattr(timers, "program_of_run", lambda run_id: 1 / 0 if run_id == bad else read(run_id))
    shift_test_clock(2_000)
    with caplog.at_level(logging.ERROR, "runner"):
        sweep()
    assert Run.objects.get(pk=good).status == "succeeded"
    assert Run.objects.get(pk=bad).status == "active"
    assert bad in caplog.text


def test_heartbeats_and_the_oldest_due_step_tell_how_the_site_does() -> None:
    assert heartbeat_age_ms("sweeper") is None and oldest_due_step_ms() is None
    beat("sweeper one", "sweeper")
    start(chain(1))
    shift_test_clock(7_000)
    age, oldest = heartbeat_age_ms("sweeper"), oldest_due_step_ms()
    assert age is not None and 7_000 <= age < 20_000
    assert oldest is not None and 7_000 <= oldest < 20_000
    beat("sweeper one", "sweeper")
    assert Heartbeat.objects.count() == 1


def test_the_health_page_tells_a_site_that_works_from_one_that_stands_still(client: Any) -> None:
    assert client.get("/healthz").json()["status"] == "degraded"
    beat("sweeper one", "sweeper")
    assert client.get("/healthz").json()["status"] == "ok"
    start(chain(1))
    shift_test_clock(20_000)
    told = client.get("/healthz").json()
    assert told["status"] == "ok" and told["oldest_due_step_ms"] >= 20_000 and told["worker_age_ms"] is None
    shift_test_clock(50_000)
    beat("sweeper one", "sweeper")
    assert client.get("/healthz").json()["status"] == "degraded"
