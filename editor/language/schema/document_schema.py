"""The JSON Schema (2020-12) of flow documents and configs, made from the classes. Nothing is written twice."""

from __future__ import annotations

import copy
from typing import Any

from pydantic.json_schema import models_json_schema

from editor.language.definition import Definition, Layout, NodeConfig
from editor.language.nodes import NODE_TYPES

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_REF = "#/$defs/{model}"


def document_json_schema() -> dict[str, Any]:
    """Give the JSON Schema of a document: one definition for each node type, with its config."""
    classes: list[type[Any]] = [Definition, Layout, NodeConfig]
    configs = {name: kind.Config for name, kind in NODE_TYPES.items()}
    classes.extend(dict.fromkeys(configs.values()))
    refs, whole = models_json_schema([(cls, "validation") for cls in classes], ref_template=_REF)
    parts: dict[str, Any] = {name: _tidy(part) for name, part in whole["$defs"].items()}
    node = parts.pop("Node")
    parts.pop("NodeConfig")
    for name, config in configs.items():
        parts[f"node_{name}"] = _node_of_type(node, name, refs[config, "validation"]["$ref"], parts)
    parts["Node"] = {
        "oneOf": [{"$ref": f"#/$defs/node_{name}"} for name in configs],
        "discriminator": {
            "propertyName": "type",
            "mapping": {name: f"#/$defs/node_{name}" for name in configs},
        },
    }
    parts["Edge"]["required"].remove("id")
    top = parts.pop("Definition")
    return {"$schema": DIALECT, "title": "Flow document", **top, "$defs": parts}


def config_json_schema(type_name: str) -> dict[str, Any]:
    """Give the JSON Schema of the config of one node type, complete in itself. Raises KeyError for an unknown type."""
    config = NODE_TYPES[type_name].Config
    schema: dict[str, Any] = _tidy(config.model_json_schema(ref_template=_REF))
    return {"$schema": DIALECT, **schema}


def _node_of_type(node: dict[str, Any], name: str, config_ref: str, parts: dict[str, Any]) -> dict[str, Any]:
    made = copy.deepcopy(node)
    kind = NODE_TYPES[name]
    properties = made["properties"]
    properties["type"] = {"const": name}
    properties["config"] = {"$ref": config_ref}
    properties["position"] = {"$ref": "#/$defs/Layout", "description": "Accepted for `layout`."}
    properties["budget"]["anyOf"].append({"type": "number", "minimum": 0})
    needs_config = bool(parts[config_ref.removeprefix("#/$defs/")].get("required"))
    made["required"] = ["id", "type", "config"] if needs_config else ["id", "type"]
    return {**made, "title": kind.title, "description": kind.description}


def _tidy(part: Any) -> Any:
    """Say in JSON Schema what the classes say in Python: `x-` keys go anywhere, null stands for nothing."""
    if isinstance(part, list):
        return [_tidy(item) for item in part]
    if not isinstance(part, dict):
        return part
    tidied = {key: _tidy(value) for key, value in part.items()}
    if isinstance(tidied.get("properties"), dict) and "x-" in tidied["properties"]:
        del tidied["properties"]["x-"]
        tidied["patternProperties"] = {"^x-": {}}
    choices = tidied.get("anyOf")
    if isinstance(choices, list) and {"type": "null"} in choices:
        tidied["anyOf"] = [choice for choice in choices if choice != {"type": "null"}]
        if tidied.get("default", 0) is None:
            del tidied["default"]
        if len(tidied["anyOf"]) == 1 and "$ref" not in tidied["anyOf"][0]:
            only = tidied.pop("anyOf")[0]
            tidied = {**only, **tidied}
    return tidied
