"""Each statement of the store carries its whole condition: rows that are not as they were read are left alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from runner.engine.errors import RunError
from runner.engine.rows import ArrivalRow, SignalRow, Stored
from runner.engine.statuses import ApprovalStatus
from runner.models import Event, Run, StepRun, Timer
from runner.services import runs, steps
from runner.services.programs import dispatcher_of, program_of
from runner.services.runs import cancel_run, pause_run
from runner.store.claims import (
    end_leases_of,
    look_at_claim,
    note_late_result,
    pending_steps,
    renew_lease,
    step_place,
)
from runner.store.clock import shift_test_clock
from runner.store.purge import purge_run
from runner.store.stops import add_stop, end_stop
from runner.store.sweeping import due_timers, expired_leases
from runner.store.transactions import run_transaction
from runner.store.writer import StaleRowError
from tests.support.runs import PROGRAM, call, chain, document, finish, freeze, offer_tool, open_approval, start, step

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _clock(settings: Any) -> None:
    settings.TEST_CLOCK = True


def execute(statement: str, *params: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)


@pytest.fixture
def running() -> StepRun:
    """A step run that a worker has claimed."""
    offer_tool("test_held", lambda: 1)
    run_id = start(document([call("a", "test_held")]))
    place = step_place(step(run_id, "a").id)
    assert place is not None
    segment = steps.Segment(place, program_of(place.version), dispatcher_of(place.version))
    assert segment._claim(place.step_id) is not None
    return step(run_id, "a")


def test_an_ended_run_is_not_locked() -> None:
    run_id = start(chain(2))
    cancel_run(run_id, actor=PROGRAM)
    rev = Run.objects.get(pk=run_id).rev
    with run_transaction(run_id) as work:
        assert work is None
    assert Run.objects.get(pk=run_id).rev == rev


def _change_step(work: Any, run_id: str) -> None:
    work.slice.change_step(work.slice.step(step(run_id, "a").id), worker="mine")


def _change_approval(work: Any, run_id: str) -> None:
    approval = work.slice.approval(open_approval(run_id).id)
    work.slice.change_approval(approval, status=ApprovalStatus.CANCELED)


def _change_arrival(work: Any, run_id: str) -> None:
    work.slice.change_arrival(work.slice.waiting_arrivals(1)[0], "used")


def _take_signal(work: Any, run_id: str) -> None:
    work.slice.take_signal(work.slice.kept_signal("k"), step(run_id, "a").id)


@pytest.mark.parametrize(
    ("read_and_change", "meanwhile"),
    [
        (_change_step, "UPDATE runner_steprun SET fence = fence + 1 WHERE run_id = %s"),
        (_change_step, "UPDATE runner_steprun SET status = 'running' WHERE run_id = %s"),
        (_change_approval, "UPDATE runner_approval SET status = 'approved' WHERE run_id = %s"),
        (_change_arrival, "UPDATE runner_arrival SET status = 'absorbed' WHERE run_id = %s"),
        (_take_signal, "UPDATE runner_signal SET taken_by = 'another' WHERE run_id = %s"),
    ],
    ids=["fence", "status", "approval", "arrival", "signal"],
)
def test_a_row_that_changed_after_it_was_read_is_not_overwritten(
    read_and_change: Callable[[Any, str], None], meanwhile: str
) -> None:
    offer_tool("test_asked", lambda: 1, needs_approval=True)
    run_id = finish(document([call("a", "test_asked")])).id
    with run_transaction(run_id) as work:
        assert work is not None
        work.slice.add_arrival(ArrivalRow(1, "a", 1, 1, "b"))
        work.slice.keep_signal(SignalRow(work.slice.signal_number(), "k", Stored.of(1), work.now))
        work.slice.emit("step-scheduled", work.now, {"kind": "engine"})
    events = Event.objects.filter(run_id=run_id).count()
    with pytest.raises(StaleRowError), run_transaction(run_id) as work:
        assert work is not None
        read_and_change(work, run_id)
        work.slice.emit("step-scheduled", work.now, {"kind": "engine"})
        execute(meanwhile, run_id)
    assert Event.objects.filter(run_id=run_id).count() == events


def test_a_lease_is_renewed_by_whoever_holds_it_and_nobody_else(running: StepRun) -> None:
    assert not renew_lease(running.id, running.fence - 1, 3_600_000).is_held
    assert step(running.run_id, "a").lease_expires_at == running.lease_expires_at
    assert not look_at_claim(running.id, running.fence - 1).is_held
    assert renew_lease(running.id, running.fence, 3_600_000).is_held
    assert step(running.run_id, "a").lease_expires_at > running.lease_expires_at
    cancel_run(running.run_id, actor=PROGRAM)
    ended = step(running.run_id, "a")
    claim = renew_lease(running.id, ended.fence, 3_600_000)
    assert (claim.is_held, claim.is_canceled) == (False, True)


def test_only_the_leases_of_the_dead_are_ended(running: StepRun) -> None:
    assert end_leases_of("somebody else") == 0
    assert step(running.run_id, "a").lease_expires_at == running.lease_expires_at
    assert expired_leases(10) == []
    assert end_leases_of(running.worker) == 1
    assert [due.id for due in expired_leases(10)] == [running.id]


def test_of_two_late_results_the_first_is_kept(running: StepRun) -> None:
    note_late_result(running.id, 1, {"output": "first"})
    note_late_result(running.id, 1, {"output": "second"})
    assert step(running.run_id, "a").late_output["output"] == "first"


def test_a_step_in_its_back_off_is_not_pending_yet() -> None:
    run_id = start(chain(1))
    assert len(pending_steps(run_id)) == 1
    execute("UPDATE runner_steprun SET not_before = not_before + 3600000 WHERE run_id = %s", run_id)
    assert pending_steps(run_id) == []


def test_timers_are_found_when_they_are_due_and_not_while_a_person_has_paused_the_run() -> None:
    run_id = finish(document([{"id": "w", "type": "wait", "config": {"duration_ms": 60_000}}])).id
    timer = Timer.objects.get(run_id=run_id)
    assert due_timers(10) == []
    pause_run(run_id, actor=PROGRAM)
    shift_test_clock(61_000)
    assert due_timers(10) == []
    execute("UPDATE runner_run SET status = 'active' WHERE id = %s", run_id)
    assert [due.id for due in due_timers(10)] == [timer.id]


def test_a_stop_is_released_once() -> None:
    with transaction.atomic():
        made = add_stop("all", "", "alarm", PROGRAM)
        assert made is not None
        assert end_stop(made, "over", PROGRAM)
        assert not end_stop(made, "over again", PROGRAM)


def test_a_key_that_somebody_uses_at_the_same_moment_starts_one_run(monkeypatch: pytest.MonkeyPatch) -> None:
    version = freeze(chain(1))
    first = runs.start_run(version, inputs={}, actor=PROGRAM, idempotency_key="same")
    look, looked = runs.run_of_key, []

    def look_too_early(*asked: Any) -> Any:
        looked.append(asked)
        return None if len(looked) == 1 else look(*asked)

    monkeypatch.setattr(runs, "run_of_key", look_too_early)
    again = runs.start_run(version, inputs={}, actor=PROGRAM, idempotency_key="same")
    assert (again.run_id, again.is_new, len(looked)) == (first.run_id, False, 2)
    assert Run.objects.count() == 1


def test_the_database_itself_refuses_to_delete_a_run() -> None:
    run_id = finish(chain(1)).id
    with pytest.raises(DatabaseError, match="a run is deleted with a purge ticket only"), transaction.atomic():
        execute("DELETE FROM runner_run WHERE id = %s", run_id)
    assert Run.objects.filter(pk=run_id).exists()


def test_nothing_is_purged_without_a_reason() -> None:
    run_id = finish(chain(1)).id
    with pytest.raises(RunError) as refused:
        purge_run(run_id, actor=PROGRAM, reason="  ")
    assert refused.value.code == "validation_failed"
    assert Run.objects.filter(pk=run_id).exists()
