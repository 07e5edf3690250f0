"""The page that makes a flow: blank, as a copy of another, or out of a document in any form that is known."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from editor import services
from editor.api.transfer import OWN_TITLE, TITLES
from editor.language.document import SLUG_PATTERN
from editor.language.errors import LanguageError
from editor.models import Flow
from editor.permissions import may_write_flows
from runner.views.pages import page, person, signed_in

BLANK, COPY, DOCUMENT = "blank", "copy", "document"
LOSSES_SHOWN = 20
FLOWS_OFFERED = 200


class NewFlowForm(forms.Form):
    """What the flow is called, and what it begins with."""

    name = forms.CharField(max_length=200, label="Name")
    id = forms.RegexField(
        SLUG_PATTERN,
        required=False,
        max_length=63,
        label="Id",
        help_text="Small letters, digits, _ and -. Left empty, it is made from the name. It never changes.",
        error_messages={"invalid": "Begin with a small letter; then small letters, digits, _ and -, 63 at most."},
    )
    begin = forms.ChoiceField(
        choices=[
            (BLANK, "Blank: nothing is in it yet"),
            (COPY, "A copy of another flow"),
            (DOCUMENT, "A document: our own form or a foreign one"),
        ],
        widget=forms.RadioSelect,
        initial=BLANK,
        label="It begins as",
    )
    source = forms.ModelChoiceField(Flow.objects.none(), required=False, label="Flow to copy", empty_label="Choose…")
    file = forms.FileField(required=False, label="File of the document (JSON)")
    text = forms.CharField(
        required=False, strip=False, widget=forms.Textarea(attrs={"class": "json"}), label="Or its text"
    )

    def __init__(self, user: User, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = Flow.objects.visible_to(user).in_use().order_by("name", "pk")
        self.fields["source"].queryset = offered  # type: ignore[attr-defined]
        self.fields["source"].label_from_instance = lambda flow: flow.name or flow.pk  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """What was chosen must be there too."""
        given = super().clean() or {}
        if given.get("begin") == COPY and not given.get("source"):
            self.add_error("source", "Choose the flow to copy.")
        if given.get("begin") == DOCUMENT and not given.get("file") and not (given.get("text") or "").strip():
            self.add_error("file", "Give a file, or paste the document's text.")
        if not given.get("id"):
            given["id"] = slug_of(given.get("name", ""))
        return given


def slug_of(name: str) -> str:
    """An id made of a name: `Invoice approval` gives `invoice_approval`."""
    slug = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:63]
    return slug if slug[:1].isalpha() else f"flow_{slug}".rstrip("_")[:63]


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def new_flow(request: HttpRequest) -> HttpResponse:
    """Make a flow and go on in the editor."""
    user = person(request)
    if not may_write_flows(user):
        raise PermissionDenied("Analysts and admins make flows. Ask one of them.")
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    begin = request.GET.get("begin", BLANK)
    form = NewFlowForm(user, *sent, initial={"begin": begin, "source": request.GET.get("source")})
    if request.method == "POST" and form.is_valid():
        try:
            flow = _make(request, user, form.cleaned_data)
        except LanguageError as error:
            form.add_error(None, error.message)
        else:
            return redirect("edit-flow", flow.pk)
    status = 400 if request.method == "POST" else 200
    return page(request, "flows/new.html", {"form": form}, status=status)


def _make(request: HttpRequest, user: User, given: dict[str, Any]) -> Flow:
    if given["begin"] == COPY:
        return services.duplicate_flow(given["source"], given["id"], by=user, name=given["name"])
    if given["begin"] == BLANK:
        return services.create_flow(given["id"], by=user, name=given["name"])
    source = given["file"].read() if given["file"] else given["text"]
    found = services.convert_document(source, given["id"])
    document = {**found.imported.document, "id": given["id"], "name": given["name"]}
    flow = services.import_converted(document, found, by=user).flow
    _tell_losses(request, TITLES.get(found.format, OWN_TITLE), found.imported.losses)
    return flow


def _tell_losses(request: HttpRequest, title: str, losses: tuple[Any, ...]) -> None:
    if not losses:
        messages.success(request, f"{title}: imported without loss.")
        return
    # Both parts of a loss are sentences.
    told = " ".join(f"{loss.place or '/'}: {loss.what} {loss.instead}" for loss in losses[:LOSSES_SHOWN])
    more = f" And {len(losses) - LOSSES_SHOWN} more: the audit has them all." if len(losses) > LOSSES_SHOWN else ""
    messages.warning(request, f"{title}: imported. Our form cannot say everything that it says. {told}{more}")
