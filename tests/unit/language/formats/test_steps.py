"""The steps form: handlers by name, routers as edges, joins, fan-outs, and what a run is started with."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.language.formats.reading import edges, errors, imported, places, run, step

SCHEMA = {"type": "object", "properties": {"count": {"type": "integer"}, "log": {"type": "array"}}}


def flow(start: str = "a", *, schema: Any = SCHEMA, handlers: Any = None, **steps: Any) -> dict[str, Any]:
    whole = {name: {"workerBackend": "inline", **keys} for name, keys in steps.items()}
    head = {"id": "t", "stateSchema": schema, "startStep": start, "steps": whole}
    return head if handlers is None else {**head, "handlers": handlers}


def one(**keys: Any) -> dict[str, Any]:
    return flow(a=keys)


# --- steps ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("run_", "config", "told"),
    [
        ("count_up", {"handler": "count_up"}, False),
        (None, {"handler": "a"}, False),
        ({"handler": "count_up", "options": {"by": 2}}, {"handler": "count_up", "options": {"by": 2}}, False),
        ({"state": {}}, {"handler": "a", "x-run": {"state": {}}}, True),
        (3, {"handler": "a", "x-run": 3}, True),
    ],
)
def test_a_step_is_a_handler(run_: Any, config: dict[str, Any], told: bool) -> None:
    assert step(one(run=run_)) == {"id": "a", "type": "handler", "backend": "inline", "config": config}
    assert places(one(run=run_)) == (["/steps/a/run"] if told else [])


def test_what_a_step_declares_is_kept() -> None:
    document = one(inputs=["count"], budget=2, readOnly=True, name="A", retries=3, workerBackend="host")
    assert step(document) == {
        "id": "a", "type": "handler", "name": "A", "inputs": ["count"], "backend": "host", "budget": 2,
        "read_only": True, "config": {"handler": "a"}, "x-retries": 3,
    }  # fmt: skip
    assert places(document) == ["/steps/a/retries"]


def test_handlers_may_stand_beside_the_steps() -> None:
    document = flow(
        a={}, b={"run": "own"}, handlers={"a": {"run": "first", "router": "b"}, "b": "second", "ghost": "x"}
    )
    nodes = imported(document).document["nodes"]
    assert [node["config"]["handler"] for node in nodes] == ["first", "second"]
    assert edges(document) == [("a", "b", None)]
    assert places(document) == ["/handlers/ghost"]


def test_names_that_are_no_ids_are_changed_wherever_they_stand() -> None:
    document = flow(
        "first step",
        **{
            "first step": {"router": ["my-a", "b"], "fanOut": True, "readOnly": True, "synthesis": "the-end"},
            "my-a": {"router": "the-end"},
            "b": {"router": "(s) => 'the-end'"},
            "the-end": {},
        },
    )
    assert errors(document) == []
    assert edges(document) == [
        ("first_step", "my_a", None),
        ("first_step", "b", None),
        ("my_a", "the_end", None),
        ("b", "the_end", None),
    ]
    assert [node.get("name") for node in imported(document).document["nodes"]] == [
        "first step",
        "my-a",
        None,
        "the-end",
    ]


def test_what_is_truly_missing_is_an_error() -> None:
    assert errors(one(router="ghost")) == ["edge_dangling"]
    assert errors(flow("ghost", a={})) == ["no_start"]
    assert errors(one(fanOut=True, router=["a"])) == ["fan_out_not_read_only", "fan_out_without_synthesis"]
    assert errors(one(workerBackend="moon")) == ["config_invalid"]
    assert errors(flow(schema={"type": "objekt"}, a={})) == ["state_schema_invalid"]


# --- what a run is started with -------------------------------------------------------------------------


def test_required_keys_and_what_the_first_step_reads_are_inputs() -> None:
    schema = {
        "type": "object",
        "required": ["topic", "day"],
        "properties": {
            "topic": {"type": "string", "description": "What about"},
            "day": {"type": "string", "format": "date"},
            "tone": {"enum": ["dry", "warm"]},
            "size": {"type": ["integer", "null"]},
            "any": {},
            "later": {"type": "array"},
        },
    }
    document = flow(
        schema=schema, a={"inputs": ["topic", "tone", "size", "any"], "router": "b"}, b={"inputs": ["later"]}
    )
    assert imported(document).document["inputs"] == [
        {"name": "topic", "type": "short_text", "required": True, "description": "What about"},
        {"name": "day", "type": "date", "required": True},
        {"name": "tone", "type": "choice", "options": ["dry", "warm"]},
        {"name": "size", "type": "integer"},
        {"name": "any", "type": "short_text"},
    ]
    assert places(document) == ["/stateSchema/properties/any"]
    assert errors(document) == []


# --- routers --------------------------------------------------------------------------------------------


def test_a_router_that_cannot_be_read_is_kept_and_told() -> None:
    document = one(router="(state) => { return pick(state) }")
    assert step(document)["x-router"] == "(state) => { return pick(state) }"
    assert places(document) == ["/steps/a/router"]


@pytest.mark.parametrize(
    ("count", "calls"), [(9, {"handler:b": 1}), (6, {"handler:b": 0, "handler:c": 0}), (1, {"handler:c": 1})]
)
def test_a_condition_may_end_the_flow_in_the_middle_of_a_table(count: int, calls: dict[str, int]) -> None:
    document = flow(
        a={"inputs": ["count"], "router": {"count > 8": "b", "count > 5": "TERMINAL", "else": "c"}}, b={}, c={}
    )
    handlers = {f"handler:{name}": [{"delta": {}}] for name in "abc"}
    assert (
        run(document, inputs={"count": count}, replies=handlers, expect={"status": "succeeded", "calls": calls}) == []
    )


def test_rows_after_one_that_always_holds_are_left_out() -> None:
    assert edges(flow(a={"router": [{"to": "b"}, {"when": "count > 1", "to": "c"}]}, b={}, c={})) == [("a", "b", None)]


def test_several_steps_at_once_without_a_fan_out_are_one_that_lacks_its_parts() -> None:
    document = flow(a={"router": ["b", "c"]}, b={}, c={})
    assert places(document) == ["/steps/a/router"]
    assert errors(document) == ["fan_out_not_read_only", "fan_out_without_synthesis"]


# --- joins ----------------------------------------------------------------------------------------------

FAN = {"fanOut": True, "readOnly": True, "synthesis": "z", "router": ["b", "c"]}
HANDLERS = {f"handler:{name}": [{"delta": {}}] for name in "abcdz"}


@pytest.mark.parametrize(
    ("join", "kept"),
    [
        ({"andJoin": ["b", "c"]}, "all"),
        ({"anyJoin": ["b", "c"]}, "any"),
        ({"waitFor": {"mode": "all", "steps": ["b", "c"]}}, "all"),
        ({"waitFor": {"mode": "any", "steps": ["b", "c"]}}, "any"),
        ({}, "any"),
    ],
)
def test_a_step_that_two_branches_reach_runs_once(join: dict[str, Any], kept: str) -> None:
    document = flow(a=FAN, b={"router": "d"}, c={"router": "d"}, d={**join, "router": "z"}, z={})
    assert places(document) == []
    assert next(node for node in imported(document).document["nodes"] if node["id"] == "d")["join"] == kept
    expect = {"status": "succeeded", "calls": {"handler:d": 1, "handler:z": 1}}
    assert run(document, inputs={}, replies=HANDLERS, expect=expect) == []


def test_a_synthesis_waits_for_all_whatever_it_says() -> None:
    document = flow(a=FAN, b={}, c={}, z={"anyJoin": ["b", "c"]})
    assert places(document) == ["/steps/z/anyJoin"]
    assert "join" not in imported(document).document["nodes"][-1]
    assert run(document, inputs={}, replies=HANDLERS, expect={"status": "succeeded", "calls": {"handler:z": 1}}) == []


def test_a_branch_that_says_where_it_leads_is_not_led_elsewhere() -> None:
    document = flow(a=FAN, b={"router": "TERMINAL"}, c={}, z={})
    assert ("b", "z", None) not in edges(document)
    assert errors(document) == ["synthesis_not_reached"]


def test_a_join_of_other_steps_than_lead_there_is_told() -> None:
    document = flow(a=FAN, b={"router": "d"}, c={"router": "d"}, d={"andJoin": ["b"], "router": "z"}, z={})
    assert places(document) == ["/steps/d/andJoin"]
    for wrong in ({"waitFor": "most"}, {"waitFor": {"mode": "some", "steps": []}}, {"andJoin": "b"}):
        assert places(flow(a={"router": "b"}, b=wrong))[:1] == [f"/steps/b/{next(iter(wrong))}"]


def test_any_join_in_a_loop_counts_anew_in_each_pass() -> None:
    document = flow(
        a={"router": "b"},
        b={"inputs": ["count"], "anyJoin": ["a", "c"], "router": "c"},
        c={"inputs": ["count"], "router": "count < 3 ? 'b' : TERMINAL"},
    )
    replies = {"handler:a": [{"delta": {"count": 0}}], "handler:b": [{"delta": {"count": n}} for n in (1, 2, 3)],
               "handler:c": [{"delta": {}}]}  # fmt: skip
    expect = {"status": "succeeded", "calls": {"handler:b": 3, "handler:c": 3}}
    assert run(document, inputs={}, replies=replies, expect=expect) == []


# --- oddities -------------------------------------------------------------------------------------------


def test_nothing_is_dropped_unseen() -> None:
    document = {"owner": "me", "handlers": 4, "steps": {"a": {}, "c": "no step"}}
    assert places(document) == ["/steps/c", "/handlers", "/owner"]
    assert imported(document).document["x-owner"] == "me"
