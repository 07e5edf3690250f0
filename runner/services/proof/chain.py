"""The chain of a run's events and its signatures, from the raw columns, batch by batch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from runner import signing
from runner.engine.events import event_hash
from runner.engine.statuses import RUN_ENDED
from runner.models import Run, SignedHead
from runner.services.proof.verdict import Fault
from runner.store.sql import fetch

_BATCH = 1_000
_COLUMNS = ("seq", "type", "level", "ts", "actor", "step", "path", "visit", "attempt", "text", "prev", "hash")
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM runner_event WHERE run_id = %s AND seq > %s ORDER BY seq LIMIT {_BATCH}"
#: Columns that repeat what the hashed text says.
_REPEATED = ("seq", "type", "level", "ts", "actor", "step", "path", "visit", "attempt", "prev")


@dataclass(frozen=True, slots=True)
class Chain:
    """What the chain alone tells: its length, its signatures and how far they reach, the first fault, what could not
    be proven."""

    events: int
    signatures: int
    signed_to: int
    fault: Fault | None
    notes: tuple[str, ...]


def check_chain(run: Run) -> Chain:
    """Recompute every hash, and check every signature. `run` needs id, seq, head_hash and status."""
    hashes: dict[int, str] = {0: ""}
    heads = list(SignedHead.objects.filter(run_id=run.pk).order_by("seq"))
    signed = {head.seq for head in heads}
    last, fault = 0, None
    for event in _events(run.pk):
        fault = _fault_of(event, run.pk, last, hashes[last])
        if fault is not None:
            break
        if last not in signed:
            del hashes[last]
        last = event["seq"]
        hashes[last] = event["hash"]
    if fault is None and (last, hashes[last]) != (run.seq, run.head_hash):
        fault = _head_fault(run, last, hashes[last])
    notes: list[str] = []
    signed_to = 0
    if fault is None:
        fault, signed_to = _fault_of_signatures(run, heads, hashes, notes)
    return Chain(last, len(heads), signed_to, fault, tuple(notes))


def _head_fault(run: Run, last: int, last_hash: str) -> Fault:
    why = f"its head is event {run.seq}, but the history ends with event {last}"
    column, expected, found = ("seq", str(last), str(run.seq))
    if run.seq == last:
        why = "its head has another hash than its last event"
        column, expected, found = ("head_hash", last_hash, run.head_hash)
    return Fault(f"run {run.pk}", why, "runner_run", run.pk, column, expected, found)


def _events(run_id: str) -> Iterator[dict[str, Any]]:
    """The raw columns of all events, in order; the model would hide what cannot be read."""
    last = -1
    while True:
        rows = fetch(_SELECT, [run_id, last])
        for row in rows:
            yield dict(zip(_COLUMNS, row, strict=True))
        if len(rows) < _BATCH:
            return
        last = rows[-1][0]


def _fault_of(event: dict[str, Any], run_id: str, before: int, hash_before: str) -> Fault | None:
    seq = event["seq"]

    def fault(why: str, column: str = "", expected: str = "", found: str = "") -> Fault:
        return Fault(f"event {seq}", why, "runner_event", f"run {run_id}, event {seq}", column, expected, found)

    if seq != before + 1:
        return fault(f"event {before + 1} is missing before it", "seq", str(before + 1), str(seq))
    if event_hash(event["text"]) != event["hash"]:
        why = "its text is not the one that was hashed"
        return fault(why, "text", f"a text with the hash {event['hash']}", f"one with {event_hash(event['text'])}")
    try:
        said = json.loads(event["text"])
    except ValueError:
        return fault("its text is no JSON", "text")
    if not isinstance(said, dict) or said.get("run") != run_id:
        return fault("it belongs to another run", "run_id")
    if said.get("prev") != hash_before:
        return fault(f"it does not follow the event {before} that stands before it", "hash", hash_before, event["prev"])
    for name in _REPEATED:
        held = _actor(event["actor"]) if name == "actor" else event[name]
        if said.get(name) != held:
            why = f"its column {name} says {held!r}, its text {said.get(name)!r}"
            return fault(why, name, str(said.get(name)), str(held))
    return None


def _actor(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _fault_of_signatures(
    run: Run, heads: list[SignedHead], hashes: dict[int, str], notes: list[str]
) -> tuple[Fault | None, int]:
    known = set()
    for head in heads:
        row, key = f"signature of event {head.seq}", f"run {run.pk}, event {head.seq}"
        genuine = signing.is_genuine(run.pk, head.seq, head.hash, head.signature, head.key_id)
        if genuine is None:
            notes.append(f"The {row} was made with the key {head.key_id}, which is not among the settings' keys.")
        elif not genuine:
            why = "it was not made with the site's key"
            return Fault(row, why, "runner_signedhead", key, "signature", "one by that key", "another"), 0
        else:
            known.add(head.seq)
        if hashes.get(head.seq) != head.hash:
            why = "the event has another hash than the one that was signed"
            found = hashes.get(head.seq, "no such event")
            return Fault(row, why, "runner_signedhead", key, "hash", head.hash, found), 0
    if run.status in RUN_ENDED and run.seq not in {head.seq for head in heads}:
        why = "it has ended, but its last event is not signed"
        fault = Fault(f"run {run.pk}", why, "runner_signedhead", f"run {run.pk}, event {run.seq}", "", "a row", "none")
        return fault, 0
    return None, max(known, default=0)
