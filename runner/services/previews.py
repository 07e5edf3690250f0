"""What an expression or template gives, worked out with values of a past run or with samples. Nothing is stored."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from editor.language.definition import Definition, Edge
from editor.language.errors import LanguageError
from editor.language.expressions import (
    UNDEFINED,
    ExpressionError,
    Read,
    TemplateError,
    compile_expression,
    compile_template,
    to_json,
    truthy,
)
from editor.language.validation.outputs import schema_of, type_words
from runner.engine.names import moment
from runner.models import Run
from runner.services.past_values import Moment, past_values
from runner.store.clock import now_ms

Kind = Literal["condition", "expression", "value", "template"]

SHOWN_CHARACTERS = 2_000
"""Of a value's JSON text."""
SHOWN_READS = 20
"""Places whose values are told."""
_READ_CHARACTERS = 200


@dataclass(frozen=True)
class Asked:
    """What is to be worked out, and for which place: `kind` says how `value` is read."""

    kind: Kind
    value: Any
    node: str | None = None
    edge: str | None = None


class Sample(dict[str, object]):
    """Names with sample values: what the document says by itself, laid over by what somebody gave."""

    def __init__(self, definition: Definition | None, given: Mapping[str, object]) -> None:
        super().__init__()
        stamp = moment(now_ms())
        run = {"id": "0" * 32, "visit": 1, "attempt": 1, "started_at": stamp, "now": stamp}
        if definition is None:
            self.update({"inputs": {}, "policy": {}, "run": run, "steps": {}, **given})
            return
        properties = (definition.state or {}).get("properties")
        for key, part in properties.items() if isinstance(properties, dict) else ():
            if isinstance(part, dict) and "default" in part:
                self[key] = part["default"]
        self.update({one.name: one.default for one in definition.inputs if one.has_default})
        self.update(given)
        inputs = {one.name: self[one.name] for one in definition.inputs if one.name in self}
        for name, value in {"inputs": inputs, "policy": definition.policy.values, "run": run, "steps": {}}.items():
            self.setdefault(name, value)


def preview(
    asked: Asked, definition: Definition | None, run: Run | None, sample: Mapping[str, object]
) -> dict[str, Any]:
    """Work out a text or value: what came out, why it did not, and what it read.

    Never raises for what is asked; RunError where the run's values cannot be told.
    """
    edge = _edge(definition, asked.edge)
    node = edge.source if edge is not None else asked.node
    try:
        work, reads = _compiled(asked)
    except (ExpressionError, TemplateError) as error:
        return _refused(error, asked, edge, definition)
    told = "Sample values."
    covers: Callable[[Read], bool] = _nothing
    names: Mapping[str, object] = Sample(definition, sample)
    if run is not None:
        at: Moment = "after" if edge is not None else "before"
        past = past_values(run, node, at, reads, sensitive_keys(definition))
        names, covers = past.names, past.covers
        told = f"Run {run.pk[:8]}, {past.told}."
    seen = [_seen(read, names, covers) for read in reads[:SHOWN_READS]]
    whole: dict[str, Any] = {"holds": None, "consequence": "", "error": None, "told": told, "reads": seen}
    if any(covers(read) for read in reads):
        # Not even evaluated: what comes out, or that nothing does, would tell of the value.
        return {**_NO_VALUE, **whole, "result": "covered"}
    try:
        value = work(names)
        found = _shown(UNDEFINED if value is UNDEFINED else to_json(value))
    except ExpressionError as error:
        return {**_refused(error, asked, edge, definition), "told": told, "reads": seen}
    if asked.kind == "condition":
        holds = truthy(value)
        whole |= {"holds": holds, "consequence": _consequence(holds, edge, definition)}
    return {**whole, **found}


_NO_VALUE: dict[str, Any] = {"result": "error", "type": "", "shown": "", "cut": False}


def _compiled(asked: Asked) -> tuple[Any, tuple[Read, ...]]:
    if asked.kind == "template":
        template = compile_template(asked.value)
        return template.render, template.reads
    if not isinstance(asked.value, str):
        raise ExpressionError("an expression is a text", code="expression_invalid")
    expression = compile_expression(asked.value, functions=asked.kind == "value")
    return expression.evaluate, expression.reads


def _nothing(read: Read) -> bool:
    return False


def sensitive_keys(definition: Definition | None) -> frozenset[str]:
    """State keys that a document marks as sensitive: they are covered also in runs of versions that did not."""
    return definition.sensitive_keys if definition is not None else frozenset()


def _edge(definition: Definition | None, edge_id: str | None) -> Edge | None:
    if definition is None or edge_id is None:
        return None
    return next((one for one in definition.edges if one.id == edge_id), None)


# --- telling --------------------------------------------------------------------------------------------


def _shown(value: object) -> dict[str, Any]:
    """A value's type and the beginning of its text."""
    if value is UNDEFINED:
        return {"result": "missing", "type": "missing", "shown": "", "cut": False}
    text, cut = beginning_of(value, SHOWN_CHARACTERS)
    words = type_words(schema_of(value)) if not isinstance(value, str) else "text"
    if isinstance(value, (list, dict)):
        words = f"{words} of {len(value):,}"
    elif isinstance(value, str):
        words = f"text of {len(value):,}"
    return {"result": "value", "type": words, "shown": text, "cut": cut}


def beginning_of(value: object, most: int) -> tuple[str, bool]:
    """The beginning of a value's JSON text; no more of it is written than is shown."""
    if isinstance(value, str):
        return json.dumps(value[:most], ensure_ascii=False), len(value) > most
    pieces: list[str] = []
    size = 0
    for piece in json.JSONEncoder(ensure_ascii=False).iterencode(value):
        pieces.append(piece[: most - size + 1])
        size += len(pieces[-1])
        if size > most:
            return "".join(pieces)[:most], True
    return "".join(pieces), False


def _seen(read: Read, names: Mapping[str, object], covers: Callable[[Read], bool]) -> dict[str, Any]:
    """One place that is read: its value in short, null and missing told apart."""
    place = str(read.place)
    if covers(read):
        return {"place": place, "result": "covered", "shown": ""}
    value = _found(read, names)
    if value is UNDEFINED:
        return {"place": place, "result": "missing", "shown": ""}
    return {"place": place, "result": "value", "shown": beginning_of(value, _READ_CHARACTERS)[0]}


def _found(read: Read, names: Mapping[str, object]) -> object:
    try:
        value: object = names[read.root]
    except KeyError:
        return UNDEFINED
    for key in read.path:
        if key == "length" and isinstance(value, (str, list)):
            value = len(value)
        elif isinstance(value, Mapping):
            value = value.get(key, UNDEFINED)
        elif isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value):
            value = value[key]
        else:
            return UNDEFINED
    return value


def _refused(error: LanguageError, asked: Asked, edge: Edge | None, definition: Definition | None) -> dict[str, Any]:
    position = getattr(error, "position", None)
    at = getattr(error, "at", ())
    refusal = {
        "code": error.code,
        "message": getattr(error, "problem", error.message),
        "forms": error.message.partition("Supported: ")[2].rstrip("."),
        "position": position,
        "at": [str(key) for key in at],
    }
    is_condition = asked.kind == "condition"
    return {
        **_NO_VALUE,
        "holds": None,
        "consequence": _consequence(None, edge, definition) if is_condition else "",
        "error": refusal,
        "told": "",
        "reads": [],
    }


def _consequence(holds: bool | None, edge: Edge | None, definition: Definition | None) -> str:
    """What the answer of a condition would mean: a sentence."""
    if edge is None or definition is None:
        return "Cannot be evaluated: counts as not matched." if holds is None else ""
    if holds is None:
        return "Cannot be evaluated: counts as not matched, so this edge would not be taken."
    if not holds:
        return "This edge would not be taken."
    before = [one for one in definition.edges if (one.source, one.on) == (edge.source, edge.on)]
    source = definition.nodes_by_id.get(edge.source)
    is_first = not before or before[0].id == edge.id or (source is not None and source.fan_out)
    return "This edge would be taken." if is_first else "This edge would be taken, unless one tried before it is."
