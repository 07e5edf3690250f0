"""Events of a simulated run as a picture of the flow needs them: how steps went, which edges were taken. No values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runner.engine.events import Event

#: A run with more events is told up to here.
MOST_EVENTS = 2_000

#: What is kept of an event's data: nothing in it is a value of the flow.
_KEPT = frozenset({"edge", "reason", "max_attempts", "waits_for", "outstanding"})


def told_events(events: Sequence[Event]) -> list[dict[str, Any]]:
    """The events, without the values that they carry; of an error its code."""
    return [_told(event) for event in events[:MOST_EVENTS]]


def _told(event: Event) -> dict[str, Any]:
    data = {key: value for key, value in event.data.items() if key in _KEPT}
    error = event.data.get("error")
    if isinstance(error, dict):
        data["error"] = {"code": error.get("code"), "message": error.get("code")}
    told: dict[str, Any] = {"seq": event.seq, "type": event.type, "level": event.level, "ts": event.ts, "data": data}
    for name in ("step", "path", "visit", "attempt"):
        value = getattr(event, name)
        if value is not None:
            told[name] = value
    return told
