"""Checks of what the document declares: inputs, presets, artifacts, and the JSON Schemas in it."""

from __future__ import annotations

from collections.abc import Iterable

from editor.language.inputs import input_fault
from editor.language.nodes.handler import HandlerConfig
from editor.language.state_schema import CompiledSchema, schema_faults
from editor.language.validation.subject import Subject


def check_declarations(subject: Subject) -> None:
    """`duplicate_id` of inputs, presets and artifacts; `config_invalid` of defaults and options."""
    definition = subject.definition
    _check_once(subject, "inputs", (declared.name for declared in definition.inputs))
    _check_once(subject, "presets", (preset.id for preset in definition.presets))
    _check_once(subject, "artifacts", (artifact.id for artifact in definition.artifacts))
    for place, declared in enumerate(definition.inputs):
        path = f"/inputs/{place}"
        if declared.type == "choice" and not declared.options:
            told = f"The input {declared.name!r} is a choice without options. List them in options."
            subject.report("config_invalid", f"{path}/options", told)
        elif declared.type != "choice" and declared.options is not None:
            told = f"The input {declared.name!r} is no choice, so it has no options. Remove them."
            subject.report("config_invalid", f"{path}/options", told)
        elif declared.has_default and (fault := input_fault(declared, declared.default)):
            subject.report("config_invalid", f"{path}/default", f"The default does not fit. {fault}")


def _check_once(subject: Subject, key: str, given: Iterable[str]) -> None:
    seen: set[str] = set()
    for place, name in enumerate(given):
        if name in seen:
            told = f"Two of {key} are called {name!r}. Give each a name of its own."
            subject.report("duplicate_id", f"/{key}/{place}", told)
        seen.add(name)


def check_state_schema(subject: Subject) -> None:
    """`state_schema_invalid`, `state_schema_slow`."""
    for fault in subject.schema_faults:
        subject.report("state_schema_invalid", "/state", f"The state schema cannot be used. {fault}")
    slow = subject.schema.whole_state_keywords
    if slow:
        told = (
            f"The keywords {', '.join(slow)} make every step read and check the whole state. "
            "Say it with properties, patternProperties or additionalProperties if you can."
        )
        subject.report("state_schema_slow", "/state", told)


def check_schemas_in_configs(subject: Subject) -> None:
    """`config_invalid` for a form or output schema that is none, and for options that a handler refuses."""
    for node in subject.nodes:
        for name in ("form", "output_schema"):
            schema = getattr(node.config, name, None)
            for fault in schema_faults(schema) if schema is not None else ():
                told = f"{name} is no usable JSON Schema. {fault}"
                subject.report_node("config_invalid", node.id, told, f"/config/{name}")
        if isinstance(node.config, HandlerConfig):
            _check_options(subject, node.id, node.config)


def _check_options(subject: Subject, node_id: str, config: HandlerConfig) -> None:
    spec = subject.catalog.handler(config.handler)
    if spec is None or spec.options_schema is None or _is_computed(config.options):
        return
    if schema_faults(spec.options_schema):
        return
    for refusal in CompiledSchema(spec.options_schema).problems(config.options):
        told = f"The handler {config.handler!r} refuses its options at {refusal}"
        subject.report_node("config_invalid", node_id, told, "/config/options")


def _is_computed(value: object) -> bool:
    """Whether any text of a value is filled in at run time."""
    if isinstance(value, str):
        return "{{" in value or value.startswith("$")
    if isinstance(value, dict):
        return "$expr" in value or any(_is_computed(item) for item in value.values())
    return isinstance(value, list) and any(_is_computed(item) for item in value)
