"""The description of the API: its OpenAPI document, and a page to browse it. Endpoints live in their apps.

The page is plain HTML out of the same document: it needs no script, so it works under the site's policy.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.base import ApiView
from editor.api.documenting import describe
from editor.tokens import SCOPES
from runner.views.pages import page, signed_in

METHODS = ("get", "post", "put", "patch", "delete")


@lru_cache(maxsize=1)
def openapi_document() -> dict[str, Any]:
    """The OpenAPI document of all endpoints. It is made once: endpoints do not change while a process lives."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    document: dict[str, Any] = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return document


class SchemaView(ApiView):
    """The OpenAPI document."""

    @describe("schema_read", "Read this description", answers=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """OpenAPI 3.1, as JSON."""
        return Response(openapi_document())


@signed_in
@require_safe
def api_page(request: HttpRequest) -> HttpResponse:
    """The description for people: every operation with what it takes and answers."""
    document = openapi_document()
    parts = document["components"]["schemas"]
    context = {
        "groups": _groups(document["paths"]),
        "parts": [{"name": name, **_object(part)} for name, part in sorted(parts.items())],
        "scopes": SCOPES,
        "host": f"{request.scheme}://{request.get_host()}",
    }
    return page(request, "api/docs.html", context)


def _groups(paths: dict[str, Any]) -> list[dict[str, Any]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for path, methods in paths.items():
        for method in METHODS:
            if method in methods:
                operation = methods[method]
                groups.setdefault(operation["tags"][0], []).append(_operation(path, method, operation))
    return [{"name": name, "operations": operations} for name, operations in sorted(groups.items())]


def _operation(path: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    return {
        "id": operation["operationId"],
        "method": method.upper(),
        "path": path,
        "summary": operation.get("summary", ""),
        "description": _prose(operation.get("description", "")),
        "scope": operation.get("x-scope", ""),
        "parameters": [
            {
                "name": one["name"],
                "where": one["in"],
                "required": one.get("required", False),
                "kind": _kind(one["schema"]),
                "about": _prose(one.get("description", "")),
            }
            for one in operation.get("parameters", [])
        ],
        "body": _kind(body) if body else None,
        "answers": [
            {"status": status, "about": _prose(answer.get("description", "")), "kinds": _kinds(answer)}
            for status, answer in operation["responses"].items()
        ],
    }


def _kinds(answer: dict[str, Any]) -> list[dict[str, str]]:
    return [_kind(content["schema"]) for content in answer.get("content", {}).values()]


def _object(part: dict[str, Any]) -> dict[str, Any]:
    needed = set(part.get("required", []))
    fields = [
        {"name": name, "required": name in needed, "kind": _kind(field), "about": _prose(field.get("description", ""))}
        for name, field in part.get("properties", {}).items()
    ]
    return {"about": _prose(part.get("description", "")), "fields": fields, "kind": _kind(part)}


def _kind(schema: dict[str, Any]) -> dict[str, str]:
    """What a schema asks for, in few words; `part` is the name of the part that it refers to."""
    for key in ("allOf", "oneOf", "anyOf"):
        if key in schema:
            kinds = [_kind(one) for one in schema[key]]
            part = next((kind["part"] for kind in kinds if kind["part"]), "")
            return {"text": " or ".join(kind["text"] for kind in kinds if kind["text"]), "part": part}
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return {"text": name, "part": name}
    if "const" in schema:
        return {"text": f"“{schema['const']}”", "part": ""}
    if "enum" in schema:
        return {"text": ", ".join(f"“{one}”" if isinstance(one, str) else "null" for one in schema["enum"]), "part": ""}
    types = schema.get("type", "any JSON value")
    text = " or ".join(types) if isinstance(types, list) else str(types)
    if "items" in schema:
        inner = _kind(schema["items"])
        return {"text": f"list of {inner['text']}", "part": inner["part"]}
    described = [text, *([f"({schema['format']})"] if "format" in schema else []), *_bounds(schema)]
    return {"text": " ".join(described), "part": ""}


def _bounds(schema: dict[str, Any]) -> list[str]:
    """What narrows a kind, such as `1 to 200` and `else 50`."""
    found = []
    for least, most, unit in (("minimum", "maximum", ""), ("minLength", "maxLength", " characters")):
        if least in schema and most in schema:
            found.append(f"{schema[least]} to {schema[most]}{unit}")
        elif most in schema:
            found.append(f"up to {schema[most]}{unit}")
        elif least in schema and "pattern" not in schema:
            found.append(f"from {schema[least]}{unit}")
    if "pattern" in schema:
        found.append(f"like {schema['pattern']}")
    if "default" in schema:
        default = schema["default"]
        found.append(f"(else {str(default).lower() if isinstance(default, bool) else default})")
    return found


def _prose(text: str) -> SafeString:
    """A text in which backticks mark what is code."""
    pieces = text.split("`")
    return format_html_join(
        "",
        "{}",
        ((format_html("<code>{}</code>", piece) if place % 2 else piece,) for place, piece in enumerate(pieces)),
    )
