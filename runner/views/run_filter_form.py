"""The filters of the run list as its address holds them: read, named for people, and written again."""

from __future__ import annotations

from datetime import datetime, time
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import timezone

from runner.models.facts import LONGEST_KEY
from runner.services.run_filters import PROBLEM, STATUSES, WITH_FAILED_STEP, RunFilters

STATUS_WORDS = {
    "active": ("Active", "running"),
    "awaiting_approval": ("Waiting for approval", "approval"),
    "paused": ("Paused", "paused"),
    "succeeded": ("Succeeded", "succeeded"),
    WITH_FAILED_STEP: ("With a failed step", "warned"),
    "failed": ("Failed", "failed"),
    PROBLEM: ("All failures", "failed"),
    "canceled": ("Canceled", "canceled"),
}
"""Words and mark of each status that may be asked for, in the order of the page."""


class DayInput(forms.DateInput):
    """A day, as the browser lets people choose it."""

    input_type = "date"

    def __init__(self) -> None:
        super().__init__(format="%Y-%m-%d")


class RunFilterForm(forms.Form):
    """What to show. Everything is optional; a run whose filters are wrong is not shown, and the field says why."""

    flow = forms.CharField(required=False, max_length=63)
    status = forms.ChoiceField(required=False, choices=[("", "Any"), *((name, name) for name in STATUSES)])
    started_by = forms.CharField(required=False, max_length=150, label="Started by")
    version = forms.IntegerField(required=False, min_value=1, max_value=999_999_999)
    preset = forms.CharField(required=False, max_length=200)
    since = forms.DateField(required=False, label="From", widget=DayInput())
    until = forms.DateField(required=False, label="To", widget=DayInput())
    input = forms.CharField(required=False, max_length=LONGEST_KEY, label="Input")
    value = forms.CharField(required=False, max_length=400, label="is")
    error = forms.CharField(required=False, max_length=200, label="Error")
    parent_run = forms.RegexField("^[0-9a-f]{32}$", required=False, widget=forms.HiddenInput, label="Part of run")
    forked_from = forms.RegexField("^[0-9a-f]{32}$", required=False, widget=forms.HiddenInput, label="Forked from run")

    def __init__(self, query: QueryDict) -> None:
        given = {name: str(query[name]).replace("\0", "") for name in self.base_fields if query.get(name)}
        super().__init__(given)
        self.given: dict[str, str] = given

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        for name, told in self._filters(cleaned).problems().items():
            if name not in self.errors:
                self.add_error(name, told)
        return cleaned

    def wanted(self) -> RunFilters | None:
        """What was asked for; None where a field is wrong."""
        return self._filters(self.cleaned_data) if self.is_valid() else None

    @staticmethod
    def _filters(cleaned: dict[str, Any]) -> RunFilters:
        zone = timezone.get_current_timezone()
        days = {"since": time.min, "until": time.max}
        moments = {name: datetime.combine(cleaned[name], at, zone) for name, at in days.items() if cleaned.get(name)}
        return RunFilters.of({**cleaned, **moments})

    def query(self, **changed: str) -> str:
        """The query string of these filters, with some changed; an empty one is left out."""
        given = {**self.given, **changed}
        query = QueryDict(mutable=True)
        for name in self.fields:
            if given.get(name):
                query[name] = given[name]
        return query.urlencode()

    def in_words(self) -> list[tuple[str, str]]:
        """Each filter that is set: its name, and what it says to people. Input and value are one."""
        said = []
        for name, text in self.given.items():
            if name == "status":
                told = f"Status: {STATUS_WORDS.get(text, (text, ''))[0]}"
            elif name == "value":
                continue
            elif name == "input":
                told = f"Input {text} is {self.given.get('value', '…')}"
            else:
                shown = text[:8] if name in ("parent_run", "forked_from") else text
                told = f"{self.fields[name].label or name.capitalize()}: {shown}"
            said.append((name, told))
        return said
