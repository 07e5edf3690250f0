"""Two runs that somebody may see, side by side: inputs, versions, steps, values. The rule is engine/comparing.py's.

What is sealed stays sealed: sensitive inputs and the values of steps that touch them are neither compared nor told.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from editor.language.diff import Change, Difference, compare_documents, compare_values
from editor.models import FlowVersion
from runner.engine.comparing import COMPARED, Comparison, Row, Side, Visit, compare, visits_of
from runner.engine.events import Event
from runner.engine.statuses import RUN_ENDED
from runner.models import Run, StepRun
from runner.services.sensitive import sensitive_inputs, touches_sensitive
from runner.store.history import events_of_types

MOST_EVENTS = 30_000
"""So many events of one run are compared; what comes behind is left out, and said."""
MOST_FORKS = 10
LARGEST_VALUE = 256 * 1024
"""Values of more bytes are not compared place by place."""
VALUES = ("input", "output", "delta")
_END = 2**62
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class InputRow:
    """One input in both runs. A side that has none is None, and `kind` says which."""

    name: str
    kind: str
    before: Any = None
    after: Any = None
    is_covered: bool = False


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A value of a visit in both runs, and where it differs. `is_large`: that was not looked for."""

    name: str
    before: StepRun | None
    after: StepRun | None
    changes: tuple[Change, ...] = ()
    is_covered: bool = False
    is_large: bool = False


@dataclass(frozen=True, slots=True)
class RunsCompared:
    """Two runs side by side. `versions` is None where both ran the same; `is_cut`: events were left out."""

    before: Run
    after: Run
    inputs: tuple[InputRow, ...]
    steps: Comparison
    versions: Difference | None
    is_cut: bool


def compare_runs(before: Run, after: Run, user: Any) -> RunsCompared:
    """Compare two runs that the user sees. Of a fork, what it took over counts as its own, if the user sees where it
    went on from."""
    sides, cut = [], False
    for run in (before, after):
        history, is_cut = _history(run, user)
        cut |= is_cut
        sides.append(Side(visits_of(history), is_over=run.status in RUN_ENDED))
    return RunsCompared(before, after, _inputs(before, after), compare(*sides), _versions(before, after), cut)


def _history(run: Run, user: Any) -> tuple[list[tuple[str, Event]], bool]:
    parts: list[list[tuple[str, Event]]] = []
    here: Run | None = run
    until, room = _END, MOST_EVENTS
    while here is not None and len(parts) <= MOST_FORKS and room > 0:
        events = events_of_types(here.pk, COMPARED, until, room)
        parts.append([(here.pk, event) for event in events])
        room -= len(events)
        if here.forked_from is None or here.forked_seq is None:
            break
        until = here.forked_seq
        here = Run.objects.visible_to(user).filter(pk=here.forked_from).only("forked_from", "forked_seq").first()
    return [one for part in reversed(parts) for one in part], room <= 0


def _inputs(before: Run, after: Run) -> tuple[InputRow, ...]:
    covered = sensitive_inputs(before) | sensitive_inputs(after)
    one, other = before.value_of("inputs") or {}, after.value_of("inputs") or {}

    def rows() -> Iterator[InputRow]:
        for name in dict.fromkeys([*one, *other]):
            if name in covered:
                yield InputRow(name, "covered", is_covered=True)
            elif name not in one or name not in other:
                yield InputRow(name, "added" if name in other else "removed", one.get(name), other.get(name))
            else:
                changed = bool(compare_values(one[name], other[name]))
                yield InputRow(name, "changed" if changed else "same", one[name], other[name])

    return tuple(rows())


def _versions(before: Run, after: Run) -> Difference | None:
    if before.version_id == after.version_id:
        return None
    texts = dict(FlowVersion.objects.filter(pk__in=[before.version_id, after.version_id]).values_list("pk", "document"))
    documents = [json.loads(texts[run.version_id]) for run in (before, after)]
    return compare_documents(*documents)


def values_of(compared: RunsCompared, row: Row) -> list[ValueRow]:
    """What a visit was given, gave and wrote in both runs."""
    pairs = ((compared.before, row.before), (compared.after, row.after))
    one, other = (_attempt(visit) for _, visit in pairs)
    covered = any(
        step is not None and touches_sensitive(run, step) for (run, _), step in zip(pairs, (one, other), strict=True)
    )
    return [_value(name, one, other, covered=covered) for name in VALUES]


def _attempt(visit: Visit | None) -> StepRun | None:
    if visit is None:
        return None
    rows = StepRun.objects.filter(run=visit.at.run, path=visit.path, visit=visit.visit, attempt=visit.attempt)
    step: StepRun | None = rows.first()
    return step


def _value(name: str, one: StepRun | None, other: StepRun | None, *, covered: bool) -> ValueRow:
    if covered:
        return ValueRow(name, one, other, is_covered=True)
    if one is None or other is None:
        return ValueRow(name, one, other)
    if max(getattr(one, f"{name}_size"), getattr(other, f"{name}_size")) > LARGEST_VALUE:
        return ValueRow(name, one, other, is_large=True)
    return ValueRow(name, one, other, compare_values(one.value_of(name), other.value_of(name)))


# What to compare a run with


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A run to compare with, and why."""

    why: str
    run: Run


NEAR = 200
"""Among so many earlier runs of the same flow others are looked for."""


def suggestions(run: Run, user: Any) -> list[Suggestion]:
    """Runs that the user sees and may want to compare this one with, each once."""
    visible = Run.objects.visible_to(user).select_related("flow", "version", "started_by")
    visible = visible.defer("inputs", "result", "snapshot", "given_ends", "version__document", "error")
    found: list[Suggestion] = []
    if run.forked_from is not None:
        origin = visible.filter(pk=run.forked_from).first()
        found += [Suggestion("The run that this one was forked from", origin)] if origin else []
    if run.flow_id is not None:
        earlier = visible.filter(flow=run.flow_id, started_at__lte=run.started_at).exclude(pk=run.pk)
        near = list(earlier.order_by("-started_at", "-pk").values_list("pk", "preset", "status", "failed_steps")[:NEAR])
        wanted = {
            "The run of this flow before it": next((row[0] for row in near), None),
            "The last one before it with the same preset": next((row[0] for row in near if row[1] == run.preset), None),
            "The last one before it that succeeded": next(
                (row[0] for row in near if row[2] == "succeeded" and not row[3]), None
            ),
        }
        rows = {one.pk: one for one in visible.filter(pk__in=[pk for pk in wanted.values() if pk])}
        found += [Suggestion(why, rows[pk]) for why, pk in wanted.items() if pk in rows]
    each: dict[str, Suggestion] = {}
    for one in found:
        each.setdefault(one.run.pk, one)
    return list(each.values())
