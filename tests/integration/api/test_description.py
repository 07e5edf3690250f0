"""The OpenAPI document and the page that shows it: complete, without guesses, under the site's policy."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator

from flowsite.api_pages import openapi_document
from tests.integration.api.conftest import Program, refusal
from tests.integration.api.test_doors import ENDPOINTS, RULES


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (path, method, operation)
        for path, methods in openapi_document()["paths"].items()
        for method, operation in methods.items()
    ]


def test_every_endpoint_is_described_and_nothing_else():
    described = {(path, method.upper()) for path, method, _ in operations()}
    offered = set()
    for name, method in RULES:
        route = "/" + "api/" + str(ENDPOINTS[name].pattern)
        offered.add((re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route), method))
    assert described == offered | {("/api/schema/", "GET")}


def test_the_generator_had_nothing_to_guess():
    GENERATOR_STATS.reset()
    SchemaGenerator().get_schema(request=None, public=True)
    assert not GENERATOR_STATS, dict(GENERATOR_STATS._warn_cache) | dict(GENERATOR_STATS._error_cache)


def test_every_operation_says_what_it_does_needs_and_may_answer():
    ids = [operation["operationId"] for _, _, operation in operations()]
    assert len(ids) == len(set(ids))
    for path, method, operation in operations():
        assert operation["summary"] and operation["description"] and operation["x-scope"], path
        assert {"400", "401", "403", "429", "503"} <= set(operation["responses"])
        assert ("404" in operation["responses"]) or "{" not in path
        assert "415" in operation["responses"] or "requestBody" not in operation
        for status, answer in operation["responses"].items():
            assert answer["description"], (path, method, status)
            if status >= "4":
                assert answer["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Error"}


def test_described_objects_are_closed():
    for name, part in openapi_document()["components"]["schemas"].items():
        assert part["additionalProperties"] is False, name


def test_the_document_is_for_whoever_is_signed_in(as_person: Callable[[str], Program]):
    assert as_person("outsider").read("schema/")["openapi"].startswith("3.1")
    assert refusal(Program(Client()).get("schema/"), 401)


def test_the_page_shows_every_operation_and_needs_no_script(as_person: Callable[[str], Program]):
    assert Client().get("/api/docs/").status_code == 302
    answer = as_person("outsider").get("docs/")
    text = answer.content.decode()
    assert answer.status_code == 200 and "unsafe" not in answer.headers["Content-Security-Policy"]
    assert not re.findall(r"<script(?![^>]*\bsrc=)[^>]*>", text) and "<style" not in text
    assert not re.findall(r"<[^>]*\s(?:style|on[a-z]+)=", text)
    for path, method, operation in operations():
        assert f'id="{operation["operationId"]}"' in text
        assert f"<code>{method.upper()} {path}</code>" in text
    targets = set(re.findall(r'href="#([\w-]+)"', text))
    anchors = re.findall(r'\bid="([\w-]+)"', text)
    assert targets <= set(anchors) and len(anchors) == len(set(anchors))


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_the_page_is_only_looked_at(method: str, analyst: Program):
    assert analyst.send(method, "docs/", {}).status_code in (403, 405)
