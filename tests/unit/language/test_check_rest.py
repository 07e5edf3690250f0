"""Checks of declarations, references, limits and secrets. Each rule is also shown where it must keep quiet."""

from __future__ import annotations

import pytest

from editor.language.catalog import HandlerSpec, SitePolicy, SkillSpec, StaticCatalog, ToolSpec
from editor.language.definition import Definition
from editor.language.schema import parse_document
from editor.language.validation import check
from tests.unit.language.documents import codes, edge, flow, node, only, problems, put, warnings

PAY = ToolSpec("pay", "", {}, effect="at_most_once")
LOOK = ToolSpec("look", "", {}, read_only=True)
CATALOG = StaticCatalog(
    tool_specs={"pay": PAY, "look": LOOK},
    handler_specs={"h": HandlerSpec("h", options_schema={"type": "object", "required": ["n"]})},
    skill_specs={"research": SkillSpec("research", 1, "v1:0")},
    roles={"search": ("look",), "empty": ()},
    flows={("other", 2): parse_document(flow([node("a")])).definition or Definition.model_construct()},
)


def call(tool: str = "pay", **keys: object) -> dict:
    return node("c", "tool_call", config={"tool": tool}, **keys)


# --- declarations ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "declared",
    [
        {"name": "a", "type": "choice"},
        {"name": "a", "type": "number", "options": ["x"]},
        {"name": "a", "type": "choice", "options": ["x"], "default": "y"},
        {"name": "a", "type": "integer", "default": 1.5},
        {"name": "a", "type": "date", "default": "2030-02-30"},
        {"name": "a", "type": "short_text", "default": None},
    ],
)
def test_a_declaration_that_contradicts_itself_is_refused(declared: dict):
    found = only(flow([node("a")], inputs=[declared]), "config_invalid")
    assert found.path.startswith("/inputs/0/")


def test_names_of_declarations_are_unique():
    document = flow(
        [node("a")],
        inputs=[{"name": "a", "type": "number"}] * 2,
        presets=[{"id": "p"}] * 2,
        artifacts=[{"id": "r", "type": "text"}] * 2,
    )
    assert codes(document) == ["duplicate_id"] * 3


@pytest.mark.parametrize(
    "state",
    [{"type": "objekt"}, {"type": "string"}, {"properties": {"a": {"$ref": "https://example.org/x"}}}, {"$ref": "#"}],
)
def test_a_state_schema_must_be_usable(state: dict):
    assert codes(flow([node("a")], state=state)) == ["state_schema_invalid"]


def test_a_state_schema_that_needs_the_whole_state_is_slow():
    assert warnings(flow([node("a")], state={"dependentRequired": {"a": ["b"]}})) == {"state_schema_slow"}
    assert warnings(flow([node("a")], state={"type": "object", "required": [], "propertyNames": {}})) == set()


def test_a_form_and_an_output_schema_must_be_schemas():
    form = node("a", "approval", config={"title": "?", "form": {"type": "objekt"}})
    assert only(flow([form]), "config_invalid").path == "/nodes/0/config/form"
    answer = node("a", "llm_call", config={"prompt": "x", "output_schema": {"required": 1}})
    assert only(flow([answer]), "config_invalid").path == "/nodes/0/config/output_schema"


def test_options_fit_what_the_handler_asks_for():
    def handler(options: object) -> dict:
        return flow([node("a", "handler", config={"handler": "h", "options": options})])

    assert codes(handler({"n": 1}), CATALOG) == []
    assert codes(handler({"m": 1}), CATALOG) == ["config_invalid"]
    assert codes(handler({"m": "{{run.id}}"}), CATALOG) == [], "what is computed is judged at run time"


# --- references -----------------------------------------------------------------------------------------


def test_names_of_tools_and_roles_are_looked_up():
    assert codes(flow([call("pay")]), CATALOG, "warning") == []
    assert codes(flow([call("gone")]), CATALOG, "warning") == ["unknown_tool"]
    agent = node("g", "agent", config={"instructions": "x", "prompt": "y", "tools": ["pay", "gone"]})
    assert codes(flow([agent]), CATALOG, "warning") == ["unknown_tool"]
    for role, expected in (("search", []), ("empty", ["unknown_role"]), ("gone", ["unknown_role"])):
        assert codes(flow([node("g", "tool_group", config={"role": role})]), CATALOG, "warning") == expected


def test_names_of_handlers_are_looked_up():
    assert codes(flow([node("a", "handler", config={"handler": "h"})]), CATALOG, "warning") == []
    unknown = only(flow([node("a", "handler", config={"handler": "gone"})]), "unknown_handler", CATALOG)
    assert (unknown.severity, unknown.path) == ("warning", "/nodes/0/config/handler")
    assert "'gone'" in unknown.message


def test_a_skill_must_exist():
    for skill, expected in (("research", []), ("gone", ["unknown_skill"])):
        assert codes(flow([node("g", "agent", config={"skill": skill, "prompt": "x"})]), CATALOG) == expected


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"flow": "other", "version": 2}, []),
        ({"flow": "other", "version": 3}, ["unknown_flow_version"]),
        ({"flow": "t", "version": "self"}, []),
        ({"flow": "other", "version": "self"}, ["unknown_flow_version"]),
    ],
)
def test_a_version_of_a_flow_must_be_published(config: dict, expected: list[str]):
    assert codes(flow([node("s", "subflow", config=config)]), CATALOG) == expected


@pytest.mark.parametrize(
    ("assignees", "expected"), [(["finance"], []), ([], ["empty_assignees"]), ([" "], ["empty_assignees"])]
)
def test_an_approval_names_somebody_or_leaves_it_out(assignees: list[str], expected: list[str]):
    assert codes(flow([node("a", "approval", config={"title": "?", "assignees": assignees})])) == expected


def test_a_promised_artifact_wants_a_node_that_makes_it():
    promised = [{"id": "report", "type": "text"}]
    maker = node("a", "artifact", config={"artifact": "report", "content": "x"})
    assert warnings(flow([maker], artifacts=promised)) == set()
    assert warnings(flow([node("a")], artifacts=promised)) == {"artifact_never_produced"}


# --- limits ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["tool_call", "transform"])
def test_an_attempt_of_a_worker_lasts_no_longer_than_the_site_allows(kind: str):
    config = {"tool": "look"} if kind == "tool_call" else {"fields": {}}
    catalog = StaticCatalog(site=SitePolicy(longest_attempt_ms=1000))
    assert codes(flow([node("a", kind, config=config, timeout_ms=1000)]), catalog) == []
    assert codes(flow([node("a", kind, config=config, timeout_ms=1001)]), catalog) == ["timeout_invalid"]


@pytest.mark.parametrize(
    ("kind", "config"),
    [("approval", {"title": "?"}), ("wait", {"signal": "s"}), ("sequence", {}), ("for_each", {"items": 3})],
)
def test_people_waits_and_containers_may_take_longer(kind: str, config: dict):
    assert codes(flow([node("a", kind, config=config, timeout_ms=10**9)])) == []


def test_a_name_has_a_length_that_can_be_shown():
    long = "x" * 201
    written = flow([node("a", name=long), node("b", name="y" * 200)], [edge("a", "b") | {"label": long}], name=long)
    written["presets"] = [{"id": "p", "name": long}]
    found = [one for one in problems(written) if one.code == "config_invalid"]
    assert [one.path for one in found] == ["/name", "/presets/0/name", "/nodes/0/name", "/edges/0/label"]
    assert found[2].node == "a" and "201 characters; at most 200" in found[2].message
    assert "config_invalid" not in codes(flow([node("a", name="y" * 200)]))


def test_a_retry_names_no_code_that_is_never_tried_again():
    assert codes(flow([call("look", retry={"max_attempts": 2, "on": ["tool_*"]})]), CATALOG) == []
    assert codes(flow([call("look", retry={"max_attempts": 2, "on": ["tool_denied"]})]), CATALOG) == ["retry_invalid"]


def test_a_retry_of_what_must_not_happen_twice_is_said():
    retry = {"max_attempts": 3}
    assert codes(flow([call("pay", retry=retry)]), CATALOG, "warning") == ["retry_not_idempotent"]
    assert codes(flow([call("look", retry=retry)]), CATALOG, "warning") == []
    assert codes(flow([call("pay", retry={"max_attempts": 1})]), CATALOG, "warning") == []
    nested = [node("s", "sequence", retry=retry), call("pay", parent="s")]
    assert codes(flow(nested), CATALOG, "warning") == ["retry_not_idempotent"]


def test_a_wait_for_a_signal_wants_a_limit():
    def wait(**config: object) -> dict:
        return node("w", "wait", config=config)

    assert warnings(flow([wait(signal="s")])) == {"waits_without_limit"}
    assert warnings(flow([{**wait(signal="s"), "timeout_ms": 5}])) == set()
    assert warnings(flow([wait(duration_ms=5)])) == set()
    assert warnings(flow([node("s", "sequence", timeout_ms=5), {**wait(signal="s"), "parent": "s"}])) == set()


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("max_token", True),
        ("maxTokens", True),
        ("max_cost", True),
        ("tone", False),
        ("max_steps", False),
        ("max_stepps", True),
    ],
)
def test_a_near_miss_of_a_limit_is_said(key: str, expected: bool):
    document = flow([node("a")], policy={key: 5}, presets=[{"id": "p", "policy": {key: 5}}])
    assert ("policy_key_unknown" in warnings(document)) is expected


# --- secrets --------------------------------------------------------------------------------------------

SECRETS = [
    "sk-" + "a1B2" * 8,
    "ghp_" + "a1B2" * 9,
    "AKIA" + "ABCD1234" * 2,
    "Bearer " + "abcDEF123" * 3,
    "postgres://shop:hunter22@db.example/shop",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_credential_typed_as_text_is_refused_without_repeating_it(secret: str):
    document = flow([node("c", "tool_call", config={"tool": "t", "arguments": {"note": f"use {secret}"}})])
    found = only(document, "secret_literal")
    assert (found.path, found.node) == ("/nodes/0/config/arguments/note", "c")
    assert secret not in found.message


@pytest.mark.parametrize(
    ("arguments", "is_secret"),
    [
        ({"password": "Hunter22"}, True),
        ({"api_key": "9f8e7d6c5b4a"}, True),
        ({"password": "{{password}}"}, False),
        ({"password": "$password"}, False),
        ({"password": "required"}, False),
        ({"token": "blue"}, False),
        ({"max_tokens_text": "12345678a"}, False),
        ({"note": "the password is changed each 90 days"}, False),
        ({"url": "https://example.org/a:b@c"}, False),
    ],
)
def test_a_text_where_a_credential_belongs_is_judged_by_its_look(arguments: dict, is_secret: bool):
    inputs = [{"name": "password", "type": "short_text"}]
    document = flow([node("c", "tool_call", config={"tool": "t", "arguments": arguments})], inputs=inputs)
    assert ("secret_literal" in codes(document)) is is_secret


# --- the whole ------------------------------------------------------------------------------------------


def test_a_definition_has_the_same_problems_as_its_document():
    document = flow([put("a", "x"), put("b", "{{y}}")], [edge("a", "b"), edge("b", "zz")])
    parsed = parse_document(document)
    assert parsed.definition is not None
    assert set(check(parsed.definition, CATALOG)) == set(problems(document, CATALOG))


def test_what_is_readable_is_checked_beside_what_is_not():
    document = flow(
        [
            node("a", "tool_call", config={"tool": 5}, output_variable="x"),
            node("b", "evaluator", config={"expression": "x + y"}),
        ],
        [edge("a", "b")],
        colour="red",
    )
    assert codes(document) == ["config_invalid", "config_invalid", "unknown_variable"]
