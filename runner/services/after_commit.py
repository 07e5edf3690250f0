"""What follows a commit: hints for the workers, news for the watchers, and word between a run and its child runs.

Losing any of it loses only time. Child runs alone are made before the commit, in the transaction that asks for them.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Collection
from functools import partial

from django.db import DatabaseError, transaction

from runner import dispatch, streaming
from runner.engine.commands import AskPerson, CancelRun, Command, HintStep, RunEnded, StartRun
from runner.engine.errors import RunError
from runner.engine.happenings import CancelAsked, ChildEnded, Happening, RunStarted
from runner.engine.machine import advance
from runner.engine.program import Program
from runner.engine.rows import RunRow, Stored
from runner.engine.slice import Transition
from runner.services.child_runs import child_of, child_version
from runner.services.finding import keep_values
from runner.services.programs import program_of, program_of_run
from runner.store.children import end_of_run, orphaned_runs, run_exists, untold_parents
from runner.store.claims import VersionPlace
from runner.store.transactions import RunTransaction, new_run_transaction, run_transaction

log = logging.getLogger(__name__)


def advance_and_announce(program: Program, work: RunTransaction, happening: Happening) -> Transition:
    """Let something happen to a run; once it is committed, hand its steps on and tell the watchers."""
    transition = advance(program, work.slice, happening)
    announce_on_commit(work)
    return transition


def announce_on_commit(work: RunTransaction, *, own: Collection[str] = (), held_backend: str | None = None) -> None:
    """Once this transaction is committed, act on the commands of its slice.

    `own` are step runs that the caller goes on with: no hint is sent for them. Hints for steps of
    `held_backend` are held back a moment, because the caller is likely to take those steps as well.
    """
    for command in work.slice.commands:
        if isinstance(command, StartRun):
            start_child_run(work, command)
    transaction.on_commit(lambda: announce(work, own, held_backend), robust=True)


def announce(work: RunTransaction, own: Collection[str], held_backend: str | None) -> None:
    """Send the hints and news of a committed transaction."""
    hinted = set(own)
    asked = False
    for command in work.slice.commands:
        if isinstance(command, HintStep):
            if command.step_id in hinted or command.not_before > work.now:
                continue  # the sweeper hands on what is due later
            hinted.add(command.step_id)
            if command.backend == held_backend:
                dispatch.hint_step_soon(command.step_id, command.backend)
            else:
                dispatch.hint_step(command.step_id, command.backend)
        elif isinstance(command, AskPerson):
            asked = True
        else:
            follow_up(work.run, command)
    if work.slice.events:
        streaming.publish_events(work.run.id, work.run.seq)
        if work.slice.events[0].seq == 1 or work.run.status is not work.was:
            streaming.publish_runs()
        if asked or any(event.type.startswith("approval-") for event in work.slice.events):
            streaming.publish_inbox()


# Child runs: a run of a sub-flow, and the step of another run that waits for it


def start_child_run(work: RunTransaction, command: StartRun) -> None:
    """Make the run of a sub-flow step and start it; made once, however often the step is claimed."""
    if run_exists(command.run_id):
        return
    version, flow_test = child_version(work, command.flow, command.version)
    program = program_of(VersionPlace(version.pk, version.content_hash, flow_test))
    row = RunRow(
        id=command.run_id,
        salt=secrets.token_hex(16),
        parent_run=command.parent_run,
        parent_step=command.parent_step,
        depth=command.depth,
        inputs=Stored.of(command.state),
        policy=dict(program.definition.policy.values),
        started_at=work.now,
    )
    about = {"version": version.number, "content_hash": version.content_hash, "parent": command.parent_run}
    with new_run_transaction(child_of(work.run_id, row, version, flow_test)) as child:
        assert child is not None
        if flow_test is None:
            keep_values(program, child, command.state)
        advance_and_announce(program, child, RunStarted(child.now, state=command.state, about=about))


def follow_up(run: RunRow, command: Command) -> None:
    """Tell the run that waits for this one that it has ended; cancel a child run that nobody waits for any more."""
    try:
        if isinstance(command, RunEnded) and run.parent_run is not None and run.parent_step is not None:
            tell_parent(run.parent_run, run.parent_step, run.id)
        elif isinstance(command, CancelRun):
            cancel_child(command.run_id)
    except (DatabaseError, RunError) as error:
        log.warning("Run %s: word to or from a child run comes later, by the sweeper: %s", run.id, error)


def tell_parent(parent_run: str, parent_step: str, child_run: str) -> None:
    """Let the step that waits for a child run end as the child has ended. Moot if it does not wait any more."""
    end = end_of_run(child_run)
    if end is None:
        return
    place, program = program_of_run(parent_run)
    with run_transaction(parent_run) as work:
        if work is not None and work.version_id == place.version_id:  # else it was moved just now: the sweeper tells it
            happening = ChildEnded(
                work.now, parent_step, child_run, end.status, result=end.result, error=end.error, usage=end.usage
            )
            advance_and_announce(program, work, happening)


def cancel_child(run_id: str) -> None:
    """Cancel a run whose parent has let go of it. Moot if it has ended."""
    _, program = program_of_run(run_id)
    with run_transaction(run_id) as work:
        if work is not None:
            reason = "The run that waited for this one has ended or gone another way."
            advance_and_announce(program, work, CancelAsked(work.now, reason=reason))


def settle_child_runs(limit: int) -> int:
    """What a lost process left undone between runs and their child runs; gives how many were found."""
    ended = untold_parents(limit)
    for parent_run, parent_step, child_run in ended:
        _guarded(partial(tell_parent, parent_run, parent_step, child_run))
    orphans = orphaned_runs(limit)
    for run_id in orphans:
        _guarded(partial(cancel_child, run_id))
    return len(ended) + len(orphans)


def _guarded(act: Callable[[], None]) -> None:
    try:
        act()
    except RunError as error:
        log.warning("Word between a run and its child run fails: %s", error.message)
