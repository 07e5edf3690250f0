"""The three hashes of a version. What a move to another version may change is the runner's to decide."""

from __future__ import annotations

from typing import Any

from editor.language.canonical import digest
from editor.language.definition import Definition, Node
from editor.language.nodes import node_type
from editor.language.schema.writing import to_json

_FOR_PEOPLE = {
    "": ("name", "description"),
    "inputs": ("description",),
    "presets": ("name",),
    "artifacts": ("name",),
    "nodes": ("name", "description", "notes", "layout"),
    "edges": ("label",),
}
"""Keys that no step ever reads, by the list they stand in."""

_PARTS_WITH_X_KEYS = ("config", "retry", "budget", "policy", "permissions")


def content_hash(definition: Definition) -> str:
    """Hash the whole document."""
    return digest(to_json(definition))


def logic_hash(definition: Definition) -> str:
    """Hash what a run can notice: all but names, descriptions, notes, layout and `x-` keys.

    Inside JSON Schemas everything counts, since `x-sensitive` has a meaning there.
    """
    document = to_json(definition)
    bare = _bare(document, _FOR_PEOPLE[""])
    for key, for_people in _FOR_PEOPLE.items():
        if key in bare:
            bare[key] = [_bare(item, for_people) for item in document[key]]
    if "rules" in bare.get("permissions", {}):
        bare["permissions"]["rules"] = [_bare(rule, ()) for rule in bare["permissions"]["rules"]]
    return digest(bare)


def _bare(part: dict[str, Any], for_people: tuple[str, ...]) -> dict[str, Any]:
    kept = {key: value for key, value in part.items() if key not in for_people and not key.startswith("x-")}
    for key in _PARTS_WITH_X_KEYS:
        if isinstance(kept.get(key), dict):
            kept[key] = _bare(kept[key], ())
    return kept


def structure_hash(definition: Definition) -> str:
    """Hash what decides which step runs where: a run may move to a version only if this stays the same."""
    return digest(
        {
            "start": _start(definition),
            "nodes": [_structure(node) for node in definition.nodes],
            "edges": [
                {"id": edge.id, "source": edge.source, "target": edge.target, "on": edge.on}
                for edge in definition.edges
            ],
        }
    )


def _structure(node: Node) -> dict[str, Any]:
    kind = node_type(node.type)
    fields = kind.structure_fields if kind else ()
    return {
        "id": node.id,
        "type": node.type,
        "parent": node.parent,
        "enabled": node.enabled,
        "join": node.join,
        "fan_out": node.fan_out,
        "synthesis": node.synthesis,
        "output_variable": node.output_variable,
        "output_mode": node.output_mode,
        "config": {name: getattr(node.config, name, None) for name in fields},
    }


def _start(definition: Definition) -> str | None:
    """The start, whether the document names it or the edges imply it."""
    if definition.start is not None:
        return definition.start
    targets = {edge.target for edge in definition.edges}
    free = [node.id for node in definition.nodes if node.parent is None and node.id not in targets]
    return free[0] if len(free) == 1 else None


def node_logics(definition: Definition) -> dict[str, str]:
    """What of each node a run can notice, as a text to be compared, by its id."""
    return {str(node["id"]): digest(_bare(node, _FOR_PEOPLE["nodes"])) for node in to_json(definition).get("nodes", [])}
