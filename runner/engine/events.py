"""Events: facts of a run, numbered, chained by hash. Only their shape and text; who emits which is the machine's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from editor.language.canonical import canonical_text, digest_of_text

PUBLIC = frozenset({
    "flow-start", "step-start", "attempt-start", "step-complete", "step-retry", "step-error",
    "step-canceled", "step-skipped", "edge-taken", "path-ended", "approval-requested", "approval-decided",
    "approval-expired", "run-paused", "run-resumed", "step-retry-created", "artifact-created",
    "signal-received", "run-moved", "run-forked", "flow-complete", "flow-error", "flow-canceled",
})  # fmt: skip
DETAIL = frozenset({
    "step-scheduled", "step-waiting", "attempt-lost", "scope-opened", "scope-joined", "timer-set",
    "timer-fired",
})  # fmt: skip

Actor = dict[str, Any]
ENGINE: Actor = {"kind": "engine"}


@dataclass(slots=True)
class Event:
    """One fact. `text` is the canonical text that was hashed; `prev` the hash of the event before it."""

    type: str
    seq: int
    ts: int
    actor: Actor
    step: str | None = None
    path: str | None = None
    visit: int | None = None
    attempt: int | None = None
    data: dict[str, Any] = field(default_factory=dict)
    prev: str = ""
    text: str = ""
    hash: str = ""

    @property
    def level(self) -> str:
        """`public` or `detail`."""
        return "public" if self.type in PUBLIC else "detail"


def envelope(event: Event, run_id: str) -> dict[str, Any]:
    """The event as it is hashed, stored and sent: absent parts are left out."""
    body: dict[str, Any] = {
        "run": run_id,
        "seq": event.seq,
        "type": event.type,
        "level": event.level,
        "ts": event.ts,
        "actor": event.actor,
        "data": event.data,
        "prev": event.prev,
    }
    for name in ("step", "path", "visit", "attempt"):
        value = getattr(event, name)
        if value is not None:
            body[name] = value
    return body


def seal(event: Event, run_id: str, prev: str) -> Event:
    """Chain an event to the one before it: sets `prev`, `text` and `hash`."""
    event.prev = prev
    event.text = canonical_text(envelope(event, run_id))
    event.hash = event_hash(event.text)
    return event


def event_hash(text: str) -> str:
    """The hash of an event's canonical text, which contains the hash of the event before it."""
    return digest_of_text(text)
