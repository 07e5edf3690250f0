"""Endpoints of drafts: reading, saving over the revision it began from, checking, what can be read where."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from editor import services
from editor.api.access import demand
from editor.api.base import ApiView, body_of, find_flow
from editor.api.documenting import describe
from editor.installed import installed_catalog
from editor.language.expressions import FUNCTIONS
from editor.language.problems import Problem, errors_of
from editor.language.validation import Spot
from editor.models import Draft
from editor.permissions import demand_right
from editor.serializers.flows import (
    CheckGiven,
    CheckOfFlow,
    DraftSave,
    DraftShape,
    Findings,
    NamesGiven,
    NamesShape,
)
from editor.visibility import EDIT, GROUPS, is_one_of


class DraftOfFlow(ApiView):
    """The draft of a flow."""

    scopes: ClassVar = {"PUT": "edit"}

    @describe("draft_read", "Read the draft", answers=DraftShape)
    def get(self, request: Request, flow_id: str) -> Response:
        """The document as its author wrote it, and the revision to save over."""
        flow = find_flow(request.user, flow_id)
        return Response(_shown(Draft.objects.select_related("updated_by").get(flow=flow)))

    @describe(
        "draft_save",
        "Save the draft",
        body=DraftSave,
        answers=DraftShape,
        errors={
            409: "Somebody has saved a newer draft (`revision_conflict`): `details` holds both, the newer one as "
            "`document` with its `revision`, and `yours`."
        },
    )
    def put(self, request: Request, flow_id: str) -> Response:
        """A draft with problems can be saved. The answer has the new revision."""
        flow = find_flow(request.user, flow_id)
        demand_right(request.user, EDIT, flow)
        given = body_of(request, DraftSave)
        draft = services.save_draft(flow, given["document"], revision=given["revision"], by=request.user)
        return Response(_shown(draft))


class ChecksOfFlow(ApiView):
    """Problems of a flow."""

    scopes: ClassVar = {"POST": "read"}

    @describe("flow_check", "Check a flow", body=CheckOfFlow, answers=Findings)
    def post(self, request: Request, flow_id: str) -> Response:
        """Every problem of the draft, or of the document that is sent in its place. Nothing is saved."""
        flow = find_flow(request.user, flow_id)
        document = body_of(request, CheckOfFlow).get("document")
        if document is None:
            return Response(_findings(services.check_draft(flow, installed_catalog())))
        return Response(_findings(services.check_document(document, installed_catalog(), flow)))


class NamesOfFlow(ApiView):
    """Names that can be read somewhere in a flow."""

    scopes: ClassVar = {"POST": "read"}

    @describe(
        "flow_names",
        "List the names at a place",
        body=NamesGiven,
        answers=NamesShape,
        errors={404: "There is no such flow or place, or it is not for you to see (`not_found`)."},
    )
    def post(self, request: Request, flow_id: str) -> Response:
        """Inputs, state keys, outputs and items that an expression can read at a node, on an edge or in a rule of the
        draft, or of the document that is sent in its place. Nothing is saved."""
        flow = find_flow(request.user, flow_id)
        given = body_of(request, NamesGiven)
        spot = Spot(given.get("node"), given.get("edge"), given.get("rule"), given.get("field", ""))
        found = services.names_at(flow, spot, installed_catalog(), given.get("document"))
        return Response(NamesShape({"names": [one.as_json() for one in found], "functions": FUNCTIONS}).data)


class Checks(ApiView):
    """Problems of a document that belongs to no flow yet."""

    scopes: ClassVar = {"POST": "read"}

    @describe("document_check", "Check a document", body=CheckGiven, answers=Findings)
    def post(self, request: Request) -> Response:
        """Every problem of a document. Nothing is saved."""
        demand(is_one_of(request.user, *GROUPS), "Members of this site's groups check documents. Ask an admin for one.")
        document = body_of(request, CheckGiven)["document"]
        return Response(_findings(services.check_document(document, installed_catalog())))


def _shown(draft: Draft) -> dict[str, Any]:
    return DraftShape(
        {
            "flow": draft.flow_id,
            "revision": draft.revision,
            "document": json.loads(draft.document),
            "updated_by": draft.updated_by,
            "updated_at": draft.updated_at,
        }
    ).data


def _findings(problems: Iterable[Problem]) -> dict[str, Any]:
    found = tuple(problems)
    return {"valid": not errors_of(found), "problems": [one.as_json() for one in found]}
