"""What stands still, why, and what to do: questions to the tables for whoever looks after the site. Changes nothing.

Ages are milliseconds. Every list is bounded, the oldest first; `more` says that there are others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Count, Min

from runner import dispatch
from runner.engine.rows import CONTAINER_TYPES
from runner.engine.statuses import RUN_LIVE, RunStatus, StepStatus
from runner.models import Approval, Heartbeat, Run, StepRun, Timer, to_ms
from runner.services.stops import words
from runner.store.clock import now_ms
from runner.store.stops import Stops, read_stops

SHOWN = 20
#: A pending step that nobody took for so long, a process not seen for so long, is a reason to look.
LONG_MS = 60_000
#: Leases and timers that are over for less are about to be seen to by the sweeper.
SLACK_MS = 10_000
HOUR_MS = 3_600_000
LIVE = sorted(RUN_LIVE)


@dataclass(frozen=True, slots=True)
class Stuck:
    """One thing that stands still: its run, its step or approval where it has one, since when, and what to do."""

    what: str
    since: datetime
    age_ms: int
    advice: str
    run_id: str = ""
    flow_id: str | None = None
    step_id: str = ""
    approval_id: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Things that stand still for one kind of reason."""

    key: str
    title: str
    rows: list[Stuck] = field(default_factory=list)
    more: bool = False


@dataclass(frozen=True, slots=True)
class Process:
    """A process that showed a sign of life lately."""

    name: str
    kind: str
    at: datetime
    age_ms: int
    queues: list[str]

    @property
    def shown(self) -> str:
        """Its kind, host and number, as people know it."""
        return self.name.partition("/")[0]


@dataclass(frozen=True, slots=True)
class Report:
    """All that stands still, as of `now` (milliseconds since the epoch), and who is there to move it."""

    now: int
    sections: list[Section]
    processes: list[Process]

    @property
    def count(self) -> int:
        """How many things are shown."""
        return sum(len(section.rows) for section in self.sections)


def find_stuck(user: Any, *, still_ms: int = HOUR_MS) -> Report:
    """What this user may see of what stands still. `still_ms`: runs that did not move for so long are listed."""
    look = _Look(user, now_ms(), read_stops())
    served = _queues_served(look)
    sections = [
        look.section(
            "pending", "Steps that nobody takes", _pending(look), lambda row: _about_pending(look, row, served)
        ),
        Section("queues", "Queues without a worker", _queues(look, served)),
        look.section("leases", "Claims whose lease is over", _leases(look), lambda row: _about_lease(look, row)),
        look.section(
            "approvals", "Approvals that are overdue", _approvals(look), lambda row: _about_approval(look, row)
        ),
        look.section("timers", "Timers that are overdue", _timers(look), lambda row: _about_timer(look, row)),
        look.section("still", "Runs that do not move", _still(look, still_ms), lambda row: _about_still(look, row)),
    ]
    return Report(look.now, sections, _processes(look))


@dataclass(frozen=True, slots=True)
class _Look:
    user: Any
    now: int
    stops: Stops

    def section(self, key: str, title: str, rows: Iterable[Any], tell: Callable[[Any], Stuck]) -> Section:
        """The first rows, and whether there are more."""
        found = list(rows)
        return Section(key, title, [tell(row) for row in found[:SHOWN]], len(found) > SHOWN)

    def age_ms(self, since: datetime) -> int:
        """How long ago that was."""
        return max(0, self.now - to_ms(since))

    def stuck(self, what: str, since: datetime, advice: str, run: Run, **more: str) -> Stuck:
        """A row about something in a run. A stop explains everything else."""
        held = self.stops.of_flow(run.flow_id)
        told = f"Nothing: {words(held)}. It goes on by itself once that is released." if held else advice
        return Stuck(what, since, self.age_ms(since), told, run.pk, run.flow_id, **more)


_RUN_COLUMNS = ("run__id", "run__flow_id", "run__status")


# Pending steps and their queues


def _pending(look: _Look) -> Iterable[StepRun]:
    rows: Iterable[StepRun] = (
        StepRun.objects.visible_to(look.user)
        .filter(status=StepStatus.PENDING, not_before__lte=look.now - LONG_MS, run__status=RunStatus.ACTIVE)
        .select_related("run")
        .only("path", "backend", "not_before", "dispatch_count", *_RUN_COLUMNS)
        .order_by("not_before", "pk")[: SHOWN + 1]
    )
    return rows


def _about_pending(look: _Look, step: StepRun, served: set[str]) -> Stuck:
    queue = dispatch.queue_of(step.backend)
    if queue not in served:
        advice = f"No worker takes the queue {queue}: start one."
    elif look.stops.tools:
        advice = "It may call a tool that is stopped: its run says so. Else see whether the workers are busy."
    else:
        advice = "The workers are busy, or cannot read its flow: see their log. It has been handed on "
        advice += f"{step.dispatch_count}× and will be again."
    return look.stuck(f"{step.path} waits for a worker", step.not_before, advice, step.run, step_id=step.pk)


def _queues_served(look: _Look) -> set[str]:
    """Queues that a worker is known to take: one that showed itself lately, or that works on a step right now."""
    lately = Heartbeat.objects.filter(kind="worker", at__gte=look.now - LONG_MS)
    served = {queue for worker in lately for queue in _queues_of(worker)}
    running = StepRun.objects.filter(status=StepStatus.RUNNING, lease_expires_at__gt=look.now)
    backends = running.exclude(type__in=CONTAINER_TYPES).values_list("backend", flat=True).distinct()
    return served | {dispatch.queue_of(backend) for backend in backends}


def _queues(look: _Look, served: set[str]) -> list[Stuck]:
    waiting = (
        StepRun.objects.visible_to(look.user)
        .filter(status=StepStatus.PENDING, not_before__lte=look.now - SLACK_MS, run__status=RunStatus.ACTIVE)
        .values("backend")
        .annotate(count=Count("pk"), since=Min("not_before"))
        .order_by("since")
    )
    rows = []
    for one in waiting:
        queue = dispatch.queue_of(one["backend"])
        if queue not in served:
            what = f"{queue}: {one['count']} waiting, and no worker was seen that takes it"
            advice = f"Start a worker that takes it: manage.py worker --queues {queue}."
            rows.append(Stuck(what, one["since"], look.age_ms(one["since"]), advice))
    return rows


# What the sweeper should have seen to


def _sweeper_advice(what: str) -> str:
    return f"A sweeper {what} within seconds. If this stays, none runs: start manage.py run_sweeper, or see its log."


def _leases(look: _Look) -> Iterable[StepRun]:
    rows: Iterable[StepRun] = (
        StepRun.objects.visible_to(look.user)
        .filter(status=StepStatus.RUNNING, lease_expires_at__lte=look.now - SLACK_MS, run__status__in=LIVE)
        .select_related("run")
        .only("path", "worker", "lease_expires_at", *_RUN_COLUMNS)
        .order_by("lease_expires_at", "pk")[: SHOWN + 1]
    )
    return rows


def _about_lease(look: _Look, step: StepRun) -> Stuck:
    what = f"{step.path} was claimed by {step.ran_on or 'a worker'}, which has not renewed its lease"
    return Stuck(
        what, step.lease_expires_at, look.age_ms(step.lease_expires_at), _sweeper_advice("takes it back"),
        step.run_id, step.run.flow_id, step_id=step.pk,
    )  # fmt: skip


def _timers(look: _Look) -> Iterable[Timer]:
    rows: Iterable[Timer] = (
        Timer.objects.visible_to(look.user)
        .filter(status="armed", due_at__lte=look.now - SLACK_MS, run__status__in=LIVE)
        .exclude(run__status=RunStatus.PAUSED)
        .select_related("run")
        .only("kind", "due_at", "step_id", *_RUN_COLUMNS)
        .order_by("due_at", "pk")[: SHOWN + 1]
    )
    return rows


def _about_timer(look: _Look, timer: Timer) -> Stuck:
    what = f"A timer ({timer.kind.replace('_', ' ')}) is due"
    return Stuck(
        what, timer.due_at, look.age_ms(timer.due_at), _sweeper_advice("fires it"),
        timer.run_id, timer.run.flow_id, step_id=timer.step_id or "",
    )  # fmt: skip


def _approvals(look: _Look) -> Iterable[Approval]:
    return (
        Approval.objects.visible_to(look.user)
        .open()
        .filter(expires_at__lte=look.now, run__status__in=LIVE)
        .exclude(run__status=RunStatus.PAUSED)
        .select_related("run")
        .only("path", "group", "assignees", "expires_at", *_RUN_COLUMNS)
        .order_by("expires_at", "pk")[: SHOWN + 1]
    )


def _about_approval(look: _Look, approval: Approval) -> Stuck:
    assert approval.expires_at is not None
    what = f"{approval.path} should have been decided"
    return Stuck(
        what, approval.expires_at, look.age_ms(approval.expires_at), _sweeper_advice("lets it expire"),
        approval.run_id, approval.run.flow_id, approval_id=approval.pk,
    )  # fmt: skip


# Runs


def _still(look: _Look, still_ms: int) -> Iterable[Run]:
    return (
        Run.objects.visible_to(look.user)
        .filter(status=RunStatus.ACTIVE, last_ts__lte=look.now - still_ms)
        .only("flow_id", "status", "last_ts", "live", "running", "waiting_other", "waiting_person")
        .order_by("last_ts", "pk")[: SHOWN + 1]
    )


def _about_still(look: _Look, run: Run) -> Stuck:
    if run.live == 0 and run.waiting_other == 0 and run.waiting_person == 0:
        advice = "Nothing in it is alive, which should not be: keep its data, cancel it, and report it."
    elif run.live == 0:
        advice = "It waits for a time, a signal or a sub-run: its page says which. Send the signal, or cancel it."
    else:
        advice = "It has steps to do: see whether workers take them, or whether one step takes this long."
    return look.stuck("Nothing has happened in it", run.last_ts, advice, run)


def _processes(look: _Look) -> list[Process]:
    rows = Heartbeat.objects.filter(at__gte=look.now - HOUR_MS).order_by("kind", "-at")[:50]
    return [Process(row.name, row.kind, row.at, look.age_ms(row.at), _queues_of(row)) for row in rows]


def _queues_of(process: Heartbeat) -> list[str]:
    return list((process.detail or {}).get("queues", ()))
