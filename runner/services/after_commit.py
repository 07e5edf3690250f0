"""What follows a commit: hints for the workers and news for the watchers. Losing any of it loses only time."""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction

from runner import dispatch, streaming
from runner.engine.commands import AskPerson, HintStep
from runner.engine.happenings import Happening
from runner.engine.machine import advance
from runner.engine.program import Program
from runner.engine.slice import Transition
from runner.store.transactions import RunTransaction


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
    if work.slice.events:
        streaming.publish_events(work.run.id, work.run.seq)
        if asked or any(event.type.startswith("approval-") for event in work.slice.events):
            streaming.publish_inbox()
