"""What every importer gives and uses: the imported document, its losses, reading with nothing overlooked.

Ids are ids.py's, texts texts.py's. The formats have a module each and know nothing of one another.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from editor.language.json_gate import pointer

SHOWN = 60
Place = tuple[str | int, ...]
"""Where something stands in the foreign document: keys and indexes from the top."""


@dataclass(frozen=True)
class Loss:
    """Something that the foreign document says and ours does not say in the same way.

    `place` is a JSON pointer into the foreign document, `what` names the thing, `instead` tells what was done.
    """

    place: str
    what: str
    instead: str

    def as_json(self) -> dict[str, str]:
        """Give the loss as the audit and the API show it."""
        return {"place": self.place, "what": self.what, "instead": self.instead}


@dataclass(frozen=True)
class Imported:
    """A document of ours, and everything that it says differently from where it came from."""

    document: dict[str, Any]
    losses: tuple[Loss, ...] = ()


class Format(Protocol):
    """A foreign format. `name` is a slug, `title` is read by people."""

    name: str
    title: str

    def recognises(self, raw: Mapping[str, Any]) -> bool:
        """Whether a JSON object is a document of this format, as far as its outline tells."""
        ...

    def read(self, raw: Mapping[str, Any], default_id: str | None) -> Imported:
        """Turn a document that was recognised into ours. Never raises; `default_id` is for one without an id."""
        ...


class Losses:
    """Collects the losses of one import, each once, in the order of reading."""

    def __init__(self) -> None:
        self._found: dict[Loss, None] = {}

    def add(self, place: Place, what: str, instead: str) -> None:
        """Write one down."""
        self._found[Loss(pointer(place), what, instead)] = None

    @property
    def found(self) -> tuple[Loss, ...]:
        """All of them so far."""
        return tuple(self._found)


class Part:
    """One object of a foreign document; remembers which keys were asked for, so that none is dropped unseen."""

    def __init__(self, raw: Mapping[str, Any], place: Place, losses: Losses) -> None:
        self.raw = raw
        self.place = place
        self.losses = losses
        self._asked: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        """Give the value of a key, which counts as read."""
        self._asked.add(key)
        return self.raw.get(key, default)

    def has(self, key: str) -> bool:
        """Whether the document gives this key, and not as null. Does not count as reading it."""
        return self.raw.get(key) is not None

    def at(self, *keys: str | int) -> Place:
        """The place of something inside."""
        return (*self.place, *keys)

    def lose(self, key: str, what: str, instead: str) -> None:
        """Write down a loss at one of the keys."""
        self.losses.add(self.at(key), what, instead)

    def copy(self, names: Mapping[str, str]) -> dict[str, Any]:
        """Give the values of these keys under our names, where the document gives them and not as null."""
        return {ours: self.get(theirs) for theirs, ours in names.items() if self._touch(theirs)}

    def _touch(self, key: str) -> bool:
        self._asked.add(key)
        return self.raw.get(key) is not None

    def objects(self, key: str) -> list[Part]:
        """Give the objects of a list; what is none of them is a loss."""
        given = self.get(key)
        if given is None:
            return []
        if not isinstance(given, list):
            self.lose(key, f"{shown(given)} is no list.", "It is left out.")
            return []
        found = []
        for number, item in enumerate(given):
            if isinstance(item, dict):
                found.append(Part(item, self.at(key, number), self.losses))
            else:
                self.losses.add(self.at(key, number), f"{shown(item)} is no object.", "It is left out.")
        return found

    def rest(self) -> dict[str, Any]:
        """Give what nobody asked for, as `x-` keys; each is a loss, unless it was such a key before."""
        kept: dict[str, Any] = {}
        for key, value in self.raw.items():
            if key in self._asked:
                continue
            name = key if key.startswith("x-") else f"x-{key}"
            while name in kept or (name != key and name in self.raw):
                name += "_"
            kept[name] = value
            if name != key:
                self.lose(key, f"{shown(key)} means nothing here.", f"It is kept as {shown(name)} and has no effect.")
        return kept


def shown(value: object) -> str:
    """Write a value for a sentence: a text cut after a few words, of lists and objects only that they are such."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, str):
        text = repr(value)
        return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
    return json.dumps(value)


@dataclass
class Draft:
    """A document of ours while it is put together. Edges are kept in the order of their sources."""

    top: dict[str, Any] = field(default_factory=dict)
    nodes: list[dict[str, Any]] = field(default_factory=list)
    edges: list[tuple[int, dict[str, Any]]] = field(default_factory=list)

    def node(self, node: dict[str, Any]) -> str:
        """Add a node; gives its id."""
        self.nodes.append(node)
        return str(node["id"])

    def edge(self, source: str, target: str, when: str | None = None, rank: int = 0, **more: Any) -> None:
        """Add an edge. Among those of one source a lower rank comes first, then the one added first."""
        condition = {} if when is None else {"when": when}
        self.edges.append((rank, {"source": source, "target": target, **condition, **more}))

    def document(self) -> dict[str, Any]:
        """Give the whole document."""
        order = {node["id"]: number for number, node in reversed(list(enumerate(self.nodes)))}
        edges = sorted(self.edges, key=lambda ranked: (order.get(ranked[1]["source"], len(order)), ranked[0]))
        return {"format": 1, **self.top, "nodes": self.nodes, "edges": [edge for _, edge in edges]}
