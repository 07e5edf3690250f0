"""Events: facts of a run, numbered, chained by hash. Only their shape and text; who emits which is the machine's."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from editor.language.canonical import canonical_text, digest_of_text, quoted

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
    event.text = sealed_text(event, run_id)
    event.hash = event_hash(event.text)
    return event


_ENGINE_TEXT = canonical_text(ENGINE)


def sealed_text(event: Event, run_id: str) -> str:
    """The canonical text of an event's envelope, put together of its parts in the order of their names.

    Of these only the actor and the data can hold anything; to walk through the others, four times a step, would
    cost more than the rest of the event.
    """
    actor = _ENGINE_TEXT if event.actor is ENGINE else canonical_text(event.actor)
    attempt = "" if event.attempt is None else f'"attempt":{event.attempt},'
    path = "" if event.path is None else f'"path":{quoted(event.path)},'
    step = "" if event.step is None else f'"step":{quoted(event.step)},'
    visit = "" if event.visit is None else f',"visit":{event.visit}'
    return (
        f'{{"actor":{actor},{attempt}"data":{canonical_text(event.data)},"level":"{event.level}",{path}'
        f'"prev":{quoted(event.prev)},"run":{quoted(run_id)},"seq":{event.seq},{step}'
        f'"ts":{event.ts},"type":{quoted(event.type)}{visit}}}'
    )


def event_hash(text: str) -> str:
    """The hash of an event's canonical text, which contains the hash of the event before it."""
    return digest_of_text(text)
