"""The node-tree form: a code, inputs, and a tree of steps (`sequence`, `oneOf`, `llmCall`, …). Its head is read here.

The tree is tree.py's. A single step without a head is a flow, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from editor.language.formats.base import Imported, Losses, Part, Place, shown
from editor.language.formats.ids import flow_id
from editor.language.formats.node_tree.leaves import LEAVES
from editor.language.formats.node_tree.tree import Spot, Tree
from editor.language.formats.node_tree.variables import undeclared_inputs

_TYPES = frozenset({*LEAVES, "sequence", "parallel", "oneOf", "condition", "forEach"})

_INPUT_TYPES = {
    "shortText": "short_text",
    "longText": "long_text",
    "number": "number",
    "integer": "integer",
    "boolean": "boolean",
    "choice": "choice",
    "date": "date",
    "object": "object",
    "list": "list",
}
_NEAREST_TYPES = {
    "url": ("short_text", "it is not checked to be an address"),
    "json": ("object", "a list, text or number is refused"),
    "fileBase64": ("long_text", "the file is given as text in Base64"),
}


class NodeTreeFormat:
    """Documents such as `{"code": "triage", "inputs": […], "flow": {"type": "sequence", "steps": […]}}`."""

    name = "node_tree"
    title = "node-tree form"

    def recognises(self, raw: Mapping[str, Any]) -> bool:
        """Whether it holds a tree of steps under `flow`, or is a step itself."""
        flow = raw.get("flow")
        if isinstance(flow, dict) and "type" in flow and "nodes" not in raw:
            return True
        return isinstance(raw.get("type"), str) and raw["type"] in _TYPES

    def read(self, raw: Mapping[str, Any], default_id: str | None) -> Imported:
        """Turn the tree into nodes and edges."""
        losses = Losses()
        is_bare = not isinstance(raw.get("flow"), dict)
        head = Part({} if is_bare else raw, (), losses)
        top: dict[str, Any] = {"id": flow_id(head, ("code", "id"), default_id)}
        top |= head.copy({"name": "name", "description": "description"})
        inputs = [_input(one) for one in head.objects("inputs")]
        agents = _agents(head)
        place: Place = () if is_bare else ("flow",)
        root = dict(raw) if is_bare else head.get("flow")
        tree = Tree(losses, agents, root)
        tree.read(root, place, Spot())
        tree.draft.top = {**top, "inputs": inputs, **head.rest()}
        inputs += undeclared_inputs(tree.draft.document(), tree.places, losses)
        if not inputs:
            del tree.draft.top["inputs"]
        return Imported(tree.draft.document(), losses.found)


def _agents(head: Part) -> dict[str, dict[str, Any]]:
    given = head.raw.get("agents")
    if not given:
        head.get("agents")
    listed = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    return {one[key]: one for one in listed for key in ("id", "name") if isinstance(one.get(key), str)}


def _input(part: Part) -> dict[str, Any]:
    found = part.copy(
        {
            "name": "name",
            "required": "required",
            "default": "default",
            "description": "description",
            "options": "options",
        }
    )
    given = part.get("type")
    if isinstance(given, str) and given in _INPUT_TYPES:
        kind = _INPUT_TYPES[given]
    elif isinstance(given, str) and given in _NEAREST_TYPES:
        kind, why = _NEAREST_TYPES[given]
        part.lose("type", f"There is no input of the type {shown(given)} here.", f"It is of the type {kind}: {why}.")
    else:
        kind = "short_text"
        part.lose("type", f"{shown(given)} is no type of an input.", f"It is of the type {kind}.")
    return {**found, "type": kind, **part.rest()}
