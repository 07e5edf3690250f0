"""One attempt at a step: each node type's work, its result, and its failure with usage and notes."""

from __future__ import annotations

from typing import Any

import pytest

from runner.engine.commands import ExecuteStep
from runner.engine.rows import Usage
from runner.handlers import HandlerRegistry, StepContext, StepFailure, StepResult, handler, has_work, run_step
from runner.handlers.real import RealDispatcher
from runner.tools import (
    AbortToken,
    DefinitionError,
    SkillRegistry,
    ToolContext,
    ToolError,
    ToolRegistry,
    register_skill,
    tool,
)
from runner.tools.context import Record
from runner.tools.llm import Completion, CompletionRequest, ProviderRegistry
from runner.tools.llm.offline import OfflineProvider


def command(node_type: str, given: Any) -> ExecuteStep:
    return ExecuteStep("s" * 32, 4, "n", node_type, "loop[1].n", 2, 3, given, "key-1", None)


class Scripted:
    """A provider that gives prepared answers."""

    name = "scripted"

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[CompletionRequest] = []

    def models(self) -> tuple[str, ...]:
        return ()

    async def complete(self, request: CompletionRequest, ctx: ToolContext) -> Any:
        self.asked.append(request)
        return self.answers.pop(0)


def attempt(
    node_type: str,
    given: Any,
    *,
    tools: ToolRegistry | None = None,
    handlers: HandlerRegistry | None = None,
    provider: Any = None,
    abort: AbortToken | None = None,
    record: Record | None = None,
) -> StepResult:
    dispatcher = RealDispatcher(
        tools or ToolRegistry(),
        handlers or HandlerRegistry(),
        ProviderRegistry(*([provider] if provider else [])),
    )
    context = StepContext("r" * 32, dispatcher, abort or AbortToken(), record=record or Record())
    return run_step(command(node_type, given), context)


def failure(*args: Any, **kwargs: Any) -> StepFailure:
    with pytest.raises(StepFailure) as caught:
        attempt(*args, **kwargs)
    return caught.value


# tool_call


def test_a_tool_call_gets_its_stored_arguments_and_its_place_in_the_run() -> None:
    tools = ToolRegistry()

    @tool(registry=tools, cost_usd=0.5)
    def echo(text: str, ctx: ToolContext) -> list[Any]:
        ctx.log("called", text=text)
        return [text, ctx.effect_key, ctx.run_id, ctx.node, ctx.path, ctx.visit, ctx.attempt]

    record = Record()
    result = attempt("tool_call", {"tool": "echo", "arguments": {"text": "{{x}}"}}, tools=tools, record=record)
    assert result.output == ["{{x}}", "key-1", "r" * 32, "n", "loop[1].n", 2, 3]
    assert result.delta is None
    assert result.usage == Usage(cost_micros=500_000)
    assert record.lines[0]["message"] == "called" and result.notes is None


def test_a_failed_call_keeps_what_it_used_and_noted() -> None:
    tools = ToolRegistry()

    @tool(registry=tools)
    def fails(ctx: ToolContext) -> None:
        ctx.log("trying")
        ctx.add_usage(units=2)
        raise ToolError("No.", "tool_offline")

    record = Record()
    error = failure("tool_call", {"tool": "fails", "arguments": {}}, tools=tools, record=record)
    assert (error.code, error.message, error.usage) == ("tool_offline", "No.", Usage(units=2))
    assert record.lines[0]["message"] == "trying"


def test_an_unknown_tool_says_so() -> None:
    assert failure("tool_call", {"tool": "nope", "arguments": {}}).code == "unknown_tool"


# llm_call


def ask(answer: Any, schema: dict[str, Any] | None = None) -> Any:
    given = {"prompt": "p", "system": "s", "model": "", "temperature": 0.5, "output_schema": schema}
    return attempt("llm_call", given, provider=Scripted(answer)).output


SCHEMA = {
    "type": "object",
    "required": ["a", "b"],
    "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
}


def test_a_model_is_asked_what_the_node_says() -> None:
    provider = Scripted(Completion("hi", Usage(10, 2, 1_500), {"finish": "stop"}))
    result = attempt("llm_call", {"prompt": "p", "system": "s", "temperature": 0.5}, provider=provider)
    assert result == StepResult("hi", None, Usage(10, 2, 1_500), {"finish": "stop"})
    assert provider.asked == [CompletionRequest("p", "s", "", 0.5, None)]


@pytest.mark.parametrize("text", ['{"a": 1, "b": "x"}', '```json\n{"a": 1, "b": "x"}\n```\n', ' {"a": 1.0, "b": "x"}'])
def test_with_an_output_schema_the_output_is_the_object(text: str) -> None:
    assert ask(Completion(text), SCHEMA) == {"a": 1, "b": "x"}


def test_an_answer_that_does_not_fit_lists_every_problem() -> None:
    given = {"prompt": "p", "output_schema": SCHEMA}
    error = failure("llm_call", given, provider=Scripted(Completion('{"a": "x", "b": 1}', Usage(1, 1))))
    assert error.code == "output_invalid" and error.usage == Usage(1, 1)
    assert error.details is not None
    assert [problem.split(":")[0] for problem in error.details["problems"]] == ["/a", "/b"]  # type: ignore[attr-defined]
    assert error.details["answer"] == '{"a": "x", "b": 1}'


@pytest.mark.parametrize("text", ["", "no", '{"a": 1', "NaN", "[" * 100_000, '{"a": 1, "a": 2}'])
def test_an_answer_that_is_no_json_is_output_invalid(text: str) -> None:
    error = failure("llm_call", {"prompt": "p", "output_schema": SCHEMA}, provider=Scripted(Completion(text)))
    assert error.code == "output_invalid"


def test_an_answer_that_cannot_be_stored_is_mended_and_noted() -> None:
    result = attempt("llm_call", {"prompt": "p"}, provider=Scripted(Completion("a\x00b\ud800")))
    assert result.output == "a\ufffdb\ufffd" and result.notes == {"replaced_texts": [""]}


def test_a_model_nobody_knows_fails_the_attempt() -> None:
    error = failure("llm_call", {"prompt": "p", "model": "nobody:x"}, provider=Scripted())
    assert error.code == "provider_failed" and "nobody:x" in error.message


@pytest.mark.parametrize("answer", [None, "text", Completion(None)])  # type: ignore[arg-type]
def test_a_provider_that_answers_nonsense_has_failed(answer: Any) -> None:
    assert failure("llm_call", {"prompt": "p"}, provider=Scripted(answer)).code == "provider_failed"


def test_a_provider_that_breaks_has_failed_without_telling_its_secrets() -> None:
    error = failure("llm_call", {"prompt": "p"}, provider=Scripted())
    assert error.code == "provider_failed" and "IndexError" in error.message


# agent


TURNS = [[{"tool": "look", "arguments": {"k": 1}, "result": 7}]]


def test_an_agent_asks_its_model_with_every_turn_so_far() -> None:
    provider = Scripted(Completion("", Usage(3, 1), tool_calls=({"tool": "look", "arguments": {}},)))
    given = {
        "prompt": "p",
        "instructions": "i",
        "tools": ["look"],
        "turns": TURNS,
        "skill": None,
        "output_schema": None,
    }
    result = attempt("agent", given, provider=provider)
    assert result == StepResult(usage=Usage(3, 1), calls=({"tool": "look", "arguments": {}},))
    assert provider.asked == [CompletionRequest("p", "i", tools=("look",), turns=tuple(TURNS))]


def test_the_final_answer_of_an_agent_fits_its_schema() -> None:
    given = {"prompt": "p", "turns": TURNS, "output_schema": SCHEMA}
    assert attempt("agent", given, provider=Scripted(Completion('{"a": 1, "b": ""}'))).output == {"a": 1, "b": ""}
    assert failure("agent", given, provider=Scripted(Completion("42"))).code == "output_invalid"


@pytest.mark.parametrize("calls", [({},), ("look",), ({"tool": 1},), ({"tool": "x", "arguments": float("nan")},)])
def test_a_model_that_asks_for_nonsense_has_failed(calls: Any) -> None:
    error = failure("agent", {"prompt": "p", "turns": []}, provider=Scripted(Completion("", tool_calls=calls)))
    assert error.code == "provider_failed"


# handler


def test_a_handler_gives_a_delta_an_output_and_its_usage() -> None:
    handlers = HandlerRegistry()

    @handler("sum", writes=["total"], registry=handlers)
    async def total(state: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
        """Add up.

        Not part of the description."""
        return {
            "state": {"total": sum(state["rows"]) + options["plus"]},
            "output": 1,
            "usage": {"cost_usd": 0.1},
        }

    spec = handlers.all()[0].spec
    assert (spec.name, spec.writes, spec.description) == ("sum", frozenset({"total"}), "Add up.")
    given = {"handler": "sum", "state": {"rows": [1, 2]}, "options": {"plus": 4}}
    result = attempt("handler", given, handlers=handlers)
    assert result == StepResult(1, {"total": 7}, Usage(cost_micros=100_000), None)


def test_a_handler_that_gives_nothing_changes_nothing() -> None:
    handlers = HandlerRegistry()
    handler("none", registry=handlers)(lambda: None)
    assert attempt("handler", {"handler": "none"}, handlers=handlers) == StepResult(None, {}, Usage(), None)


@pytest.mark.parametrize(
    "reply",
    [1, [], {"total": 1}, {"state": []}, {"state": {}, "usage": {"dollars": 1}}, {"usage": {"cost_usd": -1}},
     {"usage": {"cost_usd": True}}, {"usage": 3}],
)  # fmt: skip
def test_a_handler_that_gives_something_else_has_failed(reply: Any) -> None:
    handlers = HandlerRegistry()
    handler("odd", registry=handlers)(lambda: reply)
    assert failure("handler", {"handler": "odd"}, handlers=handlers).code == "tool_failed"


def test_options_are_checked_against_the_handlers_schema() -> None:
    handlers = HandlerRegistry()
    handler("strict", options_schema={"required": ["a", "b"]}, registry=handlers)(lambda: None)
    error = failure("handler", {"handler": "strict", "options": {}}, handlers=handlers)
    assert error.code == "tool_failed" and error.details is not None and len(error.details["problems"]) == 2  # type: ignore[arg-type]


def test_an_unknown_handler_says_so() -> None:
    assert failure("handler", {"handler": "nope"}).code == "tool_failed"


def test_a_handler_can_only_ask_for_what_there_is() -> None:
    with pytest.raises(DefinitionError, match="'request'"):
        handler("x", registry=HandlerRegistry())(lambda request: None)


def test_two_functions_cannot_share_a_handlers_name() -> None:
    handlers = HandlerRegistry()

    def other() -> None: ...

    handler("x", registry=handlers)(lambda: None)
    with pytest.raises(DefinitionError, match="defined twice"):
        handler("x", registry=handlers)(other)


# Any node type


def test_a_type_that_nothing_here_runs_is_left_alone() -> None:
    assert has_work("tool_call") and not has_work("hologram")
    assert failure("hologram", {}).code == "flow_invalid"


def test_an_aborted_attempt_does_not_begin() -> None:
    token = AbortToken()
    token.abort("timeout")
    tools = ToolRegistry()
    tool(name="t", registry=tools)(lambda: 1)
    error = failure("tool_call", {"tool": "t", "arguments": {}}, tools=tools, abort=token)
    assert error.code == "operation_timeout"


# An agent with a skill and without tools


def through_skill(provider: Any, **changes: Any) -> StepResult:
    pin = {"name": "counter", "version": "1.0.0", "content_hash": "v1:0"}
    given = {"prompt": "text: a", "instructions": "Count.", "skill": pin, "output_schema": SCHEMA, "tools": []}
    return attempt("agent", given | changes, provider=provider)


def test_an_agent_without_tools_is_one_question_through_its_skill() -> None:
    provider = Scripted(Completion('{"a": 1, "b": ""}', Usage(5, 2, 30)))
    result = through_skill(provider)
    assert (result.output, result.usage) == ({"a": 1, "b": ""}, Usage(5, 2, 30))
    assert provider.asked == [
        CompletionRequest("text: a", "Count.", output_schema=SCHEMA, skill="counter@1.0.0"),
    ]


def test_an_answer_that_does_not_fit_goes_back_once_with_what_was_wrong() -> None:
    provider = Scripted(Completion('{"a": "x"}', Usage(5, 2, 30)), Completion('{"a": 1, "b": ""}', Usage(7, 3, 40)))
    result = through_skill(provider)
    assert (result.output, result.usage) == ({"a": 1, "b": ""}, Usage(12, 5, 70))
    repair = provider.asked[1].repair
    assert repair is not None and repair.answer == '{"a": "x"}' and len(repair.problems) == 2
    assert result.notes is not None and result.notes["repaired"]["answer"] == '{"a": "x"}'


def test_an_offline_answer_that_does_not_fit_is_output_invalid() -> None:
    skills = SkillRegistry()
    register_skill(
        "counter", "1.0.0", instructions="Count.", output_schema=SCHEMA, offline=lambda: {"a": "x"}, registry=skills
    )
    with pytest.raises(StepFailure) as caught:
        through_skill(OfflineProvider(skills))
    assert caught.value.code == "output_invalid"
    assert caught.value.details is not None and len(caught.value.details["problems"]) == 2  # type: ignore[arg-type]


def test_an_offline_function_that_breaks_has_failed() -> None:
    skills = SkillRegistry()
    register_skill("counter", "1.0.0", instructions="Count.", offline=lambda: {}["a"], registry=skills)
    with pytest.raises(StepFailure, match=r"The offline function of the skill counter@1\.0\.0 failed with KeyError"):
        through_skill(OfflineProvider(skills))
