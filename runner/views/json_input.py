"""JSON that people type into pages: one parser, with the place of the fault in words. What it means is the form's."""

from __future__ import annotations

from typing import Any

from django import forms

from editor.language.errors import LanguageError
from editor.language.json_gate import VALUE_LIMITS, load_json


def parse_json(text: str, label: str) -> Any:
    """The JSON value of a typed text. Raises ValidationError that says what is wrong and where."""
    try:
        return load_json(text, VALUE_LIMITS, what=label)
    except LanguageError as error:
        raise forms.ValidationError(error.message, code=error.code) from None


class JsonText(forms.CharField):
    """A text area for one JSON value. Empty: None."""

    widget = forms.Textarea

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("strip", True)
        super().__init__(**kwargs)
        self.widget.attrs.update({"class": "json", "spellcheck": "false", "rows": 5})

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        return None if text in (None, "") else parse_json(text, f"“{self.label or 'the value'}”")

    def validate(self, value: Any) -> None:
        if value is None and self.required:
            raise forms.ValidationError(self.error_messages["required"], code="required")

    def run_validators(self, value: Any) -> None:
        """The gate has looked at the text already; validators of texts do not fit a JSON value."""
