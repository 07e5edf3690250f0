"""Variables that a node-tree flow reads and nobody declares: they become inputs, since a run refuses any other.

What the checks say of variables is validation's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from editor.language.catalog import StaticCatalog
from editor.language.definition import Node
from editor.language.expressions import Read
from editor.language.formats.base import Losses, Place, shown
from editor.language.nodes.for_each import ForEachConfig
from editor.language.schema import parse_document
from editor.language.validation.subject import Subject
from editor.language.validation.texts import Reading, collect_readings
from editor.language.validation.variables import RESERVED
from editor.language.validation.writes import Suppliers

_LITERAL = re.compile("[A-Z0-9_]+")
"""A `$NAME` in capitals is taken for a text such as `$USD`."""


def undeclared_inputs(document: dict[str, Any], places: Mapping[str, Place], losses: Losses) -> list[dict[str, Any]]:
    """List an input for each variable that is read and never set, and write each down as a loss.

    `places` tells where each node stands in the foreign document.
    """
    subject = Subject.of(parse_document(document), StaticCatalog())
    if subject is None or not subject.is_drawable:
        return []
    set_somewhere = {*Suppliers(subject).keys, *RESERVED, *_item_names(subject.nodes)}
    declared = {one["name"] for one in document.get("inputs", ()) if isinstance(one.get("name"), str)}
    missing: dict[str, list[Reading]] = {}
    for reading in collect_readings(subject):
        name = reading.read.root
        if name not in set_somewhere and name not in declared and name not in reading.site.names:
            missing.setdefault(name, []).append(reading)
    found = []
    for name, readings in missing.items():
        if all(_is_literal(reading.read) for reading in readings):
            continue
        kind = _type(readings)
        told = f"It is an optional input of the type {kind}; choose another type if values of another are given."
        losses.add(
            places.get(readings[0].site.node or "", ()),
            f"The flow reads {shown(name)} without declaring or setting it.",
            told,
        )
        found.append({"name": name, "type": kind, **({"default": []} if kind == "list" else {})})
    return found


def _item_names(nodes: Sequence[Node]) -> set[str]:
    configs = (node.config for node in nodes if isinstance(node.config, ForEachConfig))
    return {name for config in configs for name in (config.item_variable, config.index_variable)}


def _is_literal(read: Read) -> bool:
    return read.kind == "dollar" and _LITERAL.fullmatch(read.root) is not None


def _type(readings: Sequence[Reading]) -> str:
    """The type that the places of a variable speak for; a text where nothing else is known."""
    for reading in readings:
        if reading.site.path.endswith("/config/items") and not reading.read.path:
            return "list"
        key = reading.read.path[0] if reading.read.path else "length"
        if isinstance(key, int) or str(key).isdigit():
            return "list"
        if key != "length":
            return "object"
    return "short_text"
