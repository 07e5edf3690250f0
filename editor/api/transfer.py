"""Endpoints that take documents of any known form: turning one into ours, and making a flow out of it."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from editor import services
from editor.api.access import demand
from editor.api.base import ApiView, body_of
from editor.api.documenting import describe
from editor.api.flows import WRITERS
from editor.language.formats import FORMATS
from editor.permissions import may_write_flows
from editor.serializers.flows import ConversionShape, DocumentOfAnyForm, FlowImportShape, FlowSummary
from editor.visibility import GROUPS, is_one_of

TITLES = {known.name: known.title for known in FORMATS}
OWN_TITLE = "A document in Flowsite's own form"


class Conversions(ApiView):
    """Documents in foreign forms."""

    scopes: ClassVar = {"POST": "read"}

    @describe("document_convert", "Turn a document into our form", body=DocumentOfAnyForm, answers=ConversionShape)
    def post(self, request: Request) -> Response:
        """The form is found out. Nothing is saved; what ours cannot say in the same way is listed."""
        demand(is_one_of(request.user, *GROUPS), "Members of this site's groups do that. Ask an admin for one.")
        given = body_of(request, DocumentOfAnyForm)
        found = services.convert_document(given["document"], given.get("id"))
        return Response(
            ConversionShape(
                {
                    "document": found.imported.document,
                    "format": found.format,
                    "title": TITLES.get(found.format, OWN_TITLE),
                    "losses": [loss.as_json() for loss in found.imported.losses],
                }
            ).data
        )


class Imports(ApiView):
    """Flows out of documents in any form."""

    scopes: ClassVar = {"POST": "edit"}

    @describe("flows_import", "Import a document", body=DocumentOfAnyForm, status=201, answers=FlowImportShape)
    def post(self, request: Request) -> Response:
        """A new flow, under the document's id or the one that is sent for a document without. A document with
        problems is taken in; publishing shows them."""
        demand(may_write_flows(request.user), WRITERS)
        given = body_of(request, DocumentOfAnyForm)
        taken = services.import_document(given["document"], by=request.user, default_id=given.get("id"))
        shown: dict[str, Any] = {
            **FlowSummary(taken.flow, context={"request": request}).data,
            "format": taken.format,
            "losses": [loss.as_json() for loss in taken.losses],
        }
        return Response(shown, status=201, headers={"Location": f"/api/flows/{taken.flow.pk}/"})
