"""What a run did at each node, in short: one attempt of each, and the edges that were taken. It reads; nothing runs.

Where a node ran several times, the choice says which of them is looked at: an item of each `for_each`, and a visit.
No value is loaded whole: of each, the database gives the beginning of its text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Max, TextField
from django.db.models.functions import Substr

from editor.language.schema import logic_hash, node_logics, parse_document
from editor.models import FlowVersion
from runner.engine.statuses import ScopeKind
from runner.models import Blob, Event, Run, Scope, StepRun
from runner.models.steps import FAILED_STEP
from runner.services.sensitive import Covers

#: Characters of a value's JSON text, and of an error's message, that are told.
SHOWN_CHARACTERS = 400
#: Attempts at the places that are looked at, and the newest events, that are gone through.
MOST_ATTEMPTS = MOST_EVENTS = 20_000
#: Items of a `for_each` in which a step failed that are told.
MOST_FAILED = 50


@dataclass(frozen=True)
class Choice:
    """Which of several passages are looked at: an item (from 0) by the id of its `for_each`, and a visit (from 1).

    Without an item it is the first that failed, else the last; without a visit the last.
    """

    items: Mapping[str, int] = field(default_factory=dict)
    visit: int | None = None


@dataclass(frozen=True)
class Beginning:
    """The beginning of a value's JSON text. `size`: bytes of the whole; a covered value is not told."""

    size: int
    shown: str = ""
    is_cut: bool = False
    is_covered: bool = False


@dataclass
class NodeSeen:
    """The attempt at a node that is looked at. `visits`: the highest number of a visit at its path."""

    node: str
    step_id: str
    path: str
    visit: int
    visits: int
    attempt: int
    status: str
    waits_for: str
    inner: int | None
    error: str = ""
    output: Beginning | None = None


@dataclass
class EdgeSeen:
    """An edge that was taken. `is_now`: in the visit of its source that is looked at."""

    edge: str
    count: int = 0
    is_now: bool = False


@dataclass(frozen=True)
class LoopSeen:
    """A `for_each`, how many items it began, which one is looked at, and in which the first few steps failed."""

    node: str
    items: int
    item: int
    failed: tuple[int, ...]


@dataclass
class Observed:
    """What was found. `is_whole`: nothing was left out for being too much."""

    nodes: list[NodeSeen] = field(default_factory=list)
    edges: list[EdgeSeen] = field(default_factory=list)
    loops: list[LoopSeen] = field(default_factory=list)
    is_whole: bool = True


@dataclass(frozen=True)
class Earlier:
    """How the document that ran differs from another one: as a whole, in which nodes, and which it does not have."""

    differs: bool
    changed: tuple[str, ...]
    absent: tuple[str, ...]


def observe(run: Run, choice: Choice) -> Observed:
    """What a run did at each node of its version, as far as it ran; nothing of what is sensitive."""
    found = Observed()
    walk = _Walk(run, choice, found)
    walk.go(_document_of(run).get("nodes", []))
    _tell_values(run, found.nodes)
    found.edges = _edges_taken(run, found)
    return found


def earlier_than(run: Run, document: Mapping[str, Any]) -> Earlier:
    """How the document that a run is bound to differs from this one, in what a run can notice."""
    before, after = parse_document(_document_of(run)).partial, parse_document(document).partial
    then = node_logics(before) if before is not None else {}
    now = node_logics(after) if after is not None else {}
    given = document.get("nodes")
    ids = [one.get("id") for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    known = [one for one in ids if isinstance(one, str)]
    absent = tuple(one for one in known if one not in then)
    changed = tuple(one for one in known if one in then and then[one] != now.get(one))
    same = before is not None and after is not None and logic_hash(before) == logic_hash(after)
    return Earlier(not same, changed, absent)


def _document_of(run: Run) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(FlowVersion.objects.values_list("document", flat=True).get(pk=run.version_id))
    return document


_COLUMNS = ("pk", "node", "path", "visit", "attempt", "status", "waits_for", "inner")


class _Walk:
    """From the outermost nodes inwards, because what is chosen outside says which places there are inside."""

    def __init__(self, run: Run, choice: Choice, found: Observed) -> None:
        self.run = run
        self.choice = choice
        self.found = found
        self._failed: list[str] | None = None

    def go(self, nodes: Iterable[Mapping[str, Any]]) -> None:
        """Look at the places of these nodes, level by level."""
        inside: dict[str | None, list[Mapping[str, Any]]] = {}
        ids = {one["id"] for one in nodes}
        for node in nodes:
            parent = node.get("parent")
            inside.setdefault(parent if parent in ids else None, []).append(node)
        level = {node["id"]: node for node in inside.get(None, [])}
        while level:
            seen = self._look(level)
            prefixes = self._prefixes(level, seen)
            level = {
                f"{prefixes[path]}.{child['id']}": child
                for path, node in level.items()
                if path in prefixes
                for child in inside.get(node["id"], [])
            }

    def _look(self, level: Mapping[str, Mapping[str, Any]]) -> dict[str, NodeSeen]:
        """The attempt that is looked at, by the place of its node."""
        rows = StepRun.objects.filter(run=self.run, path__in=list(level)).order_by("path", "visit", "attempt")
        seen: dict[str, NodeSeen] = {}
        read = list(rows.values_list(*_COLUMNS)[: MOST_ATTEMPTS + 1])
        self.found.is_whole = self.found.is_whole and len(read) <= MOST_ATTEMPTS
        for pk, node, path, visit, attempt, status, waits_for, inner in read:
            before = seen.get(path)
            if before is not None and self.choice.visit is not None and visit > max(self.choice.visit, before.visit):
                before.visits = visit
            else:
                seen[path] = NodeSeen(node, pk, path, visit, visit, attempt, status, waits_for, inner)
        self.found.nodes.extend(seen.values())
        return seen

    def _prefixes(self, level: Mapping[str, Mapping[str, Any]], seen: Mapping[str, NodeSeen]) -> dict[str, str]:
        """What stands before the places inside each node that ran: of a `for_each`, with the item looked at."""
        loops = {path: seen[path] for path, node in level.items() if node.get("type") == "for_each" and path in seen}
        counts = self._items([one.inner for one in loops.values() if one.inner is not None])
        found = {path: path for path in seen if path not in loops}
        for path, loop in loops.items():
            items = counts.get(loop.inner or 0, 0)
            if not items:
                continue
            failed = self._failed_items(path)
            wanted = self.choice.items.get(loop.node, failed[0] if failed else items - 1)
            item = min(wanted, items - 1)
            self.found.loops.append(LoopSeen(loop.node, items, item, failed))
            found[path] = f"{path}[{item}]"
        return found

    def _items(self, loops: list[int]) -> dict[int, int]:
        """How many items each of these scopes of a loop began."""
        if not loops:
            return {}
        rows = Scope.objects.filter(run=self.run, parent__in=loops, kind=ScopeKind.ITERATION)
        last = rows.order_by().values_list("parent").annotate(Max("index"))
        return {parent: index + 1 for parent, index in last if parent is not None and index is not None}

    def _failed_items(self, path: str) -> tuple[int, ...]:
        if self._failed is None:
            rows = StepRun.objects.filter(run=self.run, status__in=FAILED_STEP).order_by("path", "visit", "attempt")
            self._failed = list(rows.values_list("path", flat=True)[:MOST_ATTEMPTS])
        start = f"{path}["
        items = {int(one[len(start) :].partition("]")[0]) for one in self._failed if one.startswith(start)}
        return tuple(sorted(items)[:MOST_FAILED])


def _tell_values(run: Run, nodes: list[NodeSeen]) -> None:
    """The beginnings of what the attempts gave, and why they failed."""
    covers = Covers(run)
    rows = StepRun.objects.filter(pk__in=[one.step_id for one in nodes]).annotate(beginning=_beginning("output"))
    found = {row[0]: row[1:] for row in rows.values_list("pk", "beginning", "output_ref", "output_size", "error")}
    refs = {ref for _, ref, _, _ in found.values() if ref is not None}
    blobs = Blob.objects.filter(run=run, digest__in=refs).annotate(beginning=_beginning("text"))
    kept = dict(blobs.values_list("digest", "beginning"))
    for one in nodes:
        text, ref, size, error = found[one.step_id]
        one.error = str((error or {}).get("message", ""))[:SHOWN_CHARACTERS]
        text = text if ref is None else kept.get(ref)
        if text is None:
            continue
        if covers.value("s", one.node):
            one.output = Beginning(size, is_covered=True)
        else:
            one.output = Beginning(size, text[:SHOWN_CHARACTERS], len(text) > SHOWN_CHARACTERS)


def _beginning(column: str) -> Substr:
    return Substr(column, 1, SHOWN_CHARACTERS + 1, output_field=TextField())


def _edges_taken(run: Run, found: Observed) -> list[EdgeSeen]:
    """The edges that were taken from the places that are looked at, with how often."""
    nodes = {one.path: one for one in found.nodes}
    since = max(0, run.seq - MOST_EVENTS)
    found.is_whole = found.is_whole and since == 0
    rows = Event.objects.filter(run=run, seq__gt=since, type="edge-taken", path__in=list(nodes)).order_by("seq")
    edges: dict[str, EdgeSeen] = {}
    for path, visit, text in rows.values_list("path", "visit", "text"):
        source = nodes[path]
        edge = str(json.loads(text)["data"]["edge"])
        seen = edges.setdefault(edge, EdgeSeen(edge))
        seen.count += 1
        seen.is_now = seen.is_now or visit == source.visit
    return list(edges.values())
