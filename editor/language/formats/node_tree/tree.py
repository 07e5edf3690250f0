"""The tree of the node-tree form as nodes and edges. Single steps are leaves.py's, the document's head is __init__'s.

What runs in order becomes a chain of edges; a container of ours is made only where the tree's has something of its
own (an id, a retry, a time limit), or runs things in parallel or for each item.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from editor.language.formats.base import Draft, Losses, Part, Place, shown
from editor.language.formats.ids import Names, node_id
from editor.language.formats.node_tree.branches import BRANCH_BODY, choice_of, condition_of, options_of
from editor.language.formats.node_tree.leaves import LEAVES, Agents, common, items_of

_ENDS_PATH = frozenset({"return", "end", "throw"})
_BODY = ("step", "flow", "steps")
"""Keys under which a loop or a branch holds what it runs."""


@dataclass(frozen=True)
class Spot:
    """Where a step stands: in which container, and what comes after it.

    `last`: nothing follows in its chain; `final`: nothing in the whole flow; `shown`: its result can be seen, as the
    result of the flow, of a loop or of a variable (so it is the last of its chain).
    """

    parent: str | None = None
    last: bool = True
    final: bool = True
    shown: bool = True


@dataclass(frozen=True)
class Way:
    """A way on from a piece to whatever follows it; `dead`: it is drawn only where nothing else leads there."""

    source: str
    when: str | None = None
    rank: int = 0
    dead: bool = False
    more: dict[str, Any] = field(default_factory=dict)


@dataclass
class Piece:
    """Part of a chain: its first node (None: it is empty) and the ways on."""

    first: str | None = None
    ways: list[Way] = field(default_factory=list)


class Tree:
    """One pass over one tree."""

    def __init__(self, losses: Losses, agents: Agents, root: object) -> None:
        self.losses = losses
        self.agents = agents
        self.draft = Draft()
        self.names = Names()
        self.places: dict[str, Place] = {}
        """Where each node stands in the tree."""
        self._given = {node_id(given) for given in _ids(root)}

    def read(self, raw: object, place: Place, spot: Spot) -> Piece:
        """Add a step with everything it holds."""
        if not isinstance(raw, dict):
            self.losses.add(place, f"{shown(raw)} is no step.", "It is left out.")
            return Piece()
        part = Part(raw, place, self.losses)
        kind = raw.get("type")
        if kind == "sequence":
            return self._sequence(part, spot)
        if kind == "parallel":
            return self._parallel(part, spot)
        if kind in ("oneOf", "condition"):
            return self._one_of(part, spot)
        if kind == "forEach":
            return self._for_each(part, spot)
        return self._leaf(part, spot)

    # --- nodes ----------------------------------------------------------------------------------------

    def _node(self, part: Part, type_: str, config: dict[str, Any], spot: Spot) -> dict[str, Any]:
        """Make a node of what any step may have; what is left unread is added by `_add`."""
        part.get("type")
        node: dict[str, Any] = {"id": self._id(part), "type": type_, **common(part)}
        if spot.parent is not None:
            node["parent"] = spot.parent
        return node | ({"config": config} if config else {})

    def _id(self, part: Part) -> str:
        given = part.get("id")
        if not isinstance(given, str) or not given:
            return self.names.numbered("step", self._given)
        found = self.names.fit(given)
        if found != given:
            part.lose("id", f"{shown(given)} cannot be the id of a node here, or is taken.", f"The node is {found}.")
        return found

    def _add(self, part: Part, node: dict[str, Any]) -> str:
        self.places[node["id"]] = part.place
        return self.draft.node({**node, **part.rest()})

    def _leaf(self, part: Part, spot: Spot) -> Piece:
        kind = part.get("type")
        reader = LEAVES.get(kind) if isinstance(kind, str) else None
        if reader is None:
            return self._stand_in(part, spot, kind)
        type_, config = reader(part, self.agents)
        node = self._add(part, self._node(part, type_, config, spot))
        if kind == "end" and not spot.last:
            told = "Here it ends its path: what follows is drawn, and not reached from it."
            self.losses.add(part.place, "In the source format the steps after this end still run.", told)
        if kind == "return" and not spot.final:
            told = "Here it ends the whole run at once, with its value as the result."
            self.losses.add(part.place, "In the source format the steps around this return still run.", told)
        return Piece(node, [Way(node, dead=kind in _ENDS_PATH)])

    def _stand_in(self, part: Part, spot: Spot, kind: object) -> Piece:
        """A step of a type that we do not have: a handler of that name stands in its place."""
        if not isinstance(kind, str) or not kind:
            node = self._add(part, self._node(part, "unknown", {}, spot))
            return Piece(node, [Way(node)])
        told = f"A handler named {shown(kind)} stands in its place; register one, or draw something else."
        self.losses.add(part.place, f"There is no step of the type {shown(kind)} here.", told)
        node = self._add(part, self._node(part, "handler", {"handler": kind}, spot))
        return Piece(node, [Way(node)])

    # --- in order -------------------------------------------------------------------------------------

    def _sequence(self, part: Part, spot: Spot) -> Piece:
        if part.raw.keys() <= {"type", "steps"}:
            return self.chain(part.get("steps"), part.at("steps"), spot)
        node = self._node(part, "sequence", {}, spot)
        steps = part.get("steps")
        container = self._add(part, node)
        self.chain(steps, part.at("steps"), self._within(container, node, spot, final=spot.final))
        return Piece(container, [Way(container)])

    @staticmethod
    def _within(container: str, node: Mapping[str, Any], spot: Spot, *, final: bool) -> Spot:
        return Spot(container, True, final, spot.shown or "output_variable" in node)

    def chain(self, steps: object, place: Place, spot: Spot) -> Piece:
        """Add steps that run one after another, joined by edges."""
        if steps is None:
            return Piece()
        if not isinstance(steps, list):
            self.losses.add(place, f"{shown(steps)} is no list of steps.", "It is left out.")
            return Piece()
        whole = Piece()
        for number, step in enumerate(steps):
            is_last = number == len(steps) - 1
            here = spot if is_last else replace(spot, last=False, final=False, shown=False)
            piece = self.read(step, (*place, number), here)
            if piece.first is None:
                continue
            self._connect(whole.ways, piece.first)
            whole = Piece(whole.first or piece.first, piece.ways)
        return whole

    def _connect(self, ways: list[Way], target: str) -> None:
        living = [way for way in ways if not way.dead]
        for way in living or ways:
            self.draft.edge(way.source, target, way.when, way.rank, **way.more)

    # --- branches -------------------------------------------------------------------------------------

    def _one_of(self, part: Part, spot: Spot) -> Piece:
        options = options_of(part)
        if not any(part.has(key) for key in ("retry", "timeoutMs", "outputVariable")):
            node = self._node(part, "one_of", {}, spot) | choice_of(options)
            return self._branches(self._add(part, node), options, spot)
        node = self._node(part, "sequence", {}, spot)
        container = self._add(part, node)
        inner = self._within(container, node, spot, final=spot.final)
        choice = {"id": self.names.fit(f"{container}_choice"), **choice_of(options), "parent": container}
        self._branches(self.draft.node(choice), options, inner)
        return Piece(container, [Way(container)])

    def _branches(self, choice: str, options: list[Part], spot: Spot) -> Piece:
        ways: list[Way] = []
        has_default = False
        for rank, option in enumerate(options):
            when = condition_of(option)
            has_default = has_default or when is None
            piece = self._body(option, spot, BRANCH_BODY)
            more = option.rest()
            if piece.first is None:
                ways.append(Way(choice, when, rank, more=more))
                continue
            self.draft.edge(choice, piece.first, when, rank, **more)
            ways += piece.ways
        if not has_default:
            ways.append(Way(choice, None, len(options)))
        return Piece(choice, ways)

    def _body(self, part: Part, spot: Spot, keys: tuple[str, ...] = _BODY) -> Piece:
        """What a branch or a loop runs: one step, or a list of them."""
        key = next((key for key in keys if part.has(key)), None)
        if key is None:
            for name in keys:
                part.get(name)
            return Piece()
        given = part.get(key)
        if isinstance(given, list):
            return self.chain(given, part.at(key), spot)
        return self.read(given, part.at(key), spot)

    # --- side by side, again and again ----------------------------------------------------------------

    def _parallel(self, part: Part, spot: Spot) -> Piece:
        node = self._node(part, "parallel", {}, spot)
        variable = node.pop("output_variable", None)
        steps = part.get("steps")
        container = self._add(part, node)
        is_seen = spot.shown or variable is not None
        inner = Spot(container, True, False, is_seen)
        firsts: list[str | None] = []
        if isinstance(steps, list):
            firsts = [self.read(step, part.at("steps", place), inner).first for place, step in enumerate(steps)]
        elif steps is not None:
            part.lose("steps", f"{shown(steps)} is no list of steps.", "It is left out.")
        if not is_seen:
            return Piece(container, [Way(container)])
        return self._as_list(container, firsts, variable, spot)

    def _as_list(self, container: str, firsts: list[str | None], variable: Any, spot: Spot) -> Piece:
        """The results of a parallel as the list that the source format gives: ours are an object by node."""
        value = [None if first is None else f"{{{{steps.{container}.output.{first}}}}}" for first in firsts]
        node: dict[str, Any] = {"id": self.names.fit(f"{container}_list"), "name": "Results as a list"}
        if spot.parent is not None:
            node["parent"] = spot.parent
        if variable is None:
            node |= {"type": "end", "config": {"value": value}}
        else:
            node |= {"type": "set_variable", "config": {"variable": variable, "value": value}}
        self.draft.edge(container, self.draft.node(node))
        return Piece(container, [Way(node["id"], dead=variable is None)])

    def _for_each(self, part: Part, spot: Spot) -> Piece:
        config = items_of(part)
        config |= part.copy({"itemVariable": "item_variable", "indexVariable": "index_variable"})
        node = self._node(part, "for_each", config, spot)
        for key in _BODY:
            if part.has(key):
                part.get(key)
                break
        container = self._add(part, node)
        self._body(part, self._within(container, node, spot, final=False))
        return Piece(container, [Way(container)])


def _ids(raw: object) -> Iterator[str]:
    """Every id that a tree gives, as a node id."""
    waiting = [raw]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if isinstance(value.get("type"), str) and isinstance(value.get("id"), str):
                yield value["id"]
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
