"""What is known beforehand of what nodes give: a JSON Schema of each output, for the editor's completion."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from editor.language.definition import Node
from editor.language.expressions import TemplateError, compile_template
from editor.language.nodes.agent import AgentConfig
from editor.language.validation.subject import Subject

Schema = dict[str, Any]
ANYTHING: Schema = {}

_WORDS = {
    "string": "text",
    "number": "number",
    "integer": "whole number",
    "boolean": "true or false",
    "array": "list",
    "object": "object",
    "null": "null",
}


def type_words(schema: object) -> str:
    """What kind of value a schema stands for, in words: `text or null`; `any` where it does not say."""
    given = schema.get("type") if isinstance(schema, dict) else None
    kinds = given if isinstance(given, list) else [given]
    words = [_WORDS[kind] for kind in kinds if isinstance(kind, str) and kind in _WORDS]
    if not words and isinstance(schema, dict) and isinstance(schema.get("enum"), list):
        words = list(dict.fromkeys(type_words(schema_of(value)) for value in schema["enum"]))
    return " or ".join(words) or "any"


def schema_of(value: object) -> Schema:
    """The schema of a config value as far as it is written out; what is filled in at run time may be anything."""
    if isinstance(value, bool):
        return {"type": "boolean"}
    if isinstance(value, (int, float)):
        return {"type": "integer" if isinstance(value, int) else "number"}
    if isinstance(value, str):
        return _schema_of_text(value)
    if isinstance(value, Mapping):
        if set(value) == {"$expr"}:
            return ANYTHING
        return {"type": "object", "properties": {key: schema_of(item) for key, item in value.items()}}
    if isinstance(value, (list, tuple)):
        return {"type": "array"}
    return {"type": "null"} if value is None else ANYTHING


def _schema_of_text(text: str) -> Schema:
    try:
        reads = compile_template(text).reads
    except TemplateError:
        return ANYTHING
    is_whole = len(reads) == 1 and text.strip() == text and (text.startswith("$") or _is_one_placeholder(text))
    return ANYTHING if is_whole else {"type": "string"}


def _is_one_placeholder(text: str) -> bool:
    return text.startswith("{{") and text.find("}}") == len(text) - 2


def output_schema(subject: Subject, node_id: str) -> Schema:
    """The schema of what a node gives on success; an empty one where nobody can know."""
    node = subject.node(node_id)
    if not subject.is_readable(node):
        return ANYTHING
    wanted = getattr(node.config, "output_schema", None)
    if isinstance(wanted, Mapping):
        return dict(wanted)
    known = _BY_TYPE.get(node.type)
    return ANYTHING if known is None else known(subject, node)


def variable_schema(subject: Subject, node: Node, given: Schema) -> Schema:
    """The schema of a state key that receives such an output, by the node's mode."""
    return {
        "set": given,
        "append": {"type": "array", "items": given},
        "extend": {"type": "array"},
        "merge": {"type": "object"},
        "add": {"type": "number"},
    }[node.output_mode]


def _of_agent(subject: Subject, node: Node) -> Schema:
    config = node.config
    assert isinstance(config, AgentConfig)
    skill = subject.catalog.skill(config.skill) if config.skill is not None else None
    if skill is not None and skill.output_schema is not None:
        return dict(skill.output_schema)
    return ANYTHING if config.skill is not None and skill is None else {"type": "string"}


def _of_transform(subject: Subject, node: Node) -> Schema:
    return schema_of(getattr(node.config, "fields", {}))


def _of_set_variable(subject: Subject, node: Node) -> Schema:
    return schema_of(getattr(node.config, "value", None))


def _of_verifier(subject: Subject, node: Node) -> Schema:
    return _objects({name: {"type": "boolean"} for name in getattr(node.config, "checks", {})})


def _of_approval(subject: Subject, node: Node) -> Schema:
    form = getattr(node.config, "form", None)
    return dict(form) if isinstance(form, Mapping) else {"type": "object"}


def _of_parallel(subject: Subject, node: Node) -> Schema:
    return _objects(dict.fromkeys(subject.graph.entries(node.id), ANYTHING))


def _of_artifact(subject: Subject, node: Node) -> Schema:
    text = {"type": "string"}
    return _objects({"id": text, "artifact": text, "type": text, "filename": text})


def _objects(properties: Mapping[str, Schema]) -> Schema:
    return {"type": "object", "properties": dict(properties)}


_BY_TYPE: dict[str, Callable[[Subject, Node], Schema]] = {
    "llm_call": lambda subject, node: {"type": "string"},
    "agent": _of_agent,
    "tool_group": lambda subject, node: {"type": "array"},
    "transform": _of_transform,
    "set_variable": _of_set_variable,
    "verifier": _of_verifier,
    "approval": _of_approval,
    "artifact": _of_artifact,
    "parallel": _of_parallel,
    "for_each": lambda subject, node: {"type": "array"},
}
