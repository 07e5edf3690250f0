"""The graph form: steps by id and type, edges whose condition is a key of the output, presets, artifacts.

The head is read here; steps are steps.py's, edges wiring.py's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from editor.language.formats.base import Draft, Imported, Losses, Part, shown
from editor.language.formats.graph.steps import Around, nodes_of
from editor.language.formats.graph.wiring import Wire, Wires, Wiring, read_wires
from editor.language.formats.ids import Names, flow_id, node_id, slug_of

_INPUT_TYPES = {
    "string": "short_text",
    "text": "long_text",
    "number": "number",
    "integer": "integer",
    "boolean": "boolean",
    "date": "date",
    "choice": "choice",
    "object": "object",
    "array": "list",
    "list": "list",
}


class GraphFormat:
    """Documents such as `{"id": "deep_research", "steps": [{"id": "plan", "type": "agent"}], "edges": […]}`."""

    name = "graph"
    title = "graph form"

    def recognises(self, raw: Mapping[str, Any]) -> bool:
        """Whether its steps are a list, and it is no step itself."""
        return isinstance(raw.get("steps"), list) and not isinstance(raw.get("type"), str)

    def read(self, raw: Mapping[str, Any], default_id: str | None) -> Imported:
        """Turn steps into nodes, edges into edges."""
        losses = Losses()
        head = Part(raw, (), losses)
        top: dict[str, Any] = {"id": flow_id(head, ("id",), default_id)}
        top |= head.copy({"name": "name", "description": "description", "policy": "policy"})
        if head.has("version"):
            top["x-version"] = head.get("version")
            told = "It is kept as 'x-version'; versions are numbered when they are published."
            head.lose("version", "A document has no version number here.", told)
        top["inputs"] = [_input(one) for one in head.objects("inputs")]
        top["presets"] = [_preset(one) for one in head.objects("presets")]
        artifacts = [_artifact(one) for one in head.objects("artifacts")]
        draft = _flow(head, top, artifacts, losses)
        top["artifacts"] = artifacts
        filled = {key: value for key, value in top.items() if value not in ([], None)}
        draft.top = {**filled, **head.rest()}
        return Imported(draft.document(), losses.found)


def _flow(head: Part, top: Mapping[str, Any], artifacts: list[dict[str, Any]], losses: Losses) -> Draft:
    names, draft = Names(), Draft()
    parts: list[tuple[str, Part]] = []
    ids: dict[str, str] = {}
    for part in head.objects("steps"):
        step = _id(part, ids, names)
        parts.append((step, part))
    wires = read_wires(head, (step for step, _ in parts), ids)
    around = Around(
        title=str(top.get("name") or top["id"]),
        inputs=[one["name"] for one in top["inputs"] if isinstance(one.get("name"), str)],
        wires=wires,
        types={step: str(part.raw.get("type")) for step, part in parts},
        artifacts=_producers(parts, artifacts, losses),
    )
    made = [(step, nodes_of(part, step, around)) for step, part in parts]
    for step, nodes in made:
        _add(nodes, step, draft, names, wires)
    Wiring(wires, draft, names, losses).draw()
    return draft


def _add(made: list[dict[str, Any]], step: str, draft: Draft, names: Names, wires: Wires) -> None:
    """Add the nodes of one step in a chain; the edges of the step leave its last node."""
    last = step
    draft.node({"id": step, **made[0]})
    for node in made[1:]:
        following = names.fit(f"{step}_{node['config']['artifact']}")
        draft.node({"id": following, **node})
        wires.leaving[following] = wires.leaving[last]
        for target in {wire.target for wire in wires.leaving[following]}:
            wires.arriving[target] = [following if one == last else one for one in wires.arriving[target]]
        wires.leaving[last] = []
        wires.add(last, Wire(following))
        last = following


def _id(part: Part, ids: dict[str, str], names: Names) -> str:
    """The node of a step. A doubled id stays, so that the checks report it: edges could mean either."""
    given = part.get("id")
    if not isinstance(given, str) or not given:
        step = names.numbered("step")
        part.losses.add(part.place, "The step has no id.", f"The node is {step}.")
        return step
    if given in ids:
        return ids[given]
    step = names.fit(given)
    ids[given] = step
    if step != given:
        part.lose("id", f"{shown(given)} cannot be the id of a node.", f"The node is {step}.")
    return step


def _producers(parts: list[tuple[str, Part]], artifacts: list[dict[str, Any]], losses: Losses) -> dict[str, list[str]]:
    """Which artifacts each step of the type `artifact` writes: those it names, else one each, the last the rest."""
    steps = [(step, part) for step, part in parts if part.raw.get("type") == "artifact"]
    named = {step: str(part.raw["artifact"]) for step, part in steps if isinstance(part.raw.get("artifact"), str)}
    left = [str(one["id"]) for one in artifacts if one["id"] not in named.values()]
    found: dict[str, list[str]] = {}
    for number, (step, part) in enumerate(steps):
        if step in named:
            found[step] = [named[step]]
            continue
        is_last = all(other in named for other, _ in steps[number + 1 :])
        found[step], left = (left, []) if is_last and left else (left[:1], left[1:])
        if not found[step]:
            found[step] = [_declared(step, artifacts)]
            losses.add(part.place, "No artifact is left for this step.", f"It writes a new one, {found[step][0]}.")
        elif len(found[step]) > 1:
            told = f"It is a chain of {len(found[step])} nodes, one for each."
            losses.add(part.place, f"{step} writes several artifacts, a node only one.", told)
    return found


def _declared(step: str, artifacts: list[dict[str, Any]]) -> str:
    """Declare an artifact for a step that has none."""
    artifact = node_id(step).lower().lstrip("_") or "artifact"
    if all(one["id"] != artifact for one in artifacts):
        artifacts.append({"id": artifact, "type": "text"})
    return artifact


def _input(part: Part) -> dict[str, Any]:
    found = part.copy({"id": "name", "required": "required", "default": "default", "description": "description"})
    found |= part.copy({"options": "options"})
    given = part.get("type")
    kind = _INPUT_TYPES.get(given) if isinstance(given, str) else None
    if kind is None:
        part.lose("type", f"{shown(given)} is no type of an input here.", "It is of the type short_text.")
    return {**found, "type": kind or "short_text", **part.rest()}


def _preset(part: Part) -> dict[str, Any]:
    preset = slug_of(part, "id", "preset")
    return {"id": preset, **part.copy({"name": "name", "policy": "policy"}), **part.rest()}


def _artifact(part: Part) -> dict[str, Any]:
    artifact = slug_of(part, "id", "artifact")
    found = part.copy({"type": "type", "name": "name", "required": "required"})
    return {"id": artifact, **found, **part.rest()}
