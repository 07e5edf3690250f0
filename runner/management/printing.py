"""How commands print events and runs: one line each. What they mean is the engine's."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand

from runner.engine.statuses import RunStatus
from runner.models import Event, Run
from runner.services.following import follow

#: What is shown of each event's data, in this order.
_SHOWN = ("reason", "attempt", "delay_ms", "tool", "approval", "verdict", "target", "worker", "error", "output")


def event_line(event: Event) -> str:
    """An event as one line: number, time, type, path, and the gist of its data."""
    place = event.path or ""
    if event.visit is not None and (event.visit > 1 or (event.attempt or 1) > 1):
        place += f" (visit {event.visit}, attempt {event.attempt})"
    data = event.data
    gist = " ".join(f"{name}={_short(data[name])}" for name in _SHOWN if data.get(name) is not None)
    return f"{event.seq:>5}  {event.ts:%H:%M:%S.%f}"[:-3] + f"  {event.type:<20} {place}  {gist}".rstrip()


def result_lines(run: Run) -> list[str]:
    """How a run ended: its status, and its result or error."""
    lines = [f"Run {run.id} {run.status}."]
    if run.error:
        lines.append(f"{run.error['code']}: {run.error['message']}")
    elif run.result is not None or run.result_ref is not None:
        lines.append(json.dumps(run.value_of("result"), ensure_ascii=False, indent=2))
    return lines


def _short(value: Any) -> str:
    if isinstance(value, dict):
        if "code" in value and "message" in value:
            return f"{value['code']}: {value['message']}"
        value = value.get("v", value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else text[:99] + "…"


NO_WORKER = "No worker answers. Start the site (manage.py up), or do the work here with --work."


def tell_no_worker(command: BaseCommand, told: str) -> None:
    """Say that nobody does the run's work, and what to do."""
    command.stderr.write(told)


def follow_to_the_end(
    command: BaseCommand, run_id: str, *, work: bool, after: int = 0, no_worker: str = NO_WORKER
) -> None:
    """Print a run's public events as they come, then its result. Raises SystemExit(1) unless it succeeded."""
    for event in follow(run_id, after=after, work=work, alarm=lambda: tell_no_worker(command, no_worker)):
        if event.level == "public":
            command.stdout.write(event_line(event))
    run = Run.objects.get(pk=run_id)
    for line in result_lines(run):
        command.stdout.write(line)
    if run.status != RunStatus.SUCCEEDED:
        raise SystemExit(1)
