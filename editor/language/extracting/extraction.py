"""The two documents after a cut: the sub-flow, and the flow that runs it. What is cut and read is the others' part."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from editor.language.catalog import Catalog
from editor.language.definition import Definition
from editor.language.expressions.paths import Path
from editor.language.extracting.cutting import Cut, find_cut
from editor.language.extracting.givens import Givens
from editor.language.extracting.mentions import (
    JsonObject,
    all_said,
    raw_edges,
    rewritten_edge,
    rewritten_node,
    site_of,
)
from editor.language.extracting.refusing import ExtractionRefusedError, Reason, Reasons
from editor.language.extracting.results import WAY, Results
from editor.language.extracting.rewriting import Mention
from editor.language.graph import Link
from editor.language.problems import Problem, errors_of
from editor.language.schema import parse_document
from editor.language.validation import check
from editor.language.validation.certain import Certainty
from editor.language.validation.structure import check_parents
from editor.language.validation.subject import Subject
from editor.language.validation.texts import Site
from editor.language.validation.writes import Suppliers, writes_of

COLUMN, MARGIN = 280, 80
COPIED = ("policy", "permissions")
"""Parts of the flow that hold for the sub-flow, too."""


@dataclass(frozen=True)
class Extraction:
    """The flow after the cut, the sub-flow, and the id of the node that runs it."""

    document: JsonObject
    part: JsonObject
    node: str


@dataclass
class _Way:
    """One way out: the end within that it leads to, the node outside, and the links that lead there."""

    end: str
    target: str
    links: list[Link] = field(default_factory=list)


def extract(
    document: Mapping[str, Any], nodes: Collection[str], *, part_id: str, name: str, catalog: Catalog, version: int = 1
) -> Extraction:
    """Cut nodes out of a document into a flow `part_id`, of which the document then runs `version`.

    Raises ExtractionRefusedError with every reason where that would change what a run does.
    """
    reasons = Reasons()
    subject = Subject.of(parse_document(document), catalog)
    if subject is not None:
        check_parents(subject)
    if subject is None or not subject.is_drawable:
        reasons.add("The document cannot be read. Mend its problems first.")
        reasons.settle()
    assert subject is not None
    cut = find_cut(subject, Suppliers(subject), nodes, reasons)
    made = _Assembly(cut, part_id, name, version, reasons).made()
    _check_result(subject, made, catalog, version)
    return made


class _Assembly:
    """Puts the two documents together."""

    def __init__(self, cut: Cut, part_id: str, name: str, version: int, reasons: Reasons) -> None:
        self.cut = cut
        self.graph = cut.subject.graph
        self.part_id, self.name, self.version = part_id, name, version
        self.reasons = reasons
        raw = cut.subject.parsed.raw
        assert isinstance(raw, dict)
        self.raw: JsonObject = raw
        certainty = Certainty(cut.subject, cut.suppliers)
        self.givens = Givens(cut, certainty, reasons)
        self.results = Results(cut, certainty, reasons, self._node_id())
        self.ways = self._ways()

    def _node_id(self) -> str:
        kind = None if self.cut.parent is None else self.cut.subject.container(self.cut.parent)
        if kind is not None and not kind.in_order and self.cut.entry in self.graph.entries(self.cut.parent):
            return self.cut.entry  # what such a container gives has a key for each of its first nodes
        taken = self.cut.subject.parsed.known_ids
        return _fresh("".join(one if one.isalnum() else "_" for one in self.part_id), taken)

    def _ways(self) -> list[_Way]:
        taken = set(self.cut.inside)
        found: dict[str, _Way] = {}
        for link in self.cut.leaving:
            if link.target not in found:
                end = _fresh(f"to_{link.target}", taken)
                taken.add(end)
                found[link.target] = _Way(end, link.target)
            found[link.target].links.append(link)
        return list(found.values())

    def made(self) -> Extraction:
        for said in all_said(self.cut.subject):
            inside = said.site.node in self.cut.inside
            (self.givens if inside else self.results).note(said)
        for node in self.cut.subject.nodes:
            for write in writes_of(self.cut.subject, node):
                if write.key is None or write.mode == "set":
                    continue
                site = site_of(node.id)
                if node.id not in self.cut.inside:
                    self.results.note_rewritten(write)
                elif self.givens.comes_from_outside(write.key, site):
                    self.givens.take(write.key, site, is_strict=True)
        for key in (*self.givens.loose, *self.givens.typed):
            if self.cut.is_repeated and key in self.results.writes:
                self.results.keys.setdefault(key, True)
        self.results.settle(self.givens)
        self._refuse_uncovered()
        self.reasons.settle()
        return Extraction(self._caller(), self._part(), self.results.node)

    def _refuse_uncovered(self) -> None:
        """What a node gives is covered where the node reads or sets something sensitive; that it was set within a
        sub-flow, the flow around does not know."""
        secret = self.cut.subject.definition.sensitive_keys
        inner = [key for key in self.results.writes if key in secret]
        is_covered = self.givens.steps or self.givens.inputs or secret & {*self.givens.typed, *self.givens.loose}
        if not inner or not self.results.count or is_covered or self._is_key_itself():
            return
        node = self.results.writes[inner[0]][0].node
        told = (
            f"{node!r} sets {inner[0]!r}, which is sensitive, and what the sub-flow gives would be shown. Leave it out."
        )
        self.reasons.add(told, node)

    # --- the sub-flow -----------------------------------------------------------------------------------

    def _part(self) -> JsonObject:
        tops = [self.cut.subject.raw_node(top) for top in self.cut.tops]
        left, top = _corner(tops)
        nodes = [self._moved(one, left, top) for one in self._raw_inside()]
        edges = [rewritten_edge(one, self.givens.change) for one in raw_edges(self.cut.subject) if self._is_within(one)]
        for one in self.graph.chain(self.cut.parent):
            edges += [
                {"source": link.source, "target": link.target}
                for link in self.graph.links(one)
                if link.edge is None and {link.source, link.target} <= self.cut.inside
            ]
        ends, leading = self._ends(nodes)
        first, unpacking = self._unpacking(nodes)
        made: JsonObject = {"format": 1, "id": self.part_id, "name": self.name}
        made |= {"description": f"Cut out of {self.raw.get('name') or self.raw.get('id')}."}
        made |= {"inputs": self.givens.declarations()}
        made |= self._state()
        made |= {key: self.raw[key] for key in COPIED if key in self.raw}
        return {
            **made,
            "start": first,
            "nodes": [*unpacking[0], *nodes, *ends],
            "edges": [*unpacking[1], *edges, *leading],
        }

    def _raw_inside(self) -> list[JsonObject]:
        order = self.graph.order
        raws = [self.cut.subject.raw_node(one) for one in sorted(self.cut.inside, key=order.__getitem__)]
        return [self._naming_reads(rewritten_node(raw, self.givens.change)) for raw in raws]

    def _naming_reads(self, raw: JsonObject) -> JsonObject:
        """A node that names all it reads names the bundle as well. A handler gets what it names, and no more."""
        names_reads = isinstance(raw.get("inputs"), list) and raw.get("type") != "handler"
        return (
            {**raw, "inputs": [*raw["inputs"], self.givens.bundle]} if names_reads and self.givens.has_bundle else raw
        )

    def _moved(self, raw: JsonObject, left: float, top: float) -> JsonObject:
        """A node of the top level of the sub-flow; the join of its first node stays with the flow around."""
        if raw["id"] not in self.cut.tops:
            return raw
        left_out = ("parent", *(self._kept_outside() if raw["id"] == self.cut.entry else ()))
        moved = {key: value for key, value in raw.items() if key not in left_out}
        place = _place(raw)
        if place is None:
            return moved
        shift = COLUMN * len(self.givens.unpacked) + MARGIN
        moved.pop("position", None)
        return {**moved, "layout": {**place, "x": place["x"] - left + shift, "y": place["y"] - top + MARGIN}}

    def _kept_outside(self) -> tuple[str, ...]:
        return ("join", "max_visits") if self.cut.is_in_loop else ("join",)

    def _is_within(self, edge: JsonObject) -> bool:
        return edge["source"] in self.cut.inside and edge["target"] in self.cut.inside

    def _ends(self, nodes: list[JsonObject]) -> tuple[list[JsonObject], list[JsonObject]]:
        """The end of each way with its result, and the edges that lead there."""
        right = max((place["x"] for one in nodes if (place := _place(one))), default=0)
        targets: dict[str, str] = {}
        ends: list[JsonObject] = []
        leading: list[JsonObject] = []
        for number, way in enumerate(self.ways):
            has_value, value = self.results.result(len(self.ways), way.end, self.givens)
            layout = {"x": right + COLUMN, "y": MARGIN + 160 * number}
            config = {"value": value} if has_value else {}
            ends.append({"id": way.end, "type": "end", "layout": layout, "config": config})
            for link in way.links:
                if link.edge is None:
                    leading.append({"source": link.source, "target": way.end})
                else:
                    targets[link.edge.id] = way.end
        crossing = [one for one in raw_edges(self.cut.subject) if one["id"] in targets]
        moved = [{**rewritten_edge(one, self.givens.change), "target": targets[one["id"]]} for one in crossing]
        return ends, [*moved, *leading]

    def _unpacking(self, nodes: list[JsonObject]) -> tuple[str, tuple[list[JsonObject], list[JsonObject]]]:
        """Nodes that make state keys of what came in the bundle, before the first node."""
        taken = {str(one["id"]) for one in nodes} | {way.end for way in self.ways}
        ids: list[str] = []
        made: list[JsonObject] = []
        for number, key in enumerate(self.givens.unpacked):
            ids.append(_fresh(f"take_{len(ids) + 1}", taken | set(ids)))
            value = f"{{{{{Path(self.givens.bundle, (key,))}}}}}"
            layout = {"x": MARGIN + COLUMN * number, "y": MARGIN}
            config = {"variable": key, "value": value}
            made.append({"id": ids[-1], "type": "set_variable", "layout": layout, "config": config})
        line = [*ids, self.cut.entry]
        return line[0], (made, [{"source": one, "target": line[place + 1]} for place, one in enumerate(ids)])

    def _state(self) -> JsonObject:
        """The schema of the keys that the sub-flow works with, without what only the whole state can fulfil."""
        schema = self.raw.get("state")
        properties = schema.get("properties") if isinstance(schema, dict) else None
        if not isinstance(schema, dict) or not isinstance(properties, dict):
            return {}
        read = {one.mention.root for one in all_said(self.cut.subject) if one.site.node in self.cut.inside}
        used = read | self.results.writes.keys() | self.givens.typed.keys()
        left_out = {key for key in self.givens.loose if key not in self.givens.unpacked}
        kept = {key: part for key, part in properties.items() if key in used - left_out}
        shared = {key: schema[key] for key in ("$defs", "$schema") if key in schema}
        return {"state": {"type": "object", **shared, "properties": kept}} if kept else {}

    # --- the flow around it -----------------------------------------------------------------------------

    def _caller(self) -> JsonObject:
        new = self._new_nodes()
        nodes: list[Any] = []
        known = {self.cut.subject.parsed.node_places[one]: one for one in self.graph.parent}
        for place, raw in enumerate(self.raw["nodes"]):
            node = known.get(place)
            if node == self.cut.entry:
                nodes += new
            if node is None:
                nodes.append(raw)
            elif node not in self.cut.inside:
                nodes.append(self._rewritten(raw))
        changed: JsonObject = {**self.raw, "nodes": nodes, "edges": self._edges([str(one["id"]) for one in new])}
        if self.raw.get("start") == self.cut.entry:
            changed["start"] = self.results.node
        return changed

    def _rewritten(self, raw: JsonObject) -> JsonObject:
        changed = rewritten_node(raw, self._change_around)
        is_ours = raw.get("synthesis") == self.cut.entry
        return {**changed, "synthesis": self.results.node} if is_ours else changed

    def _change_around(self, site: Site, mention: Mention) -> tuple[int, Path] | None:
        return self.results.change(len(self.ways), mention)

    def _new_nodes(self) -> list[JsonObject]:
        """The node that runs the sub-flow, then those that set the state keys which others read."""
        entry = self.cut.subject.raw_node(self.cut.entry)
        parent = {} if self.cut.parent is None else {"parent": self.cut.parent}
        config = {"flow": self.part_id, "version": self.version, "inputs": self.givens.handed_over()}
        place = _place(entry)
        layout = {} if place is None else {"layout": {"x": place["x"], "y": place["y"]}}
        node: JsonObject = {"id": self.results.node, "type": "subflow", "name": self.name, **parent, **layout}
        node |= {"config": config, **{key: entry[key] for key in self._kept_outside() if key in entry}}
        if self._is_key_itself():
            return [{**node, "output_variable": next(iter(self.results.keys))}]
        return [node, *self._setting(parent, place)]

    def _is_key_itself(self) -> bool:
        return bool(self.results.keys) and self.results.is_plain(len(self.ways))

    def _setting(self, parent: JsonObject, place: JsonObject | None) -> list[JsonObject]:
        made: list[JsonObject] = []
        names = self.results.names()
        taken = {*self.cut.subject.parsed.known_ids, self.results.node}
        for number, key in enumerate(self.results.keys, 1):
            one = _fresh(f"{self.results.node}_set_{number}", taken)
            taken.add(one)
            value = f"{{{{{Path('steps', (self.results.node, 'output', names['', key]))}}}}}"
            at = {} if place is None else {"layout": {"x": place["x"] + COLUMN * number, "y": place["y"]}}
            config = {"variable": key, "value": value}
            made.append({"id": one, "type": "set_variable", **parent, **at, "config": config})
        return made

    def _edges(self, line: list[str]) -> list[Any]:
        edges: list[Any] = []
        ids = {edge.id for edge in self.graph.edges}
        named = {self.cut.subject.parsed.edge_places[one]: one for one in ids}
        out = self._leading_out(line)
        for place, raw in enumerate(self.raw.get("edges", [])):
            known = place in named
            if known and raw["source"] in self.cut.inside:
                edges += out
                out = []
                continue
            given = raw
            if known:
                given = rewritten_edge(raw, self._change_around)
                if raw["target"] in self.cut.inside:
                    given = {**given, "target": self.results.node}
            edges.append(given)
        return [*edges, *out]

    def _leading_out(self, line: list[str]) -> list[JsonObject]:
        """Edges between the new nodes, and from the last of them to where the ways lead."""
        if self.graph.chain(self.cut.parent):
            return []
        line_edges: list[JsonObject] = [{"source": one, "target": after} for one, after in pairwise(line)]
        way = f"steps.{self.results.node}.output.{WAY}"
        if self.cut.path_may_end and self.ways and line_edges:
            line_edges[0]["when"] = f"'{{{{{way}}}}}' != ''"  # in a text, what is missing is the empty text
        may_end = self.cut.path_may_end and not line_edges
        made: list[JsonObject] = []
        for one in self.ways:
            is_last = one is self.ways[-1]
            test = f"'{{{{{way}}}}}' == '{one.end}'" if may_end else f"{way} == '{one.end}'"
            when = {"when": test} if may_end or not is_last else {}
            made.append({"source": line[-1], "target": one.target, **when, **self._label(one)})
        return [*line_edges, *made]

    def _label(self, way: _Way) -> JsonObject:
        labels = {link.edge.label for link in way.links if link.edge is not None}
        only = next(iter(labels)) if len(labels) == 1 else None
        return {} if only is None else {"label": only}


class _WithPart:
    """The catalog with one more version: the sub-flow that is being made."""

    def __init__(self, catalog: Catalog, flow: str, version: int, definition: Definition) -> None:
        self._catalog = catalog
        self._flow, self._version, self._definition = flow, version, definition

    def __getattr__(self, name: str) -> Any:
        return getattr(self._catalog, name)

    def flow_version(self, flow_id: str, version: int) -> Definition | None:
        """A version of a flow, the new one included."""
        if (flow_id, version) == (self._flow, self._version):
            return self._definition
        return self._catalog.flow_version(flow_id, version)


def _check_result(subject: Subject, made: Extraction, catalog: Catalog, version: int) -> None:
    """Refuse what would bring errors that were not there."""
    parsed = parse_document(made.part)
    found = errors_of(check(parsed, catalog))
    if not found and parsed.definition is not None:
        seen: Any = _WithPart(catalog, parsed.definition.id, version, parsed.definition)
        before = {(one.code, one.node) for one in errors_of(check(subject.parsed, catalog))}
        after = errors_of(check(parse_document(made.document), seen))
        found = tuple(one for one in after if (one.code, one.node) not in before)
    if found:
        raise ExtractionRefusedError(tuple(_told(one) for one in found))


def _told(found: Problem) -> Reason:
    return Reason(f"It would have a problem: {found.message}", found.node)


def _fresh(wanted: str, taken: Collection[str]) -> str:
    """A node id that is not taken."""
    name = wanted[:50] if wanted[:1].isalpha() or wanted[:1] == "_" else f"n_{wanted[:48]}"
    number, found = 2, name
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found


def _place(raw: JsonObject) -> JsonObject | None:
    place = raw.get("layout", raw.get("position"))
    if not isinstance(place, dict) or not all(isinstance(place.get(axis), int | float) for axis in "xy"):
        return None
    return place


def _corner(raws: list[JsonObject]) -> tuple[float, float]:
    places = [place for one in raws if (place := _place(one))]
    return min((one["x"] for one in places), default=0), min((one["y"] for one in places), default=0)
