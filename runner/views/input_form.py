"""The start form: one control for each declared input, made from the version. Starting is the service's."""

from __future__ import annotations

import secrets
from typing import Any

from django import forms
from django.conf import settings

from editor.language.definition import Definition, Input
from editor.language.errors import LanguageError
from editor.language.inputs import input_fault
from editor.language.json_gate import load_json
from runner.serializers.texts import pretty
from runner.serializers.uploads import TAKES_FILES, accepted_endings, value_of_file
from runner.serializers.words import size_words
from runner.views.json_input import JsonText

NOT_GIVEN = ""
PREFIX = "input-"
FILE_PREFIX = "file-"
_TEXTS = ("short_text", "long_text")
_YES_NO = [("true", "Yes"), ("false", "No")]


class NumberText(forms.CharField):
    """A number as it is typed: whole numbers stay exact at any size, where a browser's number field rounds."""

    def __init__(self, *, whole: bool, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.whole = whole
        self.widget.attrs.update({"inputmode": "numeric" if whole else "decimal", "autocomplete": "off"})

    def to_python(self, value: Any) -> Any:
        text = str(super().to_python(value) or "").strip()
        if not text:
            return None
        wanted = "a whole number, such as 12" if self.whole else "a number, such as 12 or 0.5"
        try:
            number = load_json(text)
        except LanguageError:
            number = None
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            raise forms.ValidationError(f"Give {wanted}, without units or separators.", code="invalid")
        if self.whole and not isinstance(number, int):
            raise forms.ValidationError(f"Give {wanted}.", code="invalid")
        return number

    def validate(self, value: Any) -> None:
        if value is None and self.required:
            raise forms.ValidationError(self.error_messages["required"], code="required")

    def run_validators(self, value: Any) -> None:
        """A number passes none of the validators of texts."""


class StartForm(forms.Form):
    """The inputs and the preset of a run, and the key that makes a doubled submit one run."""

    idempotency_key = forms.CharField(widget=forms.HiddenInput, max_length=64)

    def __init__(self, definition: Definition, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.definition = definition
        self.initial.setdefault("idempotency_key", new_key())
        if definition.presets:
            presets = [(preset.id, preset.name or preset.id) for preset in definition.presets]
            self.fields["preset"] = forms.ChoiceField(
                choices=[(NOT_GIVEN, "None: the limits of the flow itself"), *presets],
                required=False,
                label="Preset",
                help_text="A preset sets the limits of the run.",
            )
            self.initial.setdefault("preset", definition.presets[0].id)
        for declaration in definition.inputs:
            self.fields[PREFIX + declaration.name] = _control(declaration)
            if declaration.type in TAKES_FILES:
                self.fields[FILE_PREFIX + declaration.name] = _file_control(declaration)

    def full_clean(self) -> None:
        """An input that comes as a file need not be typed."""
        for name in self.files:
            typed = self.fields.get(PREFIX + name.removeprefix(FILE_PREFIX)) if name.startswith(FILE_PREFIX) else None
            if typed is not None:
                typed.required = False
        super().full_clean()

    def clean(self) -> dict[str, Any]:
        super().clean()
        for declaration in self.definition.inputs:
            name = PREFIX + declaration.name
            if self.cleaned_data.get(FILE_PREFIX + declaration.name):
                self._take_file(declaration)
            if name in self.cleaned_data and name not in self.errors:
                given, value = _value(declaration, self.cleaned_data[name])
                fault = input_fault(declaration, value) if given else None
                if fault:
                    self.add_error(name, fault)
        return self.cleaned_data

    def _take_file(self, declaration: Input) -> None:
        """Let the file of an input take the place of what its control held to begin with."""
        name, file_name = PREFIX + declaration.name, FILE_PREFIX + declaration.name
        if name in self.changed_data and self.cleaned_data.get(name) not in (None, ""):
            self.add_error(file_name, "Something was typed as well. Empty the field above, or choose no file.")
            return
        file = self.cleaned_data[file_name]
        most = settings.FLOWSITE["FILE_BYTES"]
        try:
            self.cleaned_data[name] = value_of_file(declaration, file.read(most + 1), file.name, most)
        except LanguageError as error:
            self.add_error(file_name, error.message)

    @property
    def preset(self) -> str | None:
        """The chosen preset."""
        return self.cleaned_data.get("preset") or None

    @property
    def inputs(self) -> dict[str, Any]:
        """The inputs that were given, by name, as JSON values."""
        found = {}
        for declaration in self.definition.inputs:
            given, value = _value(declaration, self.cleaned_data[PREFIX + declaration.name])
            if given:
                found[declaration.name] = value
        return found

    def take_new_key(self) -> None:
        """Let the next submit of this form be a run of its own."""
        self.data = {**dict(self.data.items()), "idempotency_key": new_key()}


def new_key() -> str:
    """A fresh idempotency key."""
    return secrets.token_hex(16)


def _value(declaration: Input, cleaned: Any) -> tuple[bool, Any]:
    """Whether an input was given, and its JSON value. An emptied text with a default is the empty text."""
    if declaration.type in _TEXTS:
        # Browsers send the lines of a text area with CRLF, whatever was in it.
        text = cleaned.replace("\r\n", "\n")
        return bool(text) or (declaration.has_default and not declaration.required), text
    if cleaned in (None, ""):
        return False, None
    if declaration.type == "boolean":
        return True, cleaned == "true"
    if declaration.type == "date":
        return True, cleaned.isoformat()
    return True, cleaned


def _control(declaration: Input) -> forms.Field:
    common: dict[str, Any] = {
        "label": declaration.name,
        "required": declaration.required and not declaration.has_default,
        "help_text": declaration.description,
        "error_messages": {"required": "This input is required. Fill it in."},
    }
    if declaration.has_default:
        common["initial"] = _initial(declaration)
    field = _FIELDS[declaration.type](declaration, common)
    if declaration.sensitive:
        field.widget.attrs["autocomplete"] = "off"
    return field


def _file_control(declaration: Input) -> forms.Field:
    what = "Its text" if declaration.type == "long_text" else "The JSON in it"
    return forms.FileField(
        label=f"{declaration.name} from a file",
        required=False,
        widget=forms.FileInput(attrs={"accept": accepted_endings(declaration)}),
        help_text=f"{what} is the input. At most {size_words(settings.FLOWSITE['FILE_BYTES'])}.",
        allow_empty_file=True,
    )


def _initial(declaration: Input) -> Any:
    default = declaration.default
    if declaration.type == "boolean":
        return "true" if default else "false"
    if declaration.type in ("object", "list"):
        return pretty(default)
    if declaration.type in ("number", "integer"):
        return pretty(default)
    return default


def _short(declaration: Input, common: dict[str, Any]) -> forms.Field:
    widget = forms.PasswordInput(render_value=False) if declaration.sensitive else forms.TextInput()
    return forms.CharField(strip=False, widget=widget, **common)


def _long(declaration: Input, common: dict[str, Any]) -> forms.Field:
    return forms.CharField(strip=False, widget=forms.Textarea(attrs={"rows": 5}), **common)


def _choice(declaration: Input, common: dict[str, Any]) -> forms.Field:
    options = [(option, option) for option in declaration.options or ()]
    empty = "Choose one" if common["required"] else "Not given"
    return forms.ChoiceField(choices=[(NOT_GIVEN, empty), *options], **common)


def _boolean(declaration: Input, common: dict[str, Any]) -> forms.Field:
    choices = list(_YES_NO) if common["required"] else [*_YES_NO, (NOT_GIVEN, "Not given")]
    if declaration.has_default:
        choices = list(_YES_NO)
    return forms.ChoiceField(choices=choices, widget=forms.RadioSelect, **common)


def _date(declaration: Input, common: dict[str, Any]) -> forms.Field:
    return forms.DateField(
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        input_formats=["%Y-%m-%d"],
        **common,
    )


def _json(declaration: Input, common: dict[str, Any]) -> forms.Field:
    kind = 'an object, such as {"key": 1}' if declaration.type == "object" else "a list, such as [1, 2]"
    common["help_text"] = f"{declaration.description} JSON: {kind}.".strip()
    return JsonText(**common)


def _number(declaration: Input, common: dict[str, Any]) -> forms.Field:
    return NumberText(whole=declaration.type == "integer", **common)


_FIELDS = {
    "short_text": _short,
    "long_text": _long,
    "number": _number,
    "integer": _number,
    "boolean": _boolean,
    "choice": _choice,
    "date": _date,
    "object": _json,
    "list": _json,
}
