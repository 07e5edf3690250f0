"""Steps of the graph form as nodes. Its steps carry no logic, so what they are given and asked is written anew here."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from editor.language.expressions import Read
from editor.language.formats.base import Part, shown
from editor.language.formats.graph.wiring import Wires, quoted
from editor.language.formats.texts import literal_braces, template

MOST_BEFORE = 50
"""How many steps before a step are looked at for what it can work on."""


@dataclass(frozen=True)
class Around:
    """What a step can use: the flow's name, its inputs, the edges, the type of every step, what to produce."""

    title: str
    inputs: Sequence[str]
    wires: Wires
    types: Mapping[str, str]
    artifacts: Mapping[str, Sequence[str]]

    def before(self, step: str) -> list[str]:
        """The steps whose results a step works on; a verifier's are only yes or no, so those before it count."""
        found: dict[str, None] = {}
        seen = {step}
        waiting = deque(self.wires.arriving.get(step, ()))
        while waiting and len(seen) <= MOST_BEFORE:
            one = waiting.popleft()
            if one in seen:
                continue
            seen.add(one)
            if self.types.get(one) == "verifier":
                waiting += self.wires.arriving.get(one, ())
            elif one in self.types:
                found[one] = None
        return list(found)


Made = list[dict[str, Any]]
"""Nodes of one step without id: the first takes the step's place, each leads to the next."""


def nodes_of(part: Part, step: str, around: Around) -> Made:
    """Give the nodes of one step: `type` and `config` each, and what the step says of itself at the first."""
    kind = part.get("type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    made = _stand_in(part, kind) if reader is None else reader(part, step, around)
    made[0] |= part.copy({"name": "name", "description": "description"})
    made[0] |= part.rest()
    return made


def _stand_in(part: Part, kind: object) -> Made:
    if not isinstance(kind, str) or not kind:
        return [{"type": "unknown"}]
    told = f"A handler named {shown(kind)} stands in its place; register one, or draw something else."
    part.lose("type", f"There is no step of the type {shown(kind)} here.", told)
    return [{"type": "handler", "config": {"handler": kind}}]


def _agent(part: Part, step: str, around: Around) -> Made:
    config = part.copy({
        "skill": "skill", "instructions": "instructions", "prompt": "prompt", "tools": "tools",
        "maxTurns": "max_turns", "outputSchema": "output_schema",
    })  # fmt: skip
    for key in ("instructions", "prompt"):
        if key in config:
            config[key] = template(part, key)
    if "prompt" not in config:
        config["prompt"] = _prompt(part, step, around)
        told = "The prompt hands over the inputs and the results of the steps before it."
        part.losses.add(part.place, f"The document does not say what {step} is asked.", told)
    return [{"type": "agent", "config": config}]


def _prompt(part: Part, step: str, around: Around) -> str:
    name = part.raw.get("name")
    title = f"{around.title}: {name}" if isinstance(name, str) and name else f"{around.title}: {step}"
    given = [f"{literal_braces(one)}: {{{{{_input(one)}}}}}" for one in around.inputs]
    results = [f"{one}: {{{{{_output(one)}}}}}" for one in around.before(step)]
    return "\n\n".join(["\n".join(lines) for lines in ([literal_braces(title)], given, results) if lines])


def _input(name: str) -> str:
    return str(Read("inputs", (name,), "name").place)


def _output(step: str) -> str:
    return f"steps.{step}.output"


def _tool_group(part: Part, step: str, around: Around) -> Made:
    config = part.copy({"providerRole": "role"})
    if part.has("arguments"):
        config["arguments"] = template(part, "arguments")
    else:
        told = "The tools are called without arguments; write what they need."
        part.losses.add(part.place, f"The document does not say what the tools of {step} are given.", told)
    return [{"type": "tool_group", "config": config}]


def _transform(part: Part, step: str, around: Around) -> Made:
    if part.has("fields"):
        return [{"type": "transform", "config": {"fields": template(part, "fields")}}]
    fields = {name: f"{{{{{_input(name)}}}}}" for name in around.inputs}
    for one in around.before(step):
        fields[one if one not in fields else f"{one}_output"] = f"{{{{{_output(one)}}}}}"
    told = "It puts the inputs and the results of the steps before it into one object."
    part.losses.add(part.place, f"The document does not say what {step} builds.", told)
    return [{"type": "transform", "config": {"fields": fields}}]


def _verifier(part: Part, step: str, around: Around) -> Made:
    if part.has("checks"):
        return [{"type": "verifier", "config": {"checks": part.get("checks")}}]
    wires = around.wires.leaving.get(step, ())
    keys = dict.fromkeys(wire.key for wire in wires if wire.key is not None)
    before = around.before(step)
    checks = {
        key: " || ".join(f"{_output(one)}[{quoted(key)}]" for one in before) if before else "false" for key in keys
    }
    told = "Each check looks for the key of its name in the results of the steps before it; write what it is to ask."
    part.losses.add(part.place, f"The document does not say how {step} decides.", told)
    return [{"type": "verifier", "config": {"checks": checks}}]


def _artifact(part: Part, step: str, around: Around) -> Made:
    given = part.has("content")
    before = around.before(step)
    written = template(part, "content") if given else "\n\n".join(f"{{{{{_output(one)}}}}}" for one in before)
    if not given:
        told = "It holds the results of the steps before it."
        part.losses.add(part.place, f"The document does not say what {step} writes.", told)
    part.get("artifact")
    return [
        {"type": "artifact", "config": {"artifact": artifact, "content": written}}
        for artifact in around.artifacts.get(step, ())
    ]


_READERS: Mapping[str, Callable[[Part, str, Around], Made]] = {
    "agent": _agent,
    "tool_group": _tool_group,
    "transform": _transform,
    "verifier": _verifier,
    "artifact": _artifact,
}
"""How a step of each type is read."""
