"""Forms of approval nodes, drawn from their JSON Schema. Simple fields get controls, everything else JSON text.

The schema itself judges the answer (the engine asks it again); this file only draws and collects.
"""

from __future__ import annotations

from typing import Any

from django import forms

from runner.serializers.texts import pretty
from runner.views.input_form import NumberText
from runner.views.json_input import JsonText

PREFIX = "form-"
NOT_GIVEN = ""
_YES_NO = [("true", "Yes"), ("false", "No")]
_LONG = 200
"""A text that may be longer than this gets several lines."""
_LINE, _FEWEST_ROWS, _MOST_ROWS = 70, 3, 16


def form_fields(schema: dict[str, Any]) -> dict[str, forms.Field] | None:
    """A control for each property of an object schema; None if the schema is more than that."""
    properties = schema.get("properties")
    if schema.get("type", "object") != "object" or not isinstance(properties, dict) or not properties:
        return None
    if any(word in schema for word in ("allOf", "anyOf", "oneOf", "not", "if", "$ref", "patternProperties")):
        return None
    required = [name for name in schema.get("required", []) if name in properties]
    # The stored form has its keys in alphabetical order; what is required, in the author's order, comes first.
    names = [*required, *(name for name in properties if name not in required)]
    return {PREFIX + name: _control(name, properties[name], name in required) for name in names}


def whole_field(schema: dict[str, Any]) -> JsonText:
    """One field of JSON text for a schema that has no simple form."""
    default = schema.get("default", {})
    return JsonText(
        label="Answer", required=True, initial=pretty(default), help_text=f"JSON that fits: {pretty(schema)}"
    )


def collect(schema: dict[str, Any], cleaned: dict[str, Any]) -> dict[str, Any]:
    """The JSON object that the controls make: what was left empty is no key of it."""
    answer: dict[str, Any] = {}
    for name, part in schema["properties"].items():
        value = cleaned.get(PREFIX + name)
        if value in (None, ""):
            continue
        answer[name] = _json_value(part if isinstance(part, dict) else {}, value)
    return answer


def _json_value(part: dict[str, Any], value: Any) -> Any:
    if "enum" in part and isinstance(value, str):
        return part["enum"][int(value)]
    if part.get("type") == "boolean":
        return value == "true"
    if part.get("type") == "string" and isinstance(value, str):
        return value.replace("\r\n", "\n")
    return value


def _control(name: str, part: Any, required: bool) -> forms.Field:
    part = part if isinstance(part, dict) else {}
    common: dict[str, Any] = {
        "label": str(part.get("title") or name),
        "help_text": str(part.get("description", "")),
        "required": required,
    }
    kind = part.get("type")
    if isinstance(part.get("enum"), list):
        return _enum(part, common)
    if kind == "boolean":
        if "default" in part:
            common["initial"] = "true" if part["default"] else "false"
        choices = _YES_NO if required else [*_YES_NO, (NOT_GIVEN, "No answer")]
        return forms.ChoiceField(choices=choices, widget=forms.RadioSelect, **common)
    if kind in ("number", "integer"):
        if "default" in part:
            common["initial"] = pretty(part["default"])
        return NumberText(whole=kind == "integer", **common)
    if kind == "string":
        return _text(part, common)
    if "default" in part:
        common["initial"] = pretty(part["default"])
    common["help_text"] = f"{common['help_text']} JSON.".strip()
    return JsonText(**common)


def _enum(part: dict[str, Any], common: dict[str, Any]) -> forms.Field:
    options = part["enum"]
    if "default" in part and part["default"] in options:
        common["initial"] = str(options.index(part["default"]))
    labels = [(str(i), one if isinstance(one, str) else pretty(one)) for i, one in enumerate(options)]
    if len(options) <= 5 and common["required"]:
        return forms.ChoiceField(choices=labels, widget=forms.RadioSelect, **common)
    return forms.ChoiceField(choices=[(NOT_GIVEN, "Choose one"), *labels], **common)


def _text(part: dict[str, Any], common: dict[str, Any]) -> forms.Field:
    if "default" in part:
        common["initial"] = str(part["default"])
    if part.get("format") == "date":
        return forms.CharField(widget=forms.TextInput(attrs={"type": "date"}), **common)
    longest = part.get("maxLength")
    several = longest is None or (isinstance(longest, int) and longest > _LONG)
    widget = forms.Textarea(attrs={"rows": _rows(str(part.get("default", "")))}) if several else forms.TextInput()
    return forms.CharField(strip=False, widget=widget, **common)


def _rows(text: str) -> int:
    """Lines of a control that shows a text as a whole, within reason."""
    lines = sum(1 + len(line) // _LINE for line in text.splitlines())
    return min(max(lines + 1, _FEWEST_ROWS), _MOST_ROWS)
