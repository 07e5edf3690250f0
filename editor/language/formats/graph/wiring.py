"""Edges of the graph form as edges of ours: every edge whose condition holds is taken there, one here.

Where several are taken at once a fan-out says so; its synthesis is the step where the branches meet.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from editor.language.formats.base import Draft, Losses, Part, Place, shown
from editor.language.formats.ids import Names, node_id

MOST_STEPS = 300
MOST_EDGES = 1_000
MOST_FAN_OUTS = 100
MOST_MEETINGS = 20
"""How far fan-outs are looked for: this form's flows are drawn by hand, and larger ones are not taken apart."""


@dataclass
class Wire:
    """One edge: where it leads, and the key of the output that must be truthy (None: it is taken in any case)."""

    target: str
    key: str | None = None
    more: dict[str, Any] = field(default_factory=dict)
    place: Place = ("edges",)


class Wires:
    """All edges of one flow, by node ids."""

    def __init__(self, steps: Iterable[str]) -> None:
        self._steps = tuple(dict.fromkeys(steps))
        self.leaving: dict[str, list[Wire]] = {step: [] for step in self._steps}
        self.arriving: dict[str, list[str]] = {step: [] for step in self.leaving}

    def add(self, source: str, wire: Wire) -> None:
        """Add an edge; one with an unknown end is kept, for the checks to report."""
        self.leaving.setdefault(source, []).append(wire)
        self.arriving.setdefault(wire.target, []).append(source)

    def entries(self) -> list[str]:
        """Steps to which no edge leads."""
        return [step for step in self._steps if not self.arriving[step]]

    def reached(self, firsts: Iterable[str], stop: str | None = None) -> set[str]:
        """The steps that a path can come to which starts at one of `firsts` and ends at `stop`, without the latter."""
        found = {first for first in firsts if first != stop}
        waiting = list(found)
        while waiting:
            for wire in self.leaving.get(waiting.pop(), ()):
                if wire.target not in found and wire.target != stop:
                    found.add(wire.target)
                    waiting.append(wire.target)
        return found


def read_wires(head: Part, steps: Iterable[str], ids: dict[str, str]) -> Wires:
    """Read the edges of a document; `steps` are the nodes of its steps, `ids` gives them by the names of the steps."""
    wires = Wires(steps)
    for part in head.objects("edges"):
        source, target = _end(part, "from", ids), _end(part, "to", ids)
        more = part.copy({"id": "id", "label": "label"})
        wire = Wire(target, _condition(part), more, part.place)
        wire.more |= part.rest()
        wires.add(source, wire)
    return wires


def _end(part: Part, key: str, ids: dict[str, str]) -> str:
    given = part.get(key)
    return ids.get(given) or node_id(given) if isinstance(given, str) else node_id(f"missing_{key}")


def _condition(part: Part) -> str | None:
    """A condition is the name of a key: the edge is taken where that key of the step's output is truthy."""
    given = part.get("condition")
    if given is None or given == "":
        return None
    if not isinstance(given, str):
        part.lose("condition", f"{shown(given)} is no name of a key.", "The edge is taken in any case.")
        return None
    return given


def quoted(text: str) -> str:
    """Write a text as a literal of an expression."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"


class Wiring:
    """Draws the edges of one flow."""

    def __init__(self, wires: Wires, draft: Draft, names: Names, losses: Losses) -> None:
        self.wires = wires
        self.draft = draft
        self.names = names
        self.losses = losses
        self.nodes = {str(node["id"]): node for node in draft.nodes}

    def draw(self) -> None:
        """Add what starts the flow, turn steps with several ways on into fan-outs, and add all edges."""
        self._start()
        self._fan_outs()
        for source, wires in self.wires.leaving.items():
            is_fan_out = self.nodes.get(source, {}).get("fan_out")
            for wire in wires:
                when = None if wire.key is None else f"output[{quoted(wire.key)}]"
                rank = 0 if is_fan_out or when is not None else 1
                self.draft.edge(source, wire.target, when, rank, **wire.more)

    def _start(self) -> None:
        entries = self.wires.entries()
        if len(entries) < 2:
            return
        start = self.names.fit("start")
        node = {"id": start, "type": "one_of", "name": "Start"}
        self.draft.nodes.insert(0, node)
        self.nodes[start] = node
        self.wires.leaving = {start: [Wire(entry, place=("steps",)) for entry in entries], **self.wires.leaving}
        for entry in entries:
            self.wires.arriving[entry].append(start)
        self.losses.add(("steps",), f"{len(entries)} steps start at once.", f"The node {start} starts them.")

    def _fan_outs(self) -> None:
        found = [source for source in self.wires.leaving if self._takes_several(source)]
        if not found:
            return
        edges = sum(len(wires) for wires in self.wires.leaving.values())
        if len(self.wires.leaving) > MOST_STEPS or edges > MOST_EDGES or len(found) > MOST_FAN_OUTS:
            told = "The flow is too large to look for fan-outs: only the first edge that holds is taken."
            for source in found:
                self._lose(source, f"All edges after {source} that hold are taken at once.", told)
            return
        sizes = {source: len(self.wires.reached(self._targets(source))) for source in found}
        for source in sorted(sizes, key=sizes.__getitem__):
            self._fan_out(source)

    def _lose(self, source: str, what: str, instead: str) -> None:
        self.losses.add(self.wires.leaving[source][0].place, what, instead)

    def _targets(self, source: str) -> list[str]:
        return list(dict.fromkeys(wire.target for wire in self.wires.leaving[source]))

    def _takes_several(self, source: str) -> bool:
        wires = self.wires.leaving[source]
        sure = [wire for wire in wires if wire.key is None]
        if len(self._targets(source)) < 2 or source not in self.nodes:
            return False
        if not sure and self.nodes[source]["type"] != "verifier":
            told = "The first edge whose condition holds is taken."
            self._lose(source, f"If several conditions after {source} hold, all their edges are taken.", told)
        return bool(sure)

    def _fan_out(self, source: str) -> None:
        targets = self._targets(source)
        synthesis = self._meeting(source, targets)
        sure = [wire for wire in self.wires.leaving[source] if wire.key is None]
        if synthesis is None:
            synthesis = self._bring_together(source, targets)
        if synthesis is None and len(sure) == 1:
            told = "An edge whose condition holds is taken; else the one without a condition."
            self._lose(source, f"All edges after {source} whose conditions hold are taken at once.", told)
            return
        self.nodes[source] |= {"read_only": True, "fan_out": True}
        if synthesis is None:
            told = "It is a fan-out without a synthesis; draw a step where its branches meet, and name it."
            self._lose(source, f"The branches after {source} do not come together.", told)
            return
        self.nodes[source]["synthesis"] = synthesis
        told = f"They are branches of a fan-out; {synthesis} runs once, when all have ended."
        self._lose(source, f"Several steps after {source} run at once, and what follows for each.", told)

    def _meeting(self, source: str, targets: list[str]) -> str | None:
        """The first step at which all branches meet and behind which nothing of them is left."""
        common = set.intersection(*({*self.wires.reached([target])} for target in targets))
        for step in [step for step in self.wires.leaving if step in common][:MOST_MEETINGS]:
            region = self.wires.reached(targets, stop=step)
            if self._is_closed(source, region):
                return step
        return None

    def _is_closed(self, source: str, region: set[str]) -> bool:
        allowed = {*region, source}
        return source not in region and all(allowed.issuperset(self.wires.arriving.get(step, ())) for step in region)

    def _bring_together(self, source: str, targets: list[str]) -> str | None:
        """Add a node where branches meet that all end by themselves."""
        region = self.wires.reached(targets)
        ends = [step for step in region if step in self.nodes and not self.wires.leaving.get(step)]
        is_sure = all(self.wires.reached([target]) & set(ends) for target in targets)
        if not is_sure or not self._is_closed(source, region):
            return None
        synthesis = self.names.fit(f"{source}_together")
        self.nodes[synthesis] = {"id": synthesis, "type": "one_of"}
        self.draft.node(self.nodes[synthesis])
        self.wires.leaving[synthesis] = []
        order = {step: place for place, step in enumerate(self.wires.leaving)}
        for end in sorted(ends, key=order.__getitem__):
            self.wires.add(end, Wire(synthesis))
        return synthesis
