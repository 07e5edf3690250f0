"""The node-tree form: what each construct of the tree becomes, and that it behaves as the form says."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.language.formats.reading import edges, errors, imported, places, run, step


def flow(*steps: dict[str, Any], **head: Any) -> dict[str, Any]:
    return {"code": "t", "name": "t", **head, "flow": {"type": "sequence", "steps": list(steps)}}


def put(variable: str, value: Any, **keys: Any) -> dict[str, Any]:
    return {"type": "setVariable", "variable": variable, "value": value, **keys}


def branch(condition: str | None, *steps: dict[str, Any]) -> dict[str, Any]:
    body = {"type": "sequence", "steps": list(steps)}
    return {"step": body} if condition is None else {"condition": condition, "step": body}


def one_of(*options: dict[str, Any], **keys: Any) -> dict[str, Any]:
    return {"type": "oneOf", "options": list(options), **keys}


def ends(document: dict[str, Any], result: Any, **test: Any) -> None:
    assert run(document, **({"inputs": {}} | test), expect={"status": "succeeded", "result": result}) == []


# --- single steps ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("foreign", "type_", "config"),
    [
        (
            {"type": "llmCall", "prompt": "p", "system": "s", "model": "m", "temperature": 0.5},
            "llm_call",
            {"prompt": "p", "system": "s", "model": "m", "temperature": 0.5},
        ),
        ({"type": "tool", "toolName": "x", "toolOptions": {"a": 1}}, "tool_call", {"tool": "x", "arguments": {"a": 1}}),
        ({"type": "setVariable", "variable": "v"}, "set_variable", {"variable": "v", "value": None}),
        ({"type": "evaluator", "expression": "1 + 1"}, "evaluator", {"expression": "1 + 1"}),
        ({"type": "return", "value": None}, "return", {"value": None}),
        ({"type": "throw", "message": "m"}, "throw", {"message": "m"}),
        ({"type": "throw", "message": ""}, "throw", None),
        ({"type": "end"}, "end", None),
    ],
)
def test_a_step_becomes_one_node(foreign: dict[str, Any], type_: str, config: dict[str, Any] | None) -> None:
    assert step(foreign) == {"id": "step_1", "type": type_, **({"config": config} if config else {})}
    assert places(foreign) == []


def test_retries_and_time_limits_are_kept_for_the_checks_even_if_they_are_wrong() -> None:
    node = step(put("a", 1, retry={"maxAttempts": 0, "backoffMs": -1, "jitter": True}, timeoutMs=0))
    assert node["retry"] == {"max_attempts": 0, "backoff_ms": -1, "x-jitter": True}
    assert errors(put("a", 1, retry={"maxAttempts": 0}, timeoutMs=0)) == ["retry_invalid", "timeout_invalid"]
    assert errors(put("a", 1, retry=3)) == ["retry_invalid"]


def test_parts_of_a_millisecond_are_rounded_up() -> None:
    document = put("a", 1, retry={"maxAttempts": 2, "backoffMs": 0.5}, timeoutMs=1.5)
    assert (step(document)["retry"]["backoff_ms"], step(document)["timeout_ms"]) == (1, 2)
    assert places(document) == ["/retry/backoffMs", "/timeoutMs"]


def test_a_text_that_holds_no_placeholder_stays_a_text() -> None:
    document = flow({"type": "llmCall", "prompt": 'Answer as {{"a": {{{n}}}}} or {{ no name }}.'}, inputs=[
        {"name": "n", "type": "number"}])  # fmt: skip
    expected = {"status": "succeeded", "prompts": {"step_1": ['Answer as {{"a": {5}}} or {{ no name }}.']}}
    assert run(document, inputs={"n": 5}, replies={"llm:step_1": [{"text": ""}]}, expect=expected) == []


def test_an_object_that_would_be_computed_is_told() -> None:
    assert places(put("a", {"b": [{"$expr": "1 + 1"}]})) == ["/value/b/0"]


def test_an_unknown_type_keeps_its_place_and_all_it_says() -> None:
    document = flow({"type": "loop", "maxIterations": 3, "loopFlow": {"type": "end"}})
    assert step(document) == {
        "id": "step_1",
        "type": "handler",
        "config": {"handler": "loop"},
        "x-maxIterations": 3,
        "x-loopFlow": {"type": "end"},
    }
    assert places(document)[0] == "/flow/steps/0"
    assert errors(document) == []
    assert errors({"code": "t", "flow": {"type": 3}}) == ["unknown_type"]


def test_an_agent_that_nobody_defines_is_missing() -> None:
    assert errors(flow({"type": "step", "agent": "ghost", "input": "x"})) == ["unknown_skill"]


@pytest.mark.parametrize(
    ("items", "expected"),
    [("$hits", "hits"), ("{{ a.hits }}", "a.hits"), ("hits", "hits"), ([1, "{{a}}"], [1, "{{a}}"]), (None, [])],
)
def test_items_of_a_loop(items: Any, expected: Any) -> None:
    assert step({"type": "forEach", "items": items})["config"] == {"items": expected}


# --- ids ------------------------------------------------------------------------------------------------


def test_ids_are_given_where_they_are_missing_and_never_twice() -> None:
    document = flow(put("a", 1), put("b", 2, id="step-1"), put("c", 3, id="1st"), put("d", 4, id="step_1"), put("e", 5))
    assert [node["id"] for node in imported(document).document["nodes"]] == [
        "step_2",
        "step_1",
        "_1st",
        "step_1_2",
        "step_3",
    ]
    assert places(document) == ["/flow/steps/1/id", "/flow/steps/2/id", "/flow/steps/3/id"]


# --- order and branches ---------------------------------------------------------------------------------


def test_a_sequence_with_something_of_its_own_is_a_container() -> None:
    inner = {"type": "sequence", "id": "twice", "retry": {"maxAttempts": 2}, "steps": [put("a", 1), put("b", 2)]}
    document = flow(inner, put("c", 3))
    nodes = imported(document).document["nodes"]
    assert [(node["id"], node.get("parent")) for node in nodes] == [
        ("twice", None),
        ("step_1", "twice"),
        ("step_2", "twice"),
        ("step_3", None),
    ]
    assert edges(document) == [("twice", "step_3", None), ("step_1", "step_2", None)]


@pytest.mark.parametrize(("n", "result"), [(1, "one"), (2, "two"), (3, None)])
def test_the_first_branch_that_matches_is_taken_and_none_need_be(n: int, result: Any) -> None:
    document = flow(
        one_of(branch("n === 1", put("r", "one")), branch("n <= 2", put("r", "two"))),
        inputs=[{"name": "n", "type": "number"}],
    )
    ends(document, result, inputs={"n": n})


@pytest.mark.parametrize(("n", "result"), [(1, "empty"), (2, "two"), (3, "other")])
def test_after_a_branch_the_sequence_goes_on(n: int, result: str) -> None:
    document = flow(
        put("r", "empty"),
        one_of(branch("n === 1"), branch("n === 2", put("r", "two")), branch(None, put("r", "other"))),
        {"type": "return", "value": "$r"},
        inputs=[{"name": "n", "type": "number"}],
    )
    assert errors(document) == []
    ends(document, result, inputs={"n": n})


def test_both_ways_to_write_branches_and_a_default() -> None:
    document = flow({
        "type": "oneOf",
        "branches": [{"when": "false", "flow": put("r", 1)}, {"condition": "", "steps": [put("r", 2)], "label": "x"}],
    })  # fmt: skip
    ends(document, 2)
    assert places(document) == ["/flow/steps/0/branches/1/label"]
    ends(flow({"type": "oneOf", "branches": [{"when": "false", "flow": put("r", 1)}], "default": put("r", 3)}), 3)
    ends(flow({"type": "condition", "condition": "1 > 2", "trueFlow": put("r", 1), "falseFlow": put("r", 2)}), 2)
    ends(flow({"type": "condition", "condition": "2 > 1", "trueFlow": put("r", 1)}, put("s", 5)), 5)


def test_a_condition_may_read_a_variable_called_output() -> None:
    document = flow(put("output", 7), one_of(branch("output === 7", put("r", "seven")), branch(None, put("r", "no"))))
    ends(document, "seven")


def test_a_branching_with_a_limit_of_its_own_is_a_container() -> None:
    document = flow(
        one_of(branch("true", {"type": "toolCall", "tool": "x"}), timeoutMs=1000, retry={"maxAttempts": 2}),
        put("done", True),
    )
    nodes = imported(document).document["nodes"]
    assert [(node["type"], node.get("parent")) for node in nodes[:3]] == [
        ("sequence", None),
        ("one_of", "step_1"),
        ("tool_call", "step_1"),
    ]
    replies = {"x": [{"error": "once"}, {"result": 1}]}
    assert run(document, inputs={}, replies=replies, expect={"status": "succeeded", "calls": {"x": 2}}) == []


def test_what_ends_early_is_told() -> None:
    document = flow(put("a", 1), {"type": "end", "value": "$a"}, put("b", 2))
    assert places(document) == ["/flow/steps/1"]
    assert errors(document) == []
    ends(document, 1)
    document = flow(one_of(branch("true", {"type": "return", "value": 1})), put("b", 2))
    assert places(document) == ["/flow/steps/0/options/0/step/steps/0"]
    assert places(flow(one_of(branch("true", {"type": "return"}), branch(None, {"type": "end"})))) == []
    loop = {"type": "forEach", "items": [1], "step": {"type": "return", "value": 1}}
    assert places(flow(loop)) == ["/flow/steps/0/step"]
    assert places(flow({**loop, "step": {"type": "end"}}, put("b", 2))) == []


# --- containers -----------------------------------------------------------------------------------------


def test_results_of_a_loop_are_a_list() -> None:
    body = {"type": "sequence", "steps": [put("x", "$n"), {"type": "evaluator", "expression": "n * 2 + i"}]}
    ends(flow({"type": "forEach", "items": [1, 2], "itemVariable": "n", "indexVariable": "i", "step": body}), [2, 5])


def test_results_of_a_parallel_are_a_list_where_they_can_be_seen() -> None:
    both = {"type": "parallel", "steps": [put("a", 1), {"type": "sequence", "steps": [put("b", 2), put("c", 3)]}]}
    ends(flow(both), [1, 3])
    ends(flow({"type": "forEach", "items": [1, 2], "step": both}), [[1, 3], [1, 3]])
    ends(flow({**both, "outputVariable": "all"}, {"type": "return", "value": "$all"}), [1, 3])
    ends(flow({"type": "parallel", "steps": [both, put("d", 4)]}), [[1, 3], 4])
    assert len(imported(flow(both, put("d", 4))).document["nodes"]) == 5
    ends(flow({"type": "parallel", "steps": []}), [])


def test_branches_stand_inside_a_parallel() -> None:
    choice = one_of(branch("1 === 1", put("a", 1), put("b", 2)), branch(None, put("c", 3)))
    ends(flow({"type": "parallel", "steps": [choice, put("d", 4)]}), [2, 4])


# --- the head -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("foreign", "ours", "told"),
    [
        ("shortText", "short_text", False),
        ("longText", "long_text", False),
        ("number", "number", False),
        ("url", "short_text", True),
        ("json", "object", True),
        ("fileBase64", "long_text", True),
        ("color", "short_text", True),
        (None, "short_text", True),
    ],
)
def test_types_of_inputs(foreign: str | None, ours: str, told: bool) -> None:
    document = flow(put("a", 1), inputs=[{"name": "x", "type": foreign}])
    assert imported(document).document["inputs"] == [{"name": "x", "type": ours}]
    assert places(document) == (["/inputs/0/type"] if told else [])


def test_what_is_read_and_never_set_becomes_an_input() -> None:
    document = flow(
        {
            "type": "forEach",
            "items": "$rows",
            "step": {"type": "llmCall", "prompt": "{{item}} {{who}} {{address.city}}"},
        },
        {"type": "toolCall", "tool": "x", "arguments": {"p": "$EUR", "l": "{{lines[0]}}", "k": "$known"}},
        put("known", "$steps"),
    )
    assert imported(document).document["inputs"] == [
        {"name": "rows", "type": "list", "default": []},
        {"name": "who", "type": "short_text"},
        {"name": "address", "type": "object"},
        {"name": "lines", "type": "list", "default": []},
    ]
    assert places(document) == ["/flow/steps/0", "/flow/steps/0/step", "/flow/steps/0/step", "/flow/steps/1"]
    assert errors(document) == []


def test_a_head_without_a_usable_code() -> None:
    document = {"code": "Über uns 2", "flow": put("a", 1), "theme": "dark", "x-kept": 1}
    found = imported(document)
    assert (found.document["id"], found.document["x-theme"], found.document["x-kept"]) == ("ber_uns_2", "dark", 1)
    assert places(document) == ["/code", "/theme"]
    assert errors({"code": "t", "flow": {"type": "sequence", "steps": []}}) == ["no_start"]
