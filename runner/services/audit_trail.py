"""Who did what, over the whole site: entries of the audit and what people did to runs, in one order. It only reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from heapq import merge
from itertools import islice
from operator import or_
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q

from editor import pseudonyms
from editor.models import ApiToken, AuditEntry
from runner.models import Event, Run
from runner.models.fields import to_ms
from runner.models.history import ACTS

BATCH = 500


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows. `action` is one of the audit's actions or an event's type; times are aware."""

    who: str = ""
    action: str = ""
    run_id: str = ""
    flow_id: str = ""
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One deed. `place` is that of its source: an entry's id, or an event's time, run and number."""

    at_ms: int
    place: tuple[int] | tuple[int, str, int]
    actor: dict[str, Any]
    action: str
    object_type: str
    object_id: str
    before: Any
    after: Any
    reason: str
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far each of the two sources has been read: what comes next is older. None: nothing of it yet."""

    entry: int | None = None
    event: tuple[int, str, int] | None = None

    def __str__(self) -> str:
        event = "-".join(map(str, self.event)) if self.event else "--"
        return f"{'' if self.entry is None else self.entry}-{event}"

    @classmethod
    def read(cls, text: str) -> Cursor:
        """The cursor that an address holds; the beginning for a text that is none."""
        found = _CURSOR.fullmatch(text)
        if found is None:
            return cls()
        entry, ts, run_id, seq = found.groups()
        event = (int(ts), run_id, int(seq)) if ts and run_id and seq else None
        return cls(int(entry) if entry else None, event)

    def behind(self, rows: list[Row]) -> Cursor:
        """The cursor after these rows were taken."""
        entries = [row.place for row in rows if len(row.place) == 1]
        events = [row.place for row in rows if len(row.place) == 3]
        return Cursor(entries[-1][0] if entries else self.entry, events[-1] if events else self.event)


_CURSOR = re.compile(r"(\d{0,18})-(\d{0,15})-([0-9a-f]{0,32})-(\d{0,15})")


def trail(wanted: Wanted, cursor: Cursor | None = None, limit: int = 50) -> list[Row]:
    """The newest deeds first, at most `limit`, behind a cursor."""
    at = cursor or Cursor()
    # Each source is in its own order already; of two in one millisecond the event comes first.
    return list(islice(merge(_acts(wanted, at, limit), _entries(wanted, at, limit), key=lambda row: -row.at_ms), limit))


def runs_beginning(short: str) -> list[str]:
    """Ids of the runs that begin so, two at most; of runs that are gone, those that entries are about."""
    rest = {"gte": short, "lt": short + "g"}  # an id is hexadecimal: nothing comes behind its last digit but this
    rows = Run.objects.filter(**{f"pk__{name}": text for name, text in rest.items()}).order_by("pk")
    found = list(rows.values_list("pk", flat=True)[:2])
    if not found:
        entries = AuditEntry.objects.filter(object_type="run", **{f"object_id__{n}": text for n, text in rest.items()})
        found = list(entries.order_by("object_id").values_list("object_id", flat=True).distinct()[:2])
    return found


def whole_trail(wanted: Wanted, most: int) -> Iterator[Row]:
    """The same from the newest on, page by page, `most` rows at most."""
    cursor, left = Cursor(), most
    while left > 0:
        rows = trail(wanted, cursor, min(BATCH, left))
        yield from rows
        left -= len(rows)
        if len(rows) < BATCH:
            return
        cursor = cursor.behind(rows)


def _entries(wanted: Wanted, cursor: Cursor, limit: int) -> list[Row]:
    of = [("run", wanted.run_id), ("flow", wanted.flow_id)]
    named = next(((kind, name) for kind, name in of if name), None)
    where = Q(object_type=named[0], object_id=named[1]) if named else Q()
    if wanted.who:
        of_person = (Q(actor_kind=actor["kind"], actor_id=actor["id"]) for actor in actors_of(wanted.who))
        where &= reduce(or_, of_person, Q(actor_name=wanted.who))
    if wanted.action:
        where &= Q(action=wanted.action)
    if wanted.since:
        where &= Q(at__gte=wanted.since)
    if wanted.until:
        where &= Q(at__lt=wanted.until)
    if cursor.entry is not None:
        where &= Q(pk__lt=cursor.entry)
    return [_of_entry(entry) for entry in AuditEntry.objects.filter(where).order_by("-pk")[:limit]]


def _of_entry(entry: AuditEntry) -> Row:
    actor = {"kind": entry.actor_kind, "id": entry.actor_id, "name": entry.actor_name}
    return Row(
        to_ms(entry.at),
        (entry.pk,),
        actor,
        entry.action,
        entry.object_type,
        entry.object_id,
        entry.before,
        entry.after,
        entry.reason,
    )


def _acts(wanted: Wanted, cursor: Cursor, limit: int) -> list[Row]:
    # The condition of the index, word for word: what the engine does by itself is no act.
    rows = Event.objects.acts()
    if wanted.action:
        if wanted.action not in ACTS:
            return []
        rows = rows.filter(type=wanted.action)
    if wanted.run_id:
        rows = rows.filter(run_id=wanted.run_id)
    if wanted.flow_id:
        rows = rows.filter(run__flow_id=wanted.flow_id)
    if wanted.who:
        rows = rows.filter(_by(wanted.who))
    if wanted.since:
        rows = rows.filter(ts__gte=to_ms(wanted.since))
    if wanted.until:
        rows = rows.filter(ts__lt=to_ms(wanted.until))
    if cursor.event is not None:
        ts, run_id, seq = cursor.event
        behind = Q(ts__lt=ts) | Q(run_id__lt=run_id) | Q(run_id=run_id, seq__lt=seq)
        rows = rows.filter(ts__lte=ts).filter(behind)
    found = rows.order_by("-ts", "-run_id", "-seq")[:limit]
    return [_of_event(event) for event in found]


def _by(who: str) -> Q:
    """Events by a person and their tokens; of somebody who was erased, by their account: the name was another."""
    erased = [account for account, name in pseudonyms.pseudonyms().items() if name == who]
    if erased:
        found = Q(pk__in=[])
        for kind, key in erased:
            found |= Q(actor__contains=f'"id":"{key}"') & Q(actor__contains=f'"kind":"{kind}"')
        return found
    return Q(actor__in=actors_of(who))


def _of_event(event: Event) -> Row:
    data = event.data
    about = {key: value for key, value in data.items() if key != "reason"}
    return Row(
        to_ms(event.ts),
        (to_ms(event.ts), event.run_id, event.seq),
        pseudonyms.shown(event.actor),
        event.type,
        "run",
        event.run_id,
        None,
        {"step": event.path, **about} if event.path else about,
        str(data.get("reason") or data.get("comment") or ""),
        event.seq,
    )


def actors_of(username: str) -> list[dict[str, str]]:
    """How a person stands in events and entries: by name, and by each of their tokens."""
    person = User.objects.filter(username=username).first()
    if person is None:
        return []
    tokens = ApiToken.objects.filter(owner=person).values_list("pk", "name")
    by_token = [{"kind": "token", "id": str(pk), "name": f"{name} of {username}"} for pk, name in tokens]
    return [{"kind": "user", "id": str(person.pk), "name": username}, *by_token]
