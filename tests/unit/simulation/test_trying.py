"""Trying a part of a flow: what is cut off, ends that are given instead of worked out, crashes that change nothing."""

from __future__ import annotations

from typing import Any

import pytest

from editor.language.catalog import SitePolicy, StaticCatalog, ToolSpec
from editor.language.definition import Definition
from editor.language.errors import LanguageError
from editor.language.schema import parse_document
from runner.engine.cutting import cut_off
from runner.engine.given import GivenEnd, GivenEnds
from runner.engine.program import Program, compile_program
from runner.engine.rows import RunRow, Stored
from runner.simulation.crash import Setting, crash_points, outcome_changes, run_to_end
from runner.simulation.flow_test_file import Reply
from runner.simulation.standins import QueuedReplies
from runner.simulation.trying import TriedRun, try_run
from runner.simulation.world import World

CATALOG = StaticCatalog(
    tool_specs={"a": ToolSpec("a", "", {}), "pay": ToolSpec("pay", "", {}, effect="at_most_once")},
    site=SitePolicy(default="allow"),
)


def call(node: str, tool: str = "a", arguments: Any = None, **more: Any) -> dict[str, Any]:
    return {"id": node, "type": "tool_call", "config": {"tool": tool, "arguments": arguments or {}}, **more}


def definition(nodes: list[dict[str, Any]], edges: list[str], **more: Any) -> Definition:
    """An edge is written `source>target`, or `source>target:outcome`, or `source>target?condition`."""
    drawn = []
    for number, edge in enumerate(edges):
        ends, _, when = edge.partition("?")
        ends, _, outcome = ends.partition(":")
        source, _, target = ends.partition(">")
        drawn.append(
            {"id": f"e{number}", "source": source, "target": target, **({"on": outcome} if outcome else {}),
             **({"when": when} if when else {})}
        )  # fmt: skip
    parsed = parse_document({"format": 1, "id": "f", "nodes": nodes, "edges": drawn, **more})
    assert parsed.definition is not None, parsed.problems
    return parsed.definition


def program(flow: Definition, targets: list[str], given: dict[str, list[GivenEnd]]) -> Program:
    ends = {node: tuple(listed) for node, listed in given.items()}
    return compile_program(cut_off(flow, targets, ends), CATALOG, None, GivenEnds(ends))


def tried(flow: Definition, target: str, given: dict[str, Any] | None = None, **state: Any) -> TriedRun:
    ends = {node: [value if isinstance(value, GivenEnd) else GivenEnd(value)] for node, value in (given or {}).items()}
    return try_run(program(flow, [target], ends), state, policy={}, now=0)


def ran(run: TriedRun) -> dict[str, str]:
    return {step.path: step.status for step in run.steps}


CHAIN = definition(
    [call("one", output_variable="x"), {"id": "up", "type": "transform", "config": {"fields": {"v": "{{x}}"}}},
     call("two", "pay", {"amount": "{{x}}", "more": "{{steps.up.output.v}}"}), call("after")],
    ["one>up", "up>two", "two>after"],
)  # fmt: skip


def test_a_step_gets_what_is_given_for_those_before_it_and_nothing_comes_after():
    run = tried(CHAIN, "two", {"one": 7, "two": {"paid": True}})
    assert ran(run) == {"one": "succeeded", "up": "succeeded", "two": "succeeded"}
    assert run.status == "succeeded"
    assert run.steps[-1].output == {"paid": True}


def test_where_nothing_stands_in_the_try_stops_and_says_with_what_it_would_have_been_called():
    run = tried(CHAIN, "two", {"one": 7})
    (waiting,) = run.open_steps()
    assert (waiting.node, waiting.given) == ("two", {"tool": "pay", "arguments": {"amount": 7, "more": 7}})
    assert [step.node for step in tried(CHAIN, "two").open_steps()] == ["one"]


def test_a_time_limit_never_comes_while_nothing_stands_in():
    flow = definition([call("one", timeout_ms=10), call("two"), call("late")], ["one>two", "one>late:timeout"])
    assert ran(tried(flow, "two")) == {"one": "running"}


def test_a_given_error_leaves_by_the_edge_for_it():
    flow = definition([call("one"), call("two"), call("rescue")], ["one>two", "one>rescue:error"])
    broken = GivenEnd(error={"code": "tool_failed", "message": "It is down."})
    run = tried(flow, "rescue", {"one": broken, "rescue": 1})
    assert ran(run) == {"one": "failed", "rescue": "succeeded"}


def test_a_given_rejection_of_an_approval_leaves_by_its_edge():
    ask = {"id": "ask", "type": "approval", "config": {"title": "Pay?"}}
    flow = definition([ask, call("yes"), call("no")], ["ask>yes", "ask>no:rejected"])
    refused = GivenEnd(error={"code": "tool_denied", "message": "No."})
    assert ran(tried(flow, "no", {"ask": refused, "no": 1})) == {"ask": "failed", "no": "succeeded"}
    assert ran(tried(flow, "yes", {"ask": {}, "yes": 1})) == {"ask": "succeeded", "yes": "succeeded"}


def test_a_way_that_is_not_tried_does_nothing():
    which = {"id": "which", "type": "one_of"}
    flow = definition([which, call("big", "pay"), call("small"), call("end")],
                      ["which>big?amount > 10", "which>small", "big>end", "small>end"])  # fmt: skip
    assert ran(tried(flow, "small", {"small": 1}, amount=1)) == {"which": "succeeded", "small": "succeeded"}
    run = tried(flow, "small", {"small": 1}, amount=100)
    assert ran(run) == {"which": "succeeded", "big": "succeeded"}, "the other way is gone, and calls nothing"
    assert run.status == "succeeded"


def test_a_loop_around_a_step_goes_round_once():
    flow = definition([call("one"), call("two"), call("back")], ["one>two", "two>back", "back>one"], start="one",
                      policy={"max_iterations": 5})  # fmt: skip
    assert ran(tried(flow, "two", {"one": 1, "two": 2})) == {"one": "succeeded", "two": "succeeded"}


def test_a_step_in_a_loop_over_items_runs_for_the_first_one():
    each = {"id": "each", "type": "for_each", "config": {"items": [1, 2, 3], "concurrency": 3}}
    flow = definition(
        [each, call("in", "a", {"item": "{{item}}"}, parent="each"), call("next", parent="each"), call("out")],
        ["in>next", "each>out"],
    )
    run = tried(flow, "in", {"in": GivenEnd("done")})
    assert [step.path for step in run.steps if step.node == "in"] == ["each[0].in"]
    assert run.status == "succeeded"


def test_a_container_whose_end_is_given_runs_nothing_of_what_it_holds():
    each = {"id": "each", "type": "for_each", "config": {"items": [1, 2]}, "output_variable": "all"}
    flow = definition([each, call("in", "pay", parent="each"), call("out", "a", {"n": "{{all}}"})], ["each>out"])
    run = tried(flow, "out", {"each": [5, 6]})
    assert [step.path for step in run.steps] == ["each", "out"]
    assert run.steps[-1].given["arguments"] == {"n": [5, 6]}


def test_ends_of_single_iterations_go_before_what_is_given_for_the_node():
    each = {"id": "each", "type": "for_each", "config": {"items": [1, 2]}, "output_variable": "all"}
    flow = definition([each, call("in", parent="each"), call("out", "a", {"n": "{{all}}"})], ["each>out"])
    ends = [GivenEnd("first", path="each[0].in", visit=1), GivenEnd("other")]
    run = try_run(program(flow, ["out"], {"in": ends}), {}, policy={}, now=0)
    assert run.steps[-1].given["arguments"] == {"n": ["first", "other"]}


def test_a_branch_of_a_fan_out_runs_without_the_others():
    fork = {"id": "fork", "type": "transform", "config": {"fields": {}}, "read_only": True, "fan_out": True,
            "synthesis": "meet"}  # fmt: skip
    flow = definition(
        [fork, call("left", read_only=True), call("right", "pay", read_only=True), call("meet")],
        ["fork>left", "fork>right", "left>meet", "right>meet"],
    )
    run = tried(flow, "left", {"left": 1})
    assert {step.node for step in run.steps if step.type == "tool_call"} == set()
    assert ran(run)["fork[left].left" if "fork[left].left" in ran(run) else "left"] == "succeeded"
    assert run.status == "succeeded"


def test_a_handler_whose_end_is_given_sets_what_it_would_have_set():
    handler = {"id": "h", "type": "handler", "config": {"handler": "h"}, "writes": ["k"]}
    flow = definition([handler, call("two", "a", {"k": "{{k}}"})], ["h>two"])
    run = tried(flow, "two", {"h": GivenEnd(None, {"k": 3})})
    assert run.open_steps()[0].given["arguments"] == {"k": 3}


def test_what_no_way_leads_to_cannot_be_tried():
    with pytest.raises(LanguageError, match="No way leads to"):
        cut_off(definition([call("one"), call("two")], [], start="one"), ["two"], ())
    with pytest.raises(LanguageError, match="no node"):
        cut_off(CHAIN, ["gone"], ())


def test_several_steps_that_follow_each_other_are_tried_together():
    cut = cut_off(CHAIN, ["two", "after"], ("one",))
    assert [node.id for node in cut.nodes] == ["one", "up", "two", "after"]
    assert {edge.id for edge in cut.edges} == {"e0", "e1", "e2"}


def test_a_promised_artifact_is_not_asked_for():
    artifact = {"id": "make", "type": "artifact", "config": {"artifact": "report", "content": "x"}}
    flow = definition([call("one"), artifact], ["one>make"], artifacts=[{"id": "report", "type": "text"}])
    assert tried(flow, "one", {"one": 1}).status == "succeeded"


def test_what_may_be_sensitive_stays_so_although_its_end_is_given():
    flow = definition([call("one", "a", {"k": "{{key}}"}, output_variable="x"), call("two")], ["one>two"],
                      inputs=[{"name": "key", "type": "short_text", "sensitive": True}])  # fmt: skip
    ends = {"one": (GivenEnd("secret words"),)}
    sealed = compile_program(cut_off(flow, ["two"], ends), CATALOG, None, GivenEnds(ends, frozenset({"one"})))
    run = try_run(sealed, {"key": "k"}, policy={}, now=0)
    assert "secret words" not in repr(run.events)
    assert sealed.node("one").sensitive


def test_killed_at_every_boundary_the_same_comes_of_it():
    ends = {"one": [GivenEnd(7, {"also": 1})]}
    cut = program(replace_tool(CHAIN), ["two"], ends)

    def world() -> World:
        return World(QueuedReplies({"a": [Reply(result=1, after_ms=5)]}))

    setting = Setting(cut, RunRow(id="t", inputs=Stored.of({})), {}, world)
    whole = run_to_end(setting)
    assert whole.outcome.state == {"x": 7, "also": 1}
    assert whole.outcome.given("a") == [{"amount": 7, "more": 7}]
    points = crash_points(whole.world.commits)
    assert len(points) > 9
    for point in points:
        ended = run_to_end(setting, [point])
        assert ended.struck == (point,)
        assert outcome_changes(whole.outcome, ended.outcome) == []


def replace_tool(flow: Definition) -> Definition:
    """The same flow with a call that may be repeated, so that it can be killed while it is made."""
    nodes = [one if one.id != "two" else with_tool(one) for one in flow.nodes]
    return flow.model_copy(update={"nodes": tuple(nodes)})


def with_tool(node: Any) -> Any:
    return node.model_copy(update={"config": node.config.model_copy(update={"tool": "a"})})
