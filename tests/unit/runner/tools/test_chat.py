"""The provider for OpenAI-compatible endpoints against a server that speaks the protocol: questions and answers."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest

from runner.engine.commands import ExecuteStep
from runner.engine.rows import Usage
from runner.handlers import HandlerRegistry, StepContext, StepFailure, StepResult, run_step
from runner.handlers.real import RealDispatcher
from runner.tools import AbortToken, ToolRegistry, tool
from runner.tools.context import Record
from runner.tools.llm import ProviderRegistry
from runner.tools.llm.chat import ChatProvider
from runner.tools.llm.chat_request import ToolNames
from runner.tools.llm.endpoint import Price, read_endpoint
from tests.support.model_server import Answer, ModelServer, completion

KEY = "sk-only-for-this-test-0123456789"
PRICES = {"small": {"input": 0.15, "output": 0.6}}
SCHEMA = {
    "type": "object",
    "required": ["category", "sure"],
    "properties": {"category": {"enum": ["billing", "other"]}, "sure": {"type": "boolean"}},
    "additionalProperties": False,
}
FITS = '{"category": "billing", "sure": true}'


def attempt(
    server: ModelServer,
    given: dict[str, Any],
    *,
    node_type: str = "llm_call",
    tools: ToolRegistry | None = None,
    record: Record | None = None,
) -> StepResult:
    known = tools or ToolRegistry()
    endpoint = read_endpoint(server.url, KEY, ["small", "large"], PRICES)

    def find(name: str) -> Any:
        found = known.get(name)
        return found.spec if found else None

    dispatcher = RealDispatcher(known, HandlerRegistry(), ProviderRegistry(ChatProvider(endpoint, find)))
    command = ExecuteStep("s" * 32, 1, "n", node_type, "n", 1, 2, given, "effect-key", None)
    return run_step(command, StepContext("r" * 32, dispatcher, AbortToken(), record=record or Record()))


def failure(server: ModelServer, given: dict[str, Any], **more: Any) -> StepFailure:
    with pytest.raises(StepFailure) as caught:
        attempt(server, given, **more)
    return caught.value


def test_a_question_is_asked_in_the_protocol_and_the_answer_is_counted() -> None:
    with ModelServer(completion("Hello!")) as server:
        result = attempt(server, {"prompt": "Say hello.", "system": "Be kind.", "temperature": 0.2})
    asked = server.asked[0]
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.headers["idempotency-key"] == "effect-key-2-words"
    assert asked.body == {
        "model": "small", "temperature": 0.2, "stream": False,
        "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Say hello."}],
    }  # fmt: skip
    assert result.output == "Hello!"
    assert result.usage == Usage(100, 20, 27), "100 * 0.15 + 20 * 0.6 micro-dollars"
    assert result.notes == {"model": "small-2026", "answer_id": "chat-1"}


def test_a_node_may_name_another_model_of_the_list_and_no_other() -> None:
    with ModelServer(completion("Hi.")) as server:
        result = attempt(server, {"prompt": "p", "model": "openai:large"})
        assert server.asked[0].body["model"] == "large"
        assert result.usage == Usage(100, 20, 0), "its price is not set"
        assert result.notes is not None and "The price of large is not set" in result.notes["price"]
        error = failure(server, {"prompt": "p", "model": "openai:huge"})
    assert error.code == "provider_failed" and "small, large" in error.message
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        (None, Usage()),
        ({"prompt_tokens": 3}, Usage(3, 0, 1)),
        ({"prompt_tokens": 3, "completion_tokens": None, "cost": 7}, Usage(3, 0, 1)),
    ],
)
def test_an_endpoint_may_count_less(usage: Any, counted: Usage) -> None:
    with ModelServer(completion("Hi.", usage=usage)) as server:
        result = attempt(server, {"prompt": "p"})
    assert result.usage == counted
    assert result.notes is not None and ("usage" in result.notes) == (usage is None)


def test_an_answer_that_was_cut_says_so() -> None:
    with ModelServer(completion("Once upon", finish_reason="length")) as server:
        result = attempt(server, {"prompt": "p"})
    assert result.notes is not None and result.notes["finish_reason"] == "length"


def test_text_in_parts_is_put_together() -> None:
    body = completion(None)
    body["choices"][0]["message"]["content"] = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    with ModelServer(body) as server:
        assert attempt(server, {"prompt": "p"}).output == "ab"


# Structured output


def test_an_object_is_asked_for_by_its_schema() -> None:
    with ModelServer(completion(FITS)) as server:
        result = attempt(server, {"prompt": "p", "output_schema": SCHEMA})
    assert result.output == {"category": "billing", "sure": True}
    asked = server.asked[0].body
    assert asked["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True},
    }
    assert asked["messages"] == [{"role": "user", "content": "p"}]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
        SCHEMA | {"required": ["category"]},
        {"type": "array", "items": {"type": "object"}},
        SCHEMA | {"$defs": {"other": {"type": "object"}}},
    ],
)
def test_a_schema_that_leaves_something_open_is_not_asked_for_to_the_letter(schema: dict[str, Any]) -> None:
    with ModelServer(completion("[]" if schema["type"] == "array" else '{"a": "", "category": "other"}')) as server:
        error = None
        try:
            attempt(server, {"prompt": "p", "output_schema": schema})
        except StepFailure as failed:
            error = failed
    assert error is None or error.code == "output_invalid"
    assert server.asked[0].body["response_format"]["json_schema"]["strict"] is False


def test_an_answer_that_does_not_fit_is_repaired_once_and_both_are_counted() -> None:
    wrong = '{"category": "sales", "sure": "yes"}'
    with ModelServer(completion(wrong), completion(f"```json\n{FITS}\n```")) as server:
        result = attempt(server, {"prompt": "p", "output_schema": SCHEMA})
    assert result.output == {"category": "billing", "sure": True}
    assert result.usage == Usage(200, 40, 54)
    told = server.asked[1].messages
    assert [message["role"] for message in told] == ["system", "user", "assistant", "user"]
    assert told[2]["content"] == wrong
    assert "/category: 'sales' is not one of" in told[3]["content"] and "/sure: 'yes' is not of" in told[3]["content"]
    assert '"enum":["billing","other"]' in told[0]["content"], "an endpoint may have overlooked the response_format"
    assert server.asked[0].headers["idempotency-key"] != server.asked[1].headers["idempotency-key"]
    assert result.notes is not None and len(result.notes["repaired"]["problems"]) == 2


def test_an_answer_that_does_not_fit_twice_lists_every_problem() -> None:
    with ModelServer(completion("Sure!"), completion('{"category": 1, "sure": 2, "x": 3}')) as server:
        error = failure(server, {"prompt": "p", "output_schema": SCHEMA})
    assert (error.code, len(server.asked)) == ("output_invalid", 2)
    assert error.usage == Usage(200, 40, 54)
    assert error.details is not None and len(error.details["problems"]) == 3  # type: ignore[arg-type]


def test_a_repair_that_cannot_be_made_leaves_the_answer_as_it_was() -> None:
    with ModelServer(completion("Sure!"), Answer({"error": {"message": "Busy."}}, 503)) as server:
        error = failure(server, {"prompt": "p", "output_schema": SCHEMA})
    assert (error.code, error.usage) == ("output_invalid", Usage(100, 20, 27))
    assert error.details is not None and error.details["repair"]["code"] == "provider_failed"  # type: ignore[index]


@pytest.mark.parametrize(
    "refusal",
    [
        {"error": {"message": "Invalid parameter: 'response_format' of type 'json_schema' is not supported."}},
        {"error": "unknown field json_schema"},
        {"detail": [{"loc": ["body", "response_format"], "msg": "response_format: extra fields not permitted"}]},
    ],
)
def test_an_endpoint_without_response_format_is_asked_in_words(refusal: dict[str, Any]) -> None:
    with ModelServer(Answer(refusal, 400), completion(FITS)) as server:
        record = Record()
        result = attempt(server, {"prompt": "p", "system": "s", "output_schema": SCHEMA}, record=record)
    assert result.output == {"category": "billing", "sure": True}
    second = server.asked[1].body
    assert "response_format" not in second
    assert second["messages"][0]["content"].startswith("s\n\nAnswer with one JSON value and nothing else")
    assert "asked in words" in record.lines[0]["message"]


def test_the_endpoint_is_not_asked_again_for_what_it_refused() -> None:
    refusal = Answer({"error": {"message": "No response_format."}}, 400)
    with ModelServer(refusal, completion(FITS)) as server:
        provider = ChatProvider(read_endpoint(server.url, "", ["small"], {}))
        dispatcher = RealDispatcher(ToolRegistry(), HandlerRegistry(), ProviderRegistry(provider))
        for _ in range(2):
            given = {"prompt": "p", "output_schema": SCHEMA}
            run_step(
                ExecuteStep("s" * 32, 1, "n", "llm_call", "n", 1, 1, given, "", None), StepContext("r", dispatcher)
            )
    assert ["response_format" in asked.body for asked in server.asked] == [True, False, False]
    assert "authorization" not in server.asked[0].headers and "idempotency-key" not in server.asked[0].headers


def test_another_refusal_is_no_reason_to_ask_again() -> None:
    with ModelServer(Answer({"error": {"message": "Context length exceeded."}}, 400)) as server:
        error = failure(server, {"prompt": "p", "output_schema": SCHEMA})
    assert (error.code, len(server.asked)) == ("provider_failed", 1)


# Agents


def tools() -> ToolRegistry:
    known = ToolRegistry()

    @tool(registry=known, name="crm.find:customer")
    def find(name: str) -> str:
        """Find a customer."""
        return name

    @tool(registry=known)
    def add(a: int, b: int = 1) -> int:
        """Add up."""
        return a + b

    return known


def test_an_agent_offers_its_tools_and_tells_every_turn() -> None:
    turns = [
        [
            {"tool": "add", "arguments": {"a": 1}, "result": 2, "index": 0},
            {"tool": "crm.find:customer", "arguments": {"name": "Ä"}, "error": {"code": "not_found", "message": "No."}},
        ],
        [{"tool": "add", "arguments": {"a": 2, "b": 2}, "result": "four"}],
    ]
    given = {"prompt": "p", "instructions": "i", "tools": ["add", "crm.find:customer"], "turns": turns}
    alias = ToolNames(["crm.find:customer"]).sent("crm.find:customer")
    assert alias.startswith("crm_find_customer_") and len(alias) <= 64
    with ModelServer(completion(None, calls=[(alias, '{"name": "Ada"}'), ("add", "")])) as server:
        result = attempt(server, given, node_type="agent", tools=tools())
    assert result.calls == (
        {"tool": "crm.find:customer", "arguments": {"name": "Ada"}},
        {"tool": "add", "arguments": {}},
    )
    assert result.usage == Usage(100, 20, 27)
    body = server.asked[-1].body
    functions = [one["function"] for one in body["tools"]]
    assert [one["name"] for one in functions] == ["add", alias] and functions[0]["description"] == "Add up."
    assert functions[0]["parameters"]["properties"]["b"] == {"default": 1, "type": "integer"}
    assert [message["role"] for message in body["messages"]] == [
        "system", "user", "assistant", "tool", "tool", "assistant", "tool",
    ]  # fmt: skip
    first = body["messages"][2]["tool_calls"]
    assert [call["function"] for call in first] == [
        {"name": "add", "arguments": '{"a": 1}'},
        {"name": alias, "arguments": '{"name": "Ä"}'},
    ]
    answers = [message for message in body["messages"] if message["role"] == "tool"]
    assert [one["tool_call_id"] for one in answers[:2]] == [call["id"] for call in first]
    assert len({one["tool_call_id"] for one in answers}) == 3
    assert answers[0]["content"] == "2" and answers[2]["content"] == "four"
    assert json.loads(answers[1]["content"]) == {"error": {"code": "not_found", "message": "No."}}


def test_a_tool_that_the_model_made_up_is_handed_on_as_it_is() -> None:
    with ModelServer(completion(None, calls=[("delete_all", "{}")])) as server:
        result = attempt(server, {"prompt": "p", "tools": ["add"], "turns": []}, node_type="agent", tools=tools())
    assert result.calls == ({"tool": "delete_all", "arguments": {}},)


@pytest.mark.parametrize("arguments", ['{"a": ', "[1]", '"text"', "NaN"])
def test_arguments_that_cannot_be_read_are_the_models_fault_and_counted(arguments: str) -> None:
    with ModelServer(completion(None, calls=[("add", arguments)])) as server:
        error = failure(server, {"prompt": "p", "tools": ["add"], "turns": []}, node_type="agent", tools=tools())
    assert error.code == "output_invalid" and "the tool add" in error.message
    assert error.usage == Usage(100, 20, 27)


def test_a_tool_that_is_not_installed_is_told_before_anybody_is_asked() -> None:
    with ModelServer(completion("Hi.")) as server:
        error = failure(server, {"prompt": "p", "tools": ["nope"], "turns": []}, node_type="agent")
    assert (error.code, server.asked) == ("unknown_tool", [])


def test_the_final_answer_of_an_agent_is_repaired_too() -> None:
    with ModelServer(completion("Billing."), completion(FITS)) as server:
        given = {"prompt": "p", "tools": ["add"], "turns": [], "output_schema": SCHEMA}
        result = attempt(server, given, node_type="agent", tools=tools())
    assert result.output == {"category": "billing", "sure": True}
    assert "tools" in server.asked[1].body


@pytest.mark.parametrize("name", ["x" * 200, "a.b", "a:b"])
def test_any_name_of_a_tool_can_be_told_to_the_protocol_and_back(name: str) -> None:
    names = ToolNames([name, "a_b", "x" * 64])
    sent = names.sent(name)
    assert re.fullmatch("[A-Za-z0-9_-]{1,64}", sent) and sent not in ("a_b", "x" * 64)
    assert names.ours(sent) == name


# The settings


def test_the_http_library_is_imported_only_when_a_model_is_asked() -> None:
    code = "import sys, runner.tools.llm.chat, runner.handlers; assert 'httpx2' not in sys.modules, 'too early'"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_cost_is_rounded_up_to_a_micro_dollar_and_exact_otherwise() -> None:
    assert Price(0.15, 0.6).cost_micros(100, 20) == 27
    assert Price(0.15, 0.6).cost_micros(1, 0) == 1
    assert Price(0.1, 0).cost_micros(10, 10**6) == 1, "no digit too many from binary fractions"
    assert Price(0, 0).cost_micros(10**6, 10**6) == 0


@pytest.mark.parametrize(
    "url",
    ["ftp://host/v1", "file:///etc/passwd", "host/v1", "", "http://", "https:///v1", "https://me:word@host/v1",
     "https://host/v1?key=1", "https://host/#x", "http://host:port", "http://[::1", "javascript:alert(1)"],
)  # fmt: skip
def test_only_plain_addresses_are_endpoints(url: str) -> None:
    with pytest.raises(ValueError, match="URL"):
        read_endpoint(url, "", ["small"], {})


@pytest.mark.parametrize("key", ["two words", "line\nend", "ключ", "a\x00b"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_quoted(key: str) -> None:
    with pytest.raises(ValueError) as caught:
        read_endpoint("https://host/v1", key, ["small"], {})
    assert key not in str(caught.value)


def test_an_endpoint_does_not_show_its_key() -> None:
    endpoint = read_endpoint(" https://host/v1/ ", f" {KEY}\n", [" small ", "", "small"], {})
    assert KEY not in repr(endpoint) and KEY not in repr(ChatProvider(endpoint))
    assert (endpoint.url, endpoint.key, endpoint.models, endpoint.place) == ("https://host/v1", KEY, ("small",), "host")


@pytest.mark.parametrize(
    ("models", "prices"),
    [
        ([], {}),
        ([" "], {}),
        (["small"], []),
        (["small"], {"small": 1}),
        (["small"], {"small": {"input": 1}}),
        (["small"], {"small": {"input": 1, "output": -1}}),
        (["small"], {"small": {"input": 1, "output": float("nan")}}),
        (["small"], {"small": {"input": True, "output": 1}}),
    ],
)
def test_settings_that_mean_nothing_are_refused(models: list[str], prices: Any) -> None:
    with pytest.raises(ValueError):
        read_endpoint("https://host/v1", KEY, models, prices)
