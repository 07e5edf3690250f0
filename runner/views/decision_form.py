"""The form under an approval: which decision, its comment, changed arguments, answers. Deciding is the service's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import forms

from runner.models import Approval
from runner.serializers.texts import editable
from runner.views.json_input import JsonText
from runner.views.schema_form import collect, form_fields, whole_field

VERDICTS = {
    "tool": ("approved", "rejected"),
    "node": ("approved", "rejected"),
    "unknown": ("happened", "not_happened", "try_again"),
}


@dataclass(frozen=True)
class Answer:
    """What a reviewer sent, checked as far as a form can."""

    verdict: str
    digest: str
    comment: str
    arguments: dict[str, Any] | None
    form: Any


class DecisionForm(forms.Form):
    """One decision. The digest is that of what the page showed; nothing is chosen beforehand."""

    digest = forms.CharField(widget=forms.HiddenInput, max_length=80, required=False)
    comment = forms.CharField(
        required=False,
        max_length=10_000,
        label="Comment",
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Required to reject. It is kept with the decision, and a rejected step passes it on.",
    )

    def __init__(self, approval: Approval, arguments: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.approval = approval
        self.initial.setdefault("digest", approval.digest)
        self.simple: dict[str, forms.Field] | None = None
        if approval.kind == "tool" and approval.editable:
            self.fields["arguments"] = JsonText(
                label="Arguments",
                required=False,
                initial=editable(arguments),
                help_text="JSON. The tool's schema checks it.",
            )
        if approval.form is not None:
            self.simple = form_fields(approval.form)
            if self.simple is None:
                self.fields["form-whole"] = whole_field(approval.form)
            else:
                self.fields.update(self.simple)
        if approval.kind == "unknown":
            self.fields["result"] = JsonText(
                label="What the call returned", required=False, help_text="JSON, if you know it. Empty: null."
            )
            self.fields["comment"].help_text = "How you know. It is kept with the decision."

    def full_clean(self) -> None:
        """Only what belongs to the chosen decision is demanded: a rejection needs no filled-in form."""
        if self.is_bound and self.data.get("verdict") != "approved":
            for name in self.answer_fields:
                self.fields[name].required = False
        super().full_clean()

    def clean(self) -> dict[str, Any]:
        super().clean()
        verdict = self.data.get("verdict")
        if verdict not in (*VERDICTS[self.approval.kind], "approved_changed"):
            raise forms.ValidationError("Choose one of the decisions.")
        if verdict == "rejected" and not self.cleaned_data.get("comment", "").strip():
            self.add_error("comment", "Say why you reject: the analyst and the flow get these words.")
        if verdict == "approved_changed":
            if "arguments" not in self.fields:
                raise forms.ValidationError("The arguments of this call may not be changed. Approve or reject it.")
            if "arguments" not in self.errors and not isinstance(self.cleaned_data.get("arguments"), dict):
                self.add_error("arguments", 'Arguments are a JSON object, such as {"amount": 12}.')
        elif "arguments" in self.errors:
            # What stands in the editor is not used by this decision.
            del self.errors["arguments"]
        return self.cleaned_data

    @property
    def answer_fields(self) -> list[str]:
        """The names of the fields of the approval's own form."""
        return [name for name in self.fields if name.startswith("form-")]

    def answer_controls(self) -> list[forms.BoundField]:
        """The fields of the approval's own form, for the template."""
        return [self[name] for name in self.answer_fields]

    def answer(self) -> Answer:
        """What to hand to the service."""
        verdict = str(self.data["verdict"])
        changed = verdict == "approved_changed"
        approved = changed or verdict == "approved"
        return Answer(
            "approved" if changed else verdict,
            self.cleaned_data["digest"],
            self.cleaned_data.get("comment", "").replace("\r\n", "\n").strip(),
            self.cleaned_data["arguments"] if changed else None,
            self._form_data() if approved else self.cleaned_data.get("result"),
        )

    def _form_data(self) -> Any:
        if self.approval.form is None:
            return None
        if self.simple is None:
            return self.cleaned_data["form-whole"]
        return collect(self.approval.form, self.cleaned_data)
