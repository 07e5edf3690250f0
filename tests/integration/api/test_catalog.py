"""What flows can be made of, over the API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from editor.language.nodes import NODE_TYPES
from tests.integration.api.conftest import Program, refusal

PARTS = ("node-types", "tools", "skills", "handlers", "models", "roles", "document-schema")


def test_every_node_type_comes_with_a_schema_of_its_config(analyst: Program):
    items = analyst.read("catalog/node-types/")["items"]
    assert [one["name"] for one in items] == list(NODE_TYPES)
    for one in items:
        Draft202012Validator.check_schema(one["config_schema"])
    by_name = {one["name"]: one for one in items}
    llm = Draft202012Validator(by_name["llm_call"]["config_schema"])
    assert llm.is_valid({"prompt": "Hi {{name}}", "temperature": 0.2})
    assert not llm.is_valid({}) and not llm.is_valid({"prompt": "x", "nonsense": 1})
    assert "prompt" in by_name["llm_call"]["template_fields"]
    assert by_name["parallel"]["is_container"] is True and by_name["return"]["ends_path"] is True


def test_tools_handlers_and_models_are_those_of_the_site(analyst: Program, settings: Any):
    settings.TOOL_ROLES = {"sources": ["read_invoices", "pay_invoice"]}
    tools = {one["name"]: one for one in analyst.read("catalog/tools/")["items"]}
    assert tools["pay_invoice"]["effect"] in ("idempotent", "at_most_once")
    assert "vendor" in tools["pay_invoice"]["schema"]["properties"]
    assert {one["needs_approval"] for one in tools.values()} <= {"always", "never", "by_arguments"}
    assert analyst.read("catalog/models/")["items"][0] == "offline"
    assert analyst.read("catalog/roles/")["items"] == [{"name": "sources", "tools": ["read_invoices", "pay_invoice"]}]
    assert all(one["name"] for one in analyst.read("catalog/handlers/")["items"])


def test_the_schema_of_documents_fits_a_document(analyst: Program):
    schema = analyst.read("catalog/document-schema/")
    Draft202012Validator.check_schema(schema)
    document = {"format": 1, "id": "a", "nodes": [{"id": "n", "type": "one_of"}], "edges": []}
    assert Draft202012Validator(schema).is_valid(document)
    assert not Draft202012Validator(schema).is_valid({**document, "nodez": []})


@pytest.mark.parametrize("part", PARTS)
def test_the_catalog_is_for_members_of_the_groups(part: str, as_person: Callable[[str], Program]):
    for role in ("analyst", "reviewer", "admin"):
        assert as_person(role).get(f"catalog/{part}/").status_code == 200
    refusal(as_person("outsider").get(f"catalog/{part}/"), 404)


def test_skills_are_listed_and_a_version_tells_what_it_pinned(analyst: Program):
    skills = {one["ref"]: one for one in analyst.read("catalog/skills/")["items"]}
    planner = skills["research-planner@1.0.0"]
    assert planner["works_offline"] is True and planner["tools"] == [] and planner["instructions"]
    Draft202012Validator.check_schema(planner["output_schema"])
    node = {"id": "ask", "type": "agent", "config": {"skill": "research-planner", "prompt": "x"}}
    analyst.post(
        "flows/", {"id": "planning", "document": {"format": 1, "id": "planning", "nodes": [node], "edges": []}}
    )
    assert analyst.post("flows/planning/versions/", {}).status_code == 201
    pinned = {key: planner[key] for key in ("name", "version", "content_hash")}
    assert analyst.read("flows/planning/versions/1/")["skills"] == {"research-planner": pinned}
