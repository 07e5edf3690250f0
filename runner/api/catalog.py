"""Endpoints of what flows can be made of: node types, tools, skills, handlers, models, roles, the documents' schema."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from drf_spectacular.types import OpenApiTypes
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.base import ApiView
from editor.api.documenting import describe
from editor.language.catalog import SkillSpec, ToolSpec
from editor.language.nodes import NODE_TYPES
from editor.language.schema import config_json_schema, document_json_schema
from editor.visibility import GROUPS, is_one_of
from runner.catalog import CATALOG
from runner.handlers.registry import HANDLERS
from runner.serializers.api.catalog import Handlers, Models, NodeTypes, Roles, Skills, Tools


class CatalogView(ApiView):
    """A part of the catalog: for members of the site's groups."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Raises NotFound for everybody else."""
        super().initial(request, *args, **kwargs)
        if not is_one_of(request.user, *GROUPS):
            raise NotFound("There is no such catalog, or it is not for you to see.")


class NodeTypeList(CatalogView):
    """Node types."""

    @describe("catalog_node_types", "List node types", answers=NodeTypes)
    def get(self, request: Request) -> Response:
        """Each with the JSON Schema of its config."""
        return Response(NodeTypes({"items": [_node_type(name) for name in NODE_TYPES]}).data)


class ToolList(CatalogView):
    """Tools."""

    @describe("catalog_tools", "List tools", answers=Tools)
    def get(self, request: Request) -> Response:
        """Each with the JSON Schema of its arguments."""
        return Response(Tools({"items": [_tool(spec) for spec in CATALOG.tools()]}).data)


class SkillList(CatalogView):
    """Skills."""

    @describe("catalog_skills", "List skills", answers=Skills)
    def get(self, request: Request) -> Response:
        """What `agent` nodes can name: every version of every skill, by name, the newest of each first."""
        return Response(Skills({"items": [_skill(spec) for spec in CATALOG.skills()]}).data)


class HandlerList(CatalogView):
    """Handlers."""

    @describe("catalog_handlers", "List handlers", answers=Handlers)
    def get(self, request: Request) -> Response:
        """What `handler` nodes can name."""
        found = [
            {
                "name": one.spec.name,
                "description": one.spec.description,
                "writes": None if one.spec.writes is None else sorted(one.spec.writes),
                "options_schema": one.spec.options_schema,
            }
            for one in HANDLERS.all()
        ]
        return Response(Handlers({"items": found}).data)


class ModelList(CatalogView):
    """Models."""

    @describe("catalog_models", "List models", answers=Models)
    def get(self, request: Request) -> Response:
        """What `llm_call` and `agent` nodes can name."""
        return Response({"items": list(CATALOG.models())})


class RoleList(CatalogView):
    """Roles."""

    @describe("catalog_roles", "List roles", answers=Roles)
    def get(self, request: Request) -> Response:
        """What `tool_group` nodes can name."""
        return Response({"items": [{"name": name, "tools": tools} for name, tools in settings.TOOL_ROLES.items()]})


class DocumentSchema(CatalogView):
    """The schema of documents."""

    @describe("catalog_document_schema", "Read the schema of documents", answers=OpenApiTypes.OBJECT)
    def get(self, request: Request) -> Response:
        """JSON Schema (2020-12) of a whole flow document, with the node types of this site."""
        return Response(document_json_schema())


def _node_type(name: str) -> dict[str, Any]:
    kind = NODE_TYPES[name]
    return {
        "name": name,
        "category": kind.category,
        "title": kind.title,
        "description": kind.description,
        "default_backend": kind.default_backend,
        "is_container": kind.is_container,
        "ends_path": kind.ends_path,
        "template_fields": kind.template_fields,
        "text_fields": sorted(kind.text_fields),
        "expression_fields": kind.expression_fields,
        "config_schema": config_json_schema(name),
    }


def _skill(spec: SkillSpec) -> dict[str, Any]:
    names = ("name", "version", "ref", "description", "instructions", "output_schema", "content_hash", "works_offline")
    return {**{name: getattr(spec, name) for name in names}, "tools": list(spec.tools)}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    fixed = {True: "always", False: "never"}
    asks = fixed[spec.needs_approval] if isinstance(spec.needs_approval, bool) else "by_arguments"
    names = ("name", "description", "schema", "read_only", "effect", "group", "editable", "backend", "cost_micros")
    return {**{name: getattr(spec, name) for name in names}, "needs_approval": asks}
