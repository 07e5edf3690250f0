"""Checking a run's history: numbers, hashes, signatures. It reads; nothing is mended here."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connection

from runner import signing
from runner.engine.events import event_hash
from runner.engine.statuses import RUN_ENDED
from runner.models import Run, SignedHead
from runner.services.programs import no_such_run

_BATCH = 1_000
_COLUMNS = ("seq", "type", "level", "ts", "step", "path", "visit", "attempt", "text", "prev", "hash")
#: Columns that repeat what the hashed text says.
_REPEATED = ("seq", "type", "level", "ts", "step", "path", "visit", "attempt", "prev")


@dataclass(frozen=True, slots=True)
class Fault:
    """The first row of a history that is not as it was written, and what is wrong with it."""

    row: str
    why: str

    def __str__(self) -> str:
        return f"{self.row}: {self.why}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the check of one run's history found; `unsigned`: nothing says that the history has this end."""

    run_id: str
    events: int
    signatures: int
    fault: Fault | None
    notes: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether nothing was altered, left out or added."""
        return self.fault is None


def verify_history(run_id: str) -> Verdict:
    """Recompute the chain of hashes and the signatures of a run. Raises RunError `not_found`."""
    run = Run.objects.filter(pk=run_id).only("id", "seq", "head_hash", "status").first()
    if run is None:
        raise no_such_run(run_id)
    hashes: dict[int, str] = {0: ""}
    heads = list(SignedHead.objects.filter(run_id=run_id).order_by("seq"))
    signed = {head.seq for head in heads}
    last, fault = 0, None
    for event in _events(run_id):
        fault = _fault_of(event, run_id, last, hashes[last])
        if fault is not None:
            break
        if last not in signed:
            del hashes[last]
        last = event["seq"]
        hashes[last] = event["hash"]
    if fault is None and (last, hashes[last]) != (run.seq, run.head_hash):
        fault = Fault(f"run {run_id}", f"its head is event {run.seq}, but the history ends with event {last}")
    notes: list[str] = []
    if fault is None:
        fault = _fault_of_signatures(run, heads, hashes, notes)
    return Verdict(run_id, last, len(heads), fault, tuple(notes))


def _events(run_id: str) -> Iterator[dict[str, Any]]:
    """The raw columns of all events, in order; the model would hide what cannot be read."""
    last = -1
    while True:
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT {', '.join(_COLUMNS)} FROM runner_event WHERE run_id = %s AND seq > %s ORDER BY seq LIMIT %s",
                [run_id, last, _BATCH],
            )
            rows = cursor.fetchall()
        for row in rows:
            yield dict(zip(_COLUMNS, row, strict=True))
        if len(rows) < _BATCH:
            return
        last = rows[-1][0]


def _fault_of(event: dict[str, Any], run_id: str, before: int, hash_before: str) -> Fault | None:
    row = f"event {event['seq']}"
    if event["seq"] != before + 1:
        return Fault(row, f"event {before + 1} is missing before it")
    if event_hash(event["text"]) != event["hash"]:
        return Fault(row, "its text is not the one that was hashed")
    try:
        said = json.loads(event["text"])
    except ValueError:
        return Fault(row, "its text is no JSON")
    if said.get("run") != run_id:
        return Fault(row, "it belongs to another run")
    if said.get("prev") != hash_before:
        return Fault(row, f"it does not follow the event {before} that stands before it")
    for name in _REPEATED:
        if said.get(name) != event[name]:
            return Fault(row, f"its column {name} says {event[name]!r}, its text {said.get(name)!r}")
    return None


def _fault_of_signatures(run: Run, heads: list[SignedHead], hashes: dict[int, str], notes: list[str]) -> Fault | None:
    for head in heads:
        row = f"signature of event {head.seq}"
        genuine = signing.is_genuine(run.pk, head.seq, head.hash, head.signature, head.key_id)
        if genuine is None:
            notes.append(f"The {row} was made with the key {head.key_id}, which is not among the settings' keys.")
        elif not genuine:
            return Fault(row, "it was not made with the site's key")
        if hashes.get(head.seq) != head.hash:
            return Fault(row, "the event has another hash than the one that was signed")
    if run.status in RUN_ENDED and run.seq not in {head.seq for head in heads}:
        return Fault(f"run {run.pk}", "it has ended, but its last event is not signed")
    return None
