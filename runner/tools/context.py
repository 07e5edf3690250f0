"""What a running call knows about itself: its abort token, its place in the run, its log and its usage."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from editor.language.canonical import canonical_text
from editor.language.errors import LanguageError
from editor.language.json_gate import JsonLimits, clean_json
from editor.language.policy import usd_to_micros
from runner.engine.rows import Usage
from runner.tools.abort import AbortToken

MAX_LOG_LINES = 200
MAX_LOG_BYTES = 64 * 1024
"""Of all lines of one call together, as JSON; later lines are counted, and not kept."""
MAX_LOG_TEXT = 500
"""Letters of one message; longer ones are cut, visibly."""
LOG_FIELD_LIMITS = JsonLimits(max_bytes=2_000, max_depth=6)


@dataclass(slots=True)
class Record:
    """What a call leaves beside its result: log lines, notes for its step run, and its usage.

    Lines are only ever added, so that another thread may read those that are there.
    """

    started: float = field(default_factory=time.monotonic)
    lines: list[dict[str, Any]] = field(default_factory=list)
    line_bytes: int = 0
    dropped: int = 0
    notes: dict[str, Any] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)

    def as_notes(self) -> dict[str, Any] | None:
        """Notes for the step run, or None."""
        return dict(self.notes) or None

    def add_line(self, line: dict[str, Any]) -> None:
        """Keep a log line, unless the bounds are reached: then it is counted."""
        size = len(canonical_text(line).encode("utf-8", "replace"))
        if len(self.lines) >= MAX_LOG_LINES or self.line_bytes + size > MAX_LOG_BYTES:
            self.dropped += 1
            return
        self.line_bytes += size
        self.lines.append(line)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """Given to a tool or handler that asks for it.

    `effect_key` is the idempotency key: the same for every attempt of one visit with the same arguments.
    `deadline` is a moment of `time.monotonic()`, in seconds, or None where there is no limit.
    """

    abort: AbortToken = field(default_factory=AbortToken)
    deadline: float | None = None
    effect_key: str = ""
    run_id: str = ""
    step_id: str = ""
    node: str = ""
    path: str = ""
    visit: int = 1
    attempt: int = 1
    fence: int = 0
    record: Record = field(default_factory=Record)

    def seconds_left(self) -> float | None:
        """Seconds until the deadline (0 once it has passed), or None where there is none."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    def log(self, message: str, **fields: object) -> None:
        """Keep a line with the attempt, for whoever looks into it, whatever becomes of it. Bounded: see MAX_LOG_….

        Logs are read by people with access to the run: no secrets. Where a flow marks what a step gets as
        sensitive, its log is covered as its values are.
        """
        record = self.record
        text = message if len(message) <= MAX_LOG_TEXT else message[: MAX_LOG_TEXT - 1] + "…"
        line: dict[str, Any] = {
            "at_ms": round((time.monotonic() - record.started) * 1000),
            "message": clean_json(text, replace=True),
        }
        if fields:
            try:
                line["fields"] = clean_json(fields, replace=True, limits=LOG_FIELD_LIMITS)
            except LanguageError as error:
                line["fields_dropped"] = error.message
        record.add_line(line)

    def add_usage(
        self,
        *,
        input_tokens: int = 0,
        output_tokens: int = 0,
        cost_usd: float = 0,
        cost_micros: int = 0,
        units: float = 0,
    ) -> None:
        """Count what the call has used; it counts even if the call fails afterwards."""
        added = Usage(input_tokens, output_tokens, cost_micros + usd_to_micros(cost_usd), units)
        self.record.usage = self.record.usage.plus(added)

    def add_reported(self, usage: Mapping[str, Any]) -> None:
        """Count a usage as flows write it: `{input_tokens?, output_tokens?, cost_usd?, units?}`.

        Raises TypeError for other keys and ValueError for what is no amount.
        """
        for key, amount in usage.items():
            if isinstance(amount, bool) or not isinstance(amount, (int, float)) or not 0 <= amount < 1e15:
                raise ValueError(f"{key} is no amount")
        self.add_usage(**usage)

    def note(self, key: str, value: object) -> None:
        """Put a fact beside the step run's output. For the runner's own code; tools log."""
        self.record.notes[key] = value

    def limited(self, abort: AbortToken, seconds: float) -> ToolContext:
        """The same call with a nearer deadline, and the token that obeys it."""
        until = time.monotonic() + seconds
        nearer = until if self.deadline is None else min(until, self.deadline)
        return replace(self, abort=abort, deadline=nearer)
