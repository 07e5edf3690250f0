"""Checking a run: its history proven by hashes and signatures, its rows by its history. It reads; nothing is mended."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.conf import settings

from runner.engine.errors import RunError
from runner.engine.program import Program
from runner.engine.replay import ReplayError
from runner.models import Run
from runner.services.programs import no_such_run, program_of_run, programs_of_history
from runner.services.proof.attempts import Attempts
from runner.services.proof.chain import Chain, check_chain
from runner.services.proof.facts import Facts, check_blobs, check_readable
from runner.services.proof.folding import Folding
from runner.services.proof.questions import Questions
from runner.services.proof.replaying import check_places, taken_over_steps
from runner.services.proof.tables import Proof
from runner.services.proof.verdict import AlteredError, Fault, Verdict
from runner.services.sensitive import Covers, sensitive_inputs
from runner.store.history import events_until
from runner.store.sql import fetch

__all__ = ["Fault", "Verdict", "verify_history"]

log = logging.getLogger(__name__)

_TRIES = 5
#: Columns that may be long, or hold no JSON.
_LATER = ("inputs", "result", "snapshot", "policy", "error", "actor", "flow_test", "trial", "given_ends")


def verify_history(run_id: str) -> Verdict:
    """Prove a run: the chain of hashes, the signatures, then each row against what the events say.

    Memory is bounded: events and rows are read in batches; a replay is made of histories up to
    `FLOWSITE["VERIFY_REPLAY_EVENTS"]` events. A run that goes on meanwhile is looked at again. Raises RunError
    `not_found`.
    """
    for _ in range(_TRIES):
        run = Run.objects.filter(pk=run_id).defer(*_LATER).first()
        if run is None:
            return _without_row(run_id)
        verdict = _verify(run)
        if _revision(run_id) == run.rev:
            return verdict
    note = "The run went on while it was checked. Check it again when it rests."
    return Verdict(run_id, verdict.events, verdict.signatures, None, (note,), verdict.rows, verdict.signed_to)


def runs_without_rows() -> list[str]:
    """Runs of which there are events and no row: the database would refuse that, had nobody gone past it."""
    sought = (
        "SELECT DISTINCT run_id FROM runner_event e WHERE NOT EXISTS (SELECT 1 FROM runner_run WHERE id = e.run_id)"
    )
    return [row[0] for row in fetch(sought, [])]


def _without_row(run_id: str) -> Verdict:
    """The verdict of a run whose row is gone while its events are not. Raises RunError `not_found` without any."""
    events = int(fetch("SELECT count(*) FROM runner_event WHERE run_id = %s", [run_id])[0][0])
    if not events:
        raise no_such_run(run_id)
    fault = Fault(f"run {run_id}", "it has events and no row", "runner_run", run_id, "id", "a row", "none")
    return Verdict(run_id, events, 0, fault)


def _revision(run_id: str) -> int | None:
    found = fetch("SELECT rev FROM runner_run WHERE id = %s", [run_id])
    return int(found[0][0]) if found else None


def _verify(run: Run) -> Verdict:
    chain = check_chain(run)
    if chain.fault is not None:
        return _verdict(run, chain, None, chain.fault)
    proof = Proof(run)
    try:
        _check_rows(proof)
    except AlteredError as altered:
        return _verdict(run, chain, proof, altered.fault)
    except (ValueError, TypeError, LookupError) as unreadable:
        log.warning("Run %s: a row cannot be read", run.pk, exc_info=unreadable)
        why = f"one of its rows holds something that was never written there ({type(unreadable).__name__})"
        return _verdict(run, chain, proof, Fault(f"run {run.pk}", why, "runner_run", run.pk, "", "rows", "no rows"))
    return _verdict(run, chain, proof, None)


def _verdict(run: Run, chain: Chain, proof: Proof | None, fault: Fault | None) -> Verdict:
    notes = (*chain.notes, *(proof.notes if proof is not None else ()))
    rows = proof.rows if proof is not None else 0
    return Verdict(run.pk, chain.events, chain.signatures, fault, notes, rows, chain.signed_to)


def _check_rows(proof: Proof) -> None:
    run = proof.run
    check_readable(proof)
    program = _program(proof)
    check_blobs(proof)
    attempts = Attempts(proof, _is_sensitive(run, program))
    facts = Facts(proof)
    questions = Questions(proof, attempts.is_sensitive, [program] if program is not None else [])
    folding = Folding(proof, [facts.follow, questions.follow, attempts.follow])
    why = folding.all_of(events_until(run.pk, run.seq))
    attempts.finish()
    questions.finish()
    attempts.extra(taken_over_steps(folding.taken_over))
    facts.check(folding.taken_over)
    if why:
        told = f"its history cannot be folded: {why}"
        raise proof.altered(f"run {run.pk}", told, "runner_run", run.pk, "", "a history that can be told again", why)
    if program is not None:
        _check_by_replay(proof, program, facts)


def _program(proof: Proof) -> Program | None:
    try:
        return program_of_run(proof.run.pk)[1]
    except RunError as error:
        proof.notes.append(f"Where the run stands could not be proven: {error.message}")
        return None


def _is_sensitive(run: Run, program: Program | None) -> Callable[[str], bool]:
    any_input = bool(sensitive_inputs(run))

    def is_sensitive(node: str) -> bool:
        return any_input if program is None or node not in program.order else program.node(node).sensitive

    return is_sensitive


def _check_by_replay(proof: Proof, program: Program, facts: Facts) -> None:
    run, most = proof.run, settings.FLOWSITE["VERIFY_REPLAY_EVENTS"]
    if run.seq > most:
        told = f"The run has {run.seq:,} events; where it stands is proven of up to {most:,} (VERIFY_REPLAY_EVENTS)."
        proof.notes.append(told)
        return
    covers = Covers(run)

    def covered(kind: str, key: str) -> bool:
        return covers.value(kind, key) if kind in ("v", "s", "a") else bool(program.sensitive_keys)

    try:
        place, _ = program_of_run(run.pk)
        check_places(proof, programs_of_history(run, facts.versions, place, program), covered)
    except (ReplayError, RunError) as fault:
        # Its values were proven above. What is left: paths, scopes, joins, which the engine works out of the flow and
        # of what it refers to outside of it.
        log.warning("Run %s cannot be replayed: %s", run.pk, fault)
        proof.notes.append(
            f"Where the run stands could not be proven: its history cannot happen again here ({fault})."
            " What the flow refers to, such as the tools of a role, may have changed since."
        )
