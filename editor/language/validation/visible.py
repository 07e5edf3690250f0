"""What can be read at a place of a flow: each name with its type, and whether it surely has a value there.

The same analysis as that of the checks, asked the other way round: for the editor's completion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from editor.language.catalog import Catalog
from editor.language.definition import Definition
from editor.language.policy import ENGINE_KEYS
from editor.language.schema import ParsedDocument
from editor.language.validation import structure
from editor.language.validation.certain import Certainty
from editor.language.validation.outputs import ANYTHING, Schema, output_schema, schema_of, type_words, variable_schema
from editor.language.validation.subject import Subject
from editor.language.validation.texts import Site
from editor.language.validation.variables import RUN_KEYS, loops_around
from editor.language.validation.writes import Suppliers, writes_of

NameKind = Literal["input", "state", "item", "output", "step", "reserved"]

_OF_INPUTS: dict[str, Schema] = {
    "short_text": {"type": "string"},
    "long_text": {"type": "string"},
    "date": {"type": "string"},
    "choice": {"type": "string"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "object": {"type": "object"},
    "list": {"type": "array"},
}
_ERROR: Schema = {
    "type": "object",
    "properties": {"code": {"type": "string"}, "message": {"type": "string"}, "details": ANYTHING},
}
_OF_RUN: dict[str, Schema] = {key: {"type": "integer" if key in ("visit", "attempt") else "string"} for key in RUN_KEYS}


@dataclass(frozen=True)
class VisibleName:
    """One name. `name` is the path to write; `sources` are the nodes that give the value; `schema` is its schema.

    `is_certain`: it surely has a value when the place is reached. Otherwise it may have none.
    """

    name: str
    kind: NameKind
    is_certain: bool
    schema: Schema = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    description: str = ""

    def as_json(self) -> dict[str, Any]:
        """The name as the API shows it."""
        return {
            "name": self.name,
            "kind": self.kind,
            "type": type_words(self.schema),
            "certain": self.is_certain,
            "schema": self.schema,
            "sources": list(self.sources),
            "description": self.description,
        }


@dataclass(frozen=True)
class Spot:
    """Where something is written: at a node, on an edge, or in a permission rule (by its number).

    `field` is the pointer within the node, such as `/config/stop_when`, which is asked inside a container.
    """

    node: str | None = None
    edge: str | None = None
    rule: int | None = None
    field: str = ""


def visible_names(
    document: ParsedDocument | Definition, catalog: Catalog, spot: Spot
) -> tuple[VisibleName, ...] | None:
    """List the names that can be read at a spot; None where the document has no such spot.

    A document with faults is read as far as it can be.
    """
    subject = Subject.of(document, catalog)
    if subject is None:
        return None
    structure.check_parents(subject)
    site = _site(subject, spot)
    if site is None:
        return None
    found: dict[str, VisibleName] = {}
    for one in _Visible(subject, site).names(spot):
        found.setdefault(one.name, one)
    return tuple(found.values())


def _site(subject: Subject, spot: Spot) -> Site | None:
    if spot.rule is not None:
        is_there = spot.rule < len(subject.definition.permissions.rules)
        return Site("rule", None, "") if is_there else None
    if spot.edge is not None:
        edge = next((one for one in subject.graph.edges if one.id == spot.edge), None)
        return None if edge is None else Site("after", edge.source, "", edge.on, edge=edge.id)
    if spot.node is None or spot.node not in subject.graph.parent:
        return None
    return Site("within" if spot.field == "/config/stop_when" else "before", spot.node, "")


class _Visible:
    """The names at one site of one document, the nearest first: a name hides those of the same name after it."""

    def __init__(self, subject: Subject, site: Site) -> None:
        self.subject = subject
        self.site = site
        self.suppliers = Suppliers(subject)
        self.certainty = Certainty(subject, self.suppliers)

    def names(self, spot: Spot) -> Iterator[VisibleName]:
        if self.site.when == "rule":
            yield self._arguments(spot)
            return
        yield from self._local()
        yield from self._items()
        yield from self._state()
        if self.subject.is_drawable:
            yield from self._steps()
        yield from self._roots()

    def _arguments(self, spot: Spot) -> VisibleName:
        assert spot.rule is not None
        tool = self.subject.catalog.tool(self.subject.definition.permissions.rules[spot.rule].tool)
        schema = ANYTHING if tool is None else tool.schema
        return VisibleName("args", "reserved", True, schema, (), "The arguments of the tool call.")

    def _local(self) -> Iterator[VisibleName]:
        node = self.site.node
        if self.site.when == "after" and node is not None:
            given = self.site.outcome in ("success", "limit")
            schema = output_schema(self.subject, node)
            yield VisibleName("output", "output", given, schema, (node,), "What the node before this edge gave.")
            if self.site.outcome != "success":
                yield VisibleName("error", "output", True, _ERROR, (node,), "Why this edge is taken.")
        elif self.site.when == "within":
            yield VisibleName("output", "output", True, ANYTHING, (), "What the path or iteration gave.")
            yield VisibleName("done", "output", True, {"type": "integer"}, (), "How many have succeeded so far.")

    def _items(self) -> Iterator[VisibleName]:
        for config in loops_around(self.subject, self.site):
            schema = schema_of_items(config.items)
            yield VisibleName(config.item_variable, "item", True, schema, (), "The item of this iteration.")
            told = "The place of this iteration, from 0."
            yield VisibleName(config.index_variable, "item", True, {"type": "integer"}, (), told)

    def _state(self) -> Iterator[VisibleName]:
        properties = (self.subject.definition.state or {}).get("properties")
        declared: dict[str, Any] = dict(properties) if isinstance(properties, dict) else {}
        for one in self.subject.definition.inputs:
            schema = declared.get(one.name)
            found = schema if isinstance(schema, dict) else _OF_INPUTS[one.type]
            yield VisibleName(one.name, "input", self._is_set(one.name), found, (), one.description)
        for key, part in declared.items():
            schema = part if isinstance(part, dict) else ANYTHING
            sources = tuple(self._writers(key))
            told = schema.get("description")
            yield VisibleName(key, "state", self._is_set(key), schema, sources, told if isinstance(told, str) else "")
        for key in self.suppliers.keys:
            sources = tuple(self._writers(key))
            if sources:
                yield VisibleName(key, "state", self._is_set(key), self._written(key, sources), sources)

    def _writers(self, key: str) -> list[str]:
        if not self.subject.is_drawable:
            return []
        return [one for one in self.suppliers.writers(key) if self.suppliers.can_write_before(one, self.site)]

    def _is_set(self, key: str) -> bool:
        return self.subject.is_drawable and self.certainty.is_set(key, self.site)

    def _written(self, key: str, sources: tuple[str, ...]) -> Schema:
        """The schema of a key that only nodes tell of: known where they agree."""
        found: list[Schema] = []
        for source in dict.fromkeys(sources):
            node = self.subject.node(source)
            given = output_schema(self.subject, source)
            whole = [write for write in writes_of(self.subject, node) if write.key == key]
            found.extend(variable_schema(self.subject, node, given) if node.type != "handler" else {} for _ in whole)
        return found[0] if found and all(schema == found[0] for schema in found) else ANYTHING

    def _steps(self) -> Iterator[VisibleName]:
        for node in self.subject.nodes:
            if not self.suppliers.can_end_before(node.id, self.site):
                continue
            certain = self.certainty.surely_succeeded(node.id, self.site)
            said = node.name or node.id
            schema = output_schema(self.subject, node.id)
            yield VisibleName(f"steps.{node.id}.output", "step", certain, schema, (node.id,), f"What {said} gave.")
            if self.subject.graph.edges_from(node.id, "error") or any(
                self.subject.graph.edges_from(node.id, on) for on in ("rejected", "timeout", "budget_exhausted")
            ):
                told = f"Why {said} did not succeed."
                yield VisibleName(f"steps.{node.id}.error", "step", False, _ERROR, (node.id,), told)

    def _roots(self) -> Iterator[VisibleName]:
        given = {one.name: _OF_INPUTS[one.type] for one in self.subject.definition.inputs}
        inputs: Schema = {"type": "object", "properties": given}
        yield VisibleName("inputs", "reserved", True, inputs, (), "What the run was started with.")
        yield VisibleName("policy", "reserved", True, self._policy(), (), "The limits of the run, and keys of its own.")
        run: Schema = {"type": "object", "properties": _OF_RUN}
        yield VisibleName("run", "reserved", True, run, (), "This run: its id, times and counts.")

    def _policy(self) -> Schema:
        definition = self.subject.definition
        keys: dict[str, Schema] = {}
        for policy in (definition.policy, *(preset.policy for preset in definition.presets)):
            for key, value in policy.values.items():
                keys.setdefault(key, {"type": "number"} if key in ENGINE_KEYS else schema_of(value))
        return {"type": "object", "properties": keys}


def schema_of_items(items: object) -> Schema:
    """The schema of one item of a loop: a whole number counts from 0, of other items nothing is known."""
    return {"type": "integer"} if isinstance(items, int) else ANYTHING
