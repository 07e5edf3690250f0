"""Finds the format of a document and reads it. The formats have a module each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from editor.language.formats.base import Format, Imported
from editor.language.formats.graph import GraphFormat
from editor.language.formats.node_tree import NodeTreeFormat
from editor.language.formats.steps import StepsFormat

OWN = "flowsite"
"""Name of our own form, which is taken as it is."""

FORMATS: tuple[Format, ...] = (NodeTreeFormat(), StepsFormat(), GraphFormat())
"""Every foreign format. No document is one of two."""


@dataclass(frozen=True)
class Recognised:
    """A document of ours, and the name of the format in which it came."""

    format: str
    imported: Imported


def detect(raw: Mapping[str, Any]) -> Format | None:
    """Give the foreign format of a JSON object; None for our own form, and for what is no flow at all."""
    if "format" in raw or "nodes" in raw:
        return None
    return next((found for found in FORMATS if found.recognises(raw)), None)


def read_any(raw: Mapping[str, Any], default_id: str | None = None) -> Recognised:
    """Turn a document of any known format into ours; what no format knows is taken for our own form.

    `default_id`: the id of the flow if the document has none. Never raises: what is wrong with the document of
    ours is for its checks to say.
    """
    found = detect(raw)
    if found is None:
        return Recognised(OWN, Imported(dict(raw)))
    return Recognised(found.name, found.read(raw, default_id))
