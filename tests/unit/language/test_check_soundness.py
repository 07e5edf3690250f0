"""The checks against random documents: they never raise, and never call a variable unknown that a path can set.

The walk below is a deliberately simple reading of the contract, apart from the engine's.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from editor.language.graph import Graph
from editor.language.schema import parse_document
from editor.language.validation import check
from editor.language.validation.subject import Subject
from editor.language.validation.texts import Site
from editor.language.validation.writes import Suppliers
from tests.unit.language.documents import EMPTY, edge, flow, node, put

FOLDER = Path(__file__).parents[2] / "conformance"
CASES = [json.loads(path.read_text())["flow"] for path in sorted(FOLDER.glob("flows*/*.json"))]
STRANGE = [None, True, 0, -1, 1.5, "", "a", "{{x}}", "$y", "{{", [], {}, {"$expr": "x"}, "both", 10**30, "all"]
KEYS = ["parent", "join", "fan_out", "synthesis", "start", "when", "inputs", "type", "writes", "x-mine", "unheard"]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def spoil(chance: random.Random, document: dict[str, Any]) -> None:
    """Change one place of a document into something it should not be."""
    found = list(places(document))
    if not found:
        return
    path = chance.choice(found)
    holder: Any = document
    for key in path[:-1]:
        holder = holder[key]
    kind = chance.randrange(5)
    if kind == 0:
        holder.pop(path[-1])
    elif kind == 1:
        holder[path[-1]] = copy.deepcopy(chance.choice(STRANGE))
    elif kind == 2 and isinstance(holder, dict):
        holder[chance.choice(KEYS)] = copy.deepcopy(chance.choice([*STRANGE, "sequence", "for_each", "handler"]))
    elif kind == 3 and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[path[-1]]))
    elif kind == 4 and isinstance(holder, list):
        chance.shuffle(holder)


@pytest.mark.parametrize("seed", range(20))
def test_a_spoiled_document_gets_problems_and_never_an_exception(seed: int):
    chance = random.Random(seed)
    for _ in range(25):
        document = copy.deepcopy(chance.choice(CASES))
        for _ in range(chance.randrange(1, 6)):
            spoil(chance, document)
        parsed = parse_document(document)
        found = check(parsed, EMPTY)
        has_read_errors = any(problem.severity == "error" for problem in parsed.problems)
        assert (parsed.definition is None) == has_read_errors
        assert all(problem.path == "" or problem.path.startswith("/") for problem in found)


# --- no false unknown_variable --------------------------------------------------------------------------


def random_flow(chance: random.Random) -> dict[str, Any]:
    """Write a flow of containers and writers with random edges; each node n writes a key of its own, k_n."""
    nodes: list[dict[str, Any]] = []
    containers: list[str | None] = [None]
    for number in range(chance.randrange(4, 12)):
        name = f"n{number}"
        parent = chance.choice(containers)
        keys = {} if parent is None else {"parent": parent}
        kind = chance.choice(["put", "put", "put", "sequence", "parallel", "for_each"])
        if kind == "put":
            nodes.append(put(name, f"k_{name}", **keys))
        else:
            config = {"items": 2, "concurrency": chance.choice([1, 2])} if kind == "for_each" else {}
            nodes.append(node(name, kind, config=config, output_variable=f"k_{name}", **keys))
            containers.append(name)
    edges = []
    for _ in range(chance.randrange(0, 14)):
        one, other = chance.choice(nodes), chance.choice(nodes)
        if one.get("parent") == other.get("parent"):
            edges.append(edge(one["id"], other["id"], chance.choice([None, None, "error"])))
    if chance.random() < 0.5:
        _add_fan_out(chance, nodes, edges)
    top = [one["id"] for one in nodes if "parent" not in one]
    return flow(nodes, edges, start=chance.choice(top))


def _add_fan_out(chance: random.Random, nodes: list[dict[str, Any]], edges: list[dict[str, Any]]) -> None:
    """Add plan → r0, r1 → sum with random ways among r0 … r3, and lead from the rest to plan and on from sum."""
    outside = [one["id"] for one in nodes if "parent" not in one]
    region = [f"r{number}" for number in range(4)]
    nodes.append(node("plan", read_only=True, fan_out=True, synthesis="sum"))
    nodes.extend(put(name, f"k_{name}") for name in [*region, "sum"])
    edges.extend(edge("plan", name) for name in region[:2])
    edges.extend(edge(name, "sum") for name in region[:2])
    for _ in range(chance.randrange(0, 5)):
        edges.append(edge(chance.choice(region), chance.choice(region), chance.choice([None, "error"])))
    edges.append(edge(chance.choice(outside), "plan"))
    if chance.random() < 0.5:
        edges.append(edge("sum", chance.choice(outside)))


class Walk:
    """One random walk through a flow, noting which keys each node can see when it starts."""

    def __init__(self, chance: random.Random, graph: Graph, kinds: dict[str, tuple[str, int]]) -> None:
        self.chance = chance
        self.graph = graph
        self.kinds = kinds
        self.seen: dict[str, set[str]] = {}
        self.left = 150

    def level(self, container: str | None, visible: set[str]) -> set[str]:
        entries = self.graph.entries(container)
        kind, concurrency = self.kinds.get(container, ("sequence", 1)) if container else ("sequence", 1)
        if not entries:
            return visible
        if kind == "parallel":
            paths = [self.path(entry, set(visible), None) for entry in entries]
            return visible.union(*paths)
        after = set(visible)
        for _ in range(2 if kind == "for_each" else 1):
            begin = visible if concurrency > 1 else after
            after |= self.path(self.chance.choice(entries), set(begin), None)
        return after

    def path(self, here: str, visible: set[str], stop: str | None) -> set[str]:
        while here != stop and self.left > 0:
            self.left -= 1
            self.seen.setdefault(here, set()).update(visible)
            if here in self.kinds:
                visible = self.level(here, visible)
            links = self.graph.links(here)
            synthesis = self.graph.fan_outs.get(here)
            if synthesis is not None:
                branches = [self.path(link.target, set(visible), synthesis) for link in links]
                visible = visible.union(*branches)
                here = synthesis
                continue
            link = self.chance.choice([*links, None])
            if link is None or link.on == "success":
                visible = visible | {f"k_{here}"}
            if link is None:
                return visible
            here = link.target
        return visible


@pytest.mark.parametrize("seed", range(60))
def test_what_a_path_can_set_is_never_called_unknown(seed: int):
    chance = random.Random(seed)
    for _ in range(10):
        parsed = parse_document(random_flow(chance))
        assert parsed.definition is not None, parsed.problems
        codes = {problem.code for problem in check(parsed, EMPTY)}
        if codes & {"fan_out_not_closed", "synthesis_not_reached"}:
            continue
        subject = Subject.of(parsed, EMPTY)
        assert subject is not None
        suppliers = Suppliers(subject)
        kinds = {
            one.id: (one.type, subject.concurrency(one.id) or 1) for one in subject.nodes if subject.container(one.id)
        }
        for _ in range(20):
            walk = Walk(chance, subject.graph, kinds)
            walk.level(None, set())
            for reader, visible in walk.seen.items():
                site = Site("before", reader, "")
                writers = {key for key in visible if key.removeprefix("k_") in subject.graph.parent and key != "k_plan"}
                missed = {key for key in writers if not suppliers.can_supply(key, site)}
                assert not missed, json.dumps([reader, sorted(missed), parsed.raw])
