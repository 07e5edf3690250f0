"""Which runs somebody asks for, and how many there are by status: one piece of code for the page and the API.

Nothing of a run's values is read for it. What is asked of inputs and errors is answered by `RunFact`, whose index
gives the newest run first, as do the indexes of the runs themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F, OuterRef, Subquery
from django.db.models.lookups import IsNull

from editor.models import FlowVersion
from runner.engine.statuses import RUN_LIVE, RunStatus
from runner.models import Run, RunFact, RunQuerySet
from runner.models.facts import ERROR, INPUT
from runner.models.visibility import is_admin, is_analyst
from runner.services.finding import value_text
from runner.store.words import words_in

ORDER = ("-started_at", "-id")
WITH_FAILED_STEP, PROBLEM = "with_failed_step", "problem"
STATUSES = (*(status.value for status in RunStatus), WITH_FAILED_STEP, PROBLEM)
"""What may be asked for. `succeeded`: without a failed step; `problem`: failed, or succeeded with a failed step."""
COUNTED, COUNTED_ONE_BY_ONE = 1_000, 100
"""Of so many of the newest runs it is said how many there are of each status; fewer, if each is asked whether it is
to be seen."""


@dataclass(frozen=True)
class RunFilters:
    """What is asked for; what is empty asks for nothing. `version` is a number, and goes with a flow.

    `input` is the path of a value in the inputs (`order.id`), `value` what it is; `error` a code, or words.
    """

    flow: str = ""
    version: int | None = None
    status: str = ""
    started_by: str = ""
    preset: str = ""
    since: datetime | None = None
    until: datetime | None = None
    input: str = ""
    value: str = ""
    error: str = ""
    parent_run: str = ""
    forked_from: str = ""

    @classmethod
    def of(cls, asked: Mapping[str, Any]) -> RunFilters:
        """Those of the given names that are filters."""
        return cls(**{one.name: asked[one.name] for one in fields(cls) if asked.get(one.name) not in (None, "")})

    def problems(self) -> dict[str, str]:
        """By the name of a filter: why it cannot be asked for."""
        found = {}
        if self.version is not None and not self.flow:
            found["version"] = "Versions are numbered within a flow. Say which flow."
        if self.input and not self.value:
            found["value"] = "Say which value the input has."
        if self.value and not self.input:
            found["input"] = "Say which input has that value."
        if self.error and not words_in(self.error):
            found["error"] = "Give the code of the error, or whole words of its text."
        if self.since and self.until and self.since > self.until:
            found["until"] = "This is before the beginning."
        return found


@dataclass(frozen=True)
class Narrowed:
    """The runs that were asked for. `seek`: by which columns the order ORDER is found, where not by its own."""

    rows: RunQuerySet
    seek: Mapping[str, str] = field(default_factory=dict)


def narrow(rows: RunQuerySet, wanted: RunFilters) -> Narrowed:
    """The runs among `rows` that fit. Raises nothing: filters that cannot be asked for (`problems`) find no run."""
    if wanted.problems():
        return Narrowed(rows.none())
    plain: dict[str, Any] = {
        "flow": wanted.flow, "preset": wanted.preset, "parent_run": wanted.parent_run,
        "forked_from": wanted.forked_from,
    }  # fmt: skip
    plain = {name: value for name, value in plain.items() if value}
    if wanted.version is not None:
        plain["version"] = FlowVersion.objects.filter(flow=wanted.flow, number=wanted.version).values("pk")[:1]
    if wanted.started_by:
        # By their key: an index of runs is found by it, and none by a name.
        plain["started_by"] = User.objects.filter(username=wanted.started_by).values("pk")[:1]
    return _by_facts(_by_status(rows.filter(**plain), wanted.status), wanted)


def _by_status(rows: RunQuerySet, status: str) -> RunQuerySet:
    if status == WITH_FAILED_STEP:
        return rows.with_failed_steps()
    if status == PROBLEM:
        return rows.troubled()
    if status == RunStatus.SUCCEEDED:
        return rows.filter(status=status, failed_steps=0)
    return rows.filter(status=status) if status else rows


def _by_facts(rows: RunQuerySet, wanted: RunFilters) -> Narrowed:
    """The rows that have what is asked of inputs and errors: one fact leads to them, newest first, others are looked up
    for each."""
    facts = [(INPUT, wanted.input, value_text(wanted.value))] if wanted.input else []
    # The longest word is likely to be the rarest.
    facts += [(ERROR, "", word) for word in sorted(words_in(wanted.error), key=len, reverse=True)]
    at, seek = "started_at", {}
    if facts:
        kind, key, value = facts[0]
        rows = rows.filter(facts__kind=kind, facts__key=key, facts__value=value)
        rows = rows.alias(fact_at=F("facts__started_at"), fact_run=F("facts__run_id"))
        at, seek = "fact_at", {"started_at": "fact_at", "id": "fact_run"}
    for kind, key, value in facts[1:]:
        # Asked run by run: as a set, Postgres would read all of it.
        others = RunFact.objects.filter(run=OuterRef("pk"), kind=kind, key=key, value=value).values("pk")[:1]
        rows = rows.filter(IsNull(Subquery(others), False))
    if wanted.since:
        rows = rows.filter(**{f"{at}__gte": wanted.since})
    if wanted.until:
        rows = rows.filter(**{f"{at}__lte": wanted.until})
    return Narrowed(rows, seek)


@dataclass(frozen=True)
class Counts:
    """How many runs fit, by what may be asked for as status. `is_all` False: only the newest `bound` were looked at."""

    total: int
    by_status: Mapping[str, int]
    is_all: bool
    bound: int = COUNTED

    def at_least(self, status: str = "") -> bool:
        """Whether there may be more of this status than its number says. Runs that live are counted in any case."""
        known = status in RUN_LIVE and self.by_status.get(status, 0) <= self.bound
        return not self.is_all and not known


def _live_ones(rows: RunQuerySet, bound: int) -> dict[str, int]:
    """How many of the rows live, by status: exact up to `bound`. One question, unless there are very many."""
    most = len(RUN_LIVE) * (bound + 1)
    live = [status.value for status in RUN_LIVE]
    found = list(rows.filter(status__in=live).order_by().values_list("status", flat=True)[:most])
    if len(found) < most:
        tally = Counter(found)
        return {status: tally[status] for status in live}
    return {status: rows.filter(status=status).order_by().values("pk")[: bound + 1].count() for status in live}


def count_by_status(user: Any, wanted: RunFilters) -> Counts:
    """Count the runs that a user sees and that fit, whatever their status: of many only the newest, and those that
    live."""
    bound = COUNTED if is_admin(user) or is_analyst(user) else COUNTED_ONE_BY_ONE
    found = narrow(Run.objects.listed_for(user), replace(wanted, status=""))
    order = [f"-{found.seek.get(name, name)}" for name in ("started_at", "id")]
    bare = found.rows.select_related(None)
    newest = list(bare.order_by(*order).values_list("status", "failed_steps")[: bound + 1])
    counted: Counter[str] = Counter()
    for status, failed in newest[:bound]:
        counted[WITH_FAILED_STEP if status == RunStatus.SUCCEEDED and failed else status] += 1
    is_all = len(newest) <= bound
    if not is_all and not wanted.error:  # what lives has not failed
        for status, number in _live_ones(bare, bound).items():
            counted[status] = number
    counted[PROBLEM] = counted[RunStatus.FAILED.value] + counted[WITH_FAILED_STEP]
    return Counts(min(len(newest), bound), dict(counted), is_all, bound)
