"""The graph form: steps without logic, edges on keys of the output, presets, artifacts, several ways at once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.language.formats.reading import edges, errors, imported, places, run


def step(step_id: str, type_: str = "transform", **keys: Any) -> dict[str, Any]:
    return {"id": step_id, "type": type_, **keys}


def flow(*steps: dict[str, Any], wires: str = "", **head: Any) -> dict[str, Any]:
    """Write a flow; `wires` such as `a-b a-c:key` are its edges."""
    drawn = []
    for wire in wires.split():
        ends, _, condition = wire.partition(":")
        source, _, target = ends.partition("-")
        drawn.append({"from": source, "to": target, **({"condition": condition} if condition else {})})
    empty = {"id": "t", "name": "T", "version": 1, "inputs": [], "presets": [], "artifacts": []}
    return {**empty, **head, "steps": list(steps), "edges": drawn}


def letters(names: str, **fields: Any) -> list[dict[str, Any]]:
    return [step(name, fields=fields or {"n": name}) for name in names]


def node(document: dict[str, Any], node_id: str) -> dict[str, Any]:
    return next(one for one in imported(document).document["nodes"] if one["id"] == node_id)


def lost(document: dict[str, Any]) -> list[str]:
    return [place for place in places(document) if place != "/version"]


# --- edges ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "when"),
    [
        ("passed", "output['passed']"),
        ("coverage insufficient", "output['coverage insufficient']"),
        ("it's\\", "output['it\\'s\\\\']"),
        ("score > 3", "output['score > 3']"),
        ("", None),
        (None, None),
    ],
)
def test_a_condition_is_a_key_of_the_output(condition: str | None, when: str | None) -> None:
    document = flow(step("v", "verifier", checks={}), step("b", fields={}))
    document["edges"] = [{"from": "v", "to": "b", "condition": condition}]
    assert edges(document) == [("v", "b", when)]
    assert errors(document) == []
    assert lost(document) == []


def test_what_else_stands_on_an_edge_is_kept() -> None:
    document = flow(*letters("ab"))
    document["edges"] = [{"id": "e", "from": "a", "to": "b", "label": "on", "weight": 2, "condition": 5}, "no edge"]
    assert imported(document).document["edges"] == [
        {"source": "a", "target": "b", "id": "e", "label": "on", "x-weight": 2}
    ]
    assert sorted(lost(document)) == ["/edges/0/condition", "/edges/0/weight", "/edges/1"]


def test_what_is_truly_missing_is_an_error() -> None:
    assert errors(flow(*letters("ab"), wires="a-b b-ghost")) == ["edge_dangling"]
    assert errors(flow(*letters("ab"), wires="a-b b-a")) == ["no_start"]
    assert errors(flow(step("a", fields={}), step("a", fields={}))) == ["duplicate_id"]
    assert errors(flow(step("a", "agent"))) == ["config_invalid"]
    assert errors(flow(step("a", "tool_group"))) == ["config_invalid"]
    assert errors(flow({"id": "a"})) == ["unknown_type"]


@pytest.mark.parametrize(
    ("key", "result"), [("yes", {"n": "b"}), ("no", {"n": "c"}), ("other", {"yes": False, "no": False})]
)
def test_a_verifier_leads_where_its_key_is_true(key: str, result: Any) -> None:
    checks = {"yes": "key === 'yes'", "no": "key === 'no'"}
    document = flow(
        step("v", "verifier", checks=checks),
        *letters("bc"),
        wires="v-b:yes v-c:no",
        inputs=[{"id": "key", "type": "string", "required": True}],
    )
    assert lost(document) == []
    assert run(document, inputs={"key": key}, expect={"status": "succeeded", "result": result}) == []


# --- several at once ------------------------------------------------------------------------------------


def test_steps_after_one_run_at_once_and_meet() -> None:
    document = flow(
        *letters("abc"), step("d", fields={"all": "{{steps.b.output.n}}{{steps.c.output.n}}"}), wires="a-b a-c b-d c-d"
    )
    assert {"read_only": True, "fan_out": True, "synthesis": "d"}.items() <= node(document, "a").items()
    assert lost(document) == ["/edges/0"]
    assert run(document, inputs={}, expect={"status": "succeeded", "result": {"all": "bc"}}) == []


def test_fan_outs_nest_and_branches_that_end_are_brought_together() -> None:
    document = flow(*letters("abcdef"), wires="a-b a-c b-d b-e c-f")
    assert errors(document) == []
    assert node(document, "a")["synthesis"] == "a_together"
    assert node(document, "b")["synthesis"] == "b_together"
    assert ("b_together", "a_together", None) in edges(document)
    assert (
        run(document, inputs={}, expect={"status": "succeeded", "events": [f"step-complete {n} 1" for n in "def"]})
        == []
    )


def test_several_first_steps_are_started_together() -> None:
    document = flow(*letters("abc"), wires="a-c b-c")
    assert edges(document)[:2] == [("start", "a", None), ("start", "b", None)]
    assert node(document, "start")["synthesis"] == "c"
    assert errors(document) == []
    assert run(document, inputs={}, expect={"status": "succeeded", "result": {"n": "c"}}) == []


def test_a_way_back_beside_a_way_on_is_a_choice() -> None:
    document = flow(
        *letters("ab"), step("c", fields={"more": False}), step("d", fields={}), wires="a-b b-c c-d c-b:more"
    )
    assert "fan_out" not in node(document, "c")
    assert edges(document)[-2:] == [("c", "b", "output['more']"), ("c", "d", None)]
    assert lost(document) == ["/edges/2"]
    assert errors(document) == []


def test_conditions_that_may_hold_together_are_told_unless_a_verifier_gives_them() -> None:
    steps = (step("a", fields={"x": True, "y": True}), *letters("bc"))
    assert lost(flow(*steps, wires="a-b:x a-c:y")) == ["/edges/0"]
    verifier = step("a", "verifier", checks={"x": "true", "y": "false"})
    assert lost(flow(verifier, *letters("bc"), wires="a-b:x a-c:y")) == []


def test_branches_that_cannot_meet_lack_a_synthesis() -> None:
    document = flow(*letters("abc"), wires="a-b a-c b-b c-c")
    assert errors(document) == ["fan_out_without_synthesis"]
    assert lost(document) == ["/edges/0"]


def test_a_flow_that_is_too_large_to_take_apart_says_so() -> None:
    many = [step(f"s{number}", fields={}) for number in range(301)]
    document = flow(*many, wires="s0-s1 s0-s2 " + " ".join(f"s{n}-s{n + 1}" for n in range(2, 300)))
    assert lost(document) == ["/edges/0"]
    assert "fan_out" not in node(document, "s0")


# --- steps without logic --------------------------------------------------------------------------------


def test_what_a_step_works_on_is_written_from_what_comes_before_it() -> None:
    document = flow(
        step("plan", "agent", skill="planner@2"),
        step("brief"),
        step("look", "tool_group", providerRole="search"),
        step("judge", "verifier"),
        step("write", "agent", skill="writer@1", name="Write it"),
        wires="plan-brief brief-look look-judge judge-look:again judge-write:done",
        inputs=[{"id": "topic", "type": "string"}, {"id": "first-name", "type": "string"}],
    )
    given = "topic: {{inputs.topic}}\nfirst-name: {{inputs['first-name']}}"
    assert node(document, "plan")["config"] == {"skill": "planner@2", "prompt": f"T: plan\n\n{given}"}
    assert node(document, "brief")["config"]["fields"] == {
        "topic": "{{inputs.topic}}",
        "first-name": "{{inputs['first-name']}}",
        "plan": "{{steps.plan.output}}",
    }
    assert node(document, "look")["config"] == {"role": "search"}
    assert node(document, "judge")["config"]["checks"] == {
        "again": "steps.look.output['again']",
        "done": "steps.look.output['done']",
    }
    assert node(document, "write")["config"]["prompt"] == f"T: Write it\n\n{given}\n\nlook: {{{{steps.look.output}}}}"
    assert lost(document) == [f"/steps/{number}" for number in range(5)]
    assert errors(document) == ["unknown_skill", "unknown_skill"]


def test_a_step_of_another_type_keeps_its_place() -> None:
    document = flow(step("a", "browser", url="https://example.org"))
    assert node(document, "a") == {
        "id": "a",
        "type": "handler",
        "config": {"handler": "browser"},
        "x-url": "https://example.org",
    }
    assert lost(document) == ["/steps/0/type", "/steps/0/url"]


# --- artifacts ------------------------------------------------------------------------------------------

REPORT, BUNDLE = {"id": "report", "type": "md"}, {"id": "bundle", "type": "json"}


def test_one_step_writes_all_artifacts_and_its_edges_leave_the_last() -> None:
    document = flow(step("out", "artifact", content="x"), *letters("b"), wires="out-b", artifacts=[REPORT, BUNDLE])
    assert edges(document) == [("out", "out_bundle", None), ("out_bundle", "b", None)]
    expect = {"status": "succeeded", "artifacts": {"report": "x", "bundle": "x"}}
    assert run(document, inputs={}, expect=expect) == []


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({}, {}, ["report", "bundle"]),
        ({"artifact": "bundle"}, {}, ["bundle", "report"]),
        ({}, {"artifact": "report"}, ["bundle", "report"]),
    ],
)
def test_several_steps_share_the_artifacts(first: dict[str, Any], second: dict[str, Any], expected: list[str]) -> None:
    steps = (step("a", "artifact", content="x", **first), step("b", "artifact", content="x", **second))
    nodes = imported(flow(*steps, wires="a-b", artifacts=[REPORT, BUNDLE])).document["nodes"]
    assert [one["config"]["artifact"] for one in nodes] == expected


def test_a_step_without_an_artifact_declares_one() -> None:
    document = flow(step("Out", "artifact", content="x"))
    assert imported(document).document["artifacts"] == [{"id": "out", "type": "text"}]
    assert errors(document) == []
    assert lost(document) == ["/steps/0"]


# --- the head -------------------------------------------------------------------------------------------


def test_inputs_presets_and_artifacts_are_ours() -> None:
    document = flow(
        *letters("a"),
        inputs=[
            {"id": "n", "type": "number", "required": False, "default": 365, "unit": "days"},
            {"id": "o", "type": "tuple"},
        ],
        presets=[{"id": "Quick one", "policy": {"max_cost_usd": 1, "conflict_check": True}}],
        artifacts=[{"id": "r", "type": "md", "required": False}],
        policy={"max_iterations": 3},
        theme="dark",
    )
    found = imported(document).document
    assert found["inputs"] == [
        {"name": "n", "type": "number", "required": False, "default": 365, "x-unit": "days"},
        {"name": "o", "type": "short_text"},
    ]
    assert found["presets"] == [{"id": "quick_one", "policy": {"max_cost_usd": 1, "conflict_check": True}}]
    assert found["policy"] == {"max_iterations": 3}
    assert (found["x-version"], found["x-theme"]) == (1, "dark")
    assert places(document) == ["/version", "/inputs/0/unit", "/inputs/1/type", "/presets/0/id", "/theme"]
    assert errors(document) == []
