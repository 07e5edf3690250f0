"""Random flows come to the same end for every order of ends and every crash; each seed is a flow of its own.

`manage.py test_flow --random 1000 --seed 1` runs as many as one likes; a finding names its seed.
"""

from __future__ import annotations

import pytest

from editor.language.schema import parse_document
from runner.simulation.crash import run_to_end
from runner.simulation.random_flows import random_flow
from runner.simulation.random_runs import findings, setting_of

SEEDS = range(1, 9)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_flow_comes_to_one_end(seed: int) -> None:
    assert findings(seed) == []


def test_a_seed_always_gives_the_same_flow() -> None:
    assert random_flow(5) == random_flow(5)
    assert random_flow(5).document != random_flow(6).document


def test_random_flows_use_what_the_engine_offers() -> None:
    flows = [random_flow(seed) for seed in range(200)]
    assert all(parse_document(flow.document).definition is not None for flow in flows)
    types = {node["type"] for flow in flows for node in flow.document["nodes"]}
    assert types >= {"parallel", "for_each", "sequence", "one_of", "tool_call", "transform", "set_variable", "subflow"}
    assert any(node.get("fan_out") for flow in flows for node in flow.document["nodes"])
    assert any(node.get("join") == "active" for flow in flows for node in flow.document["nodes"])
    assert any(edge.get("on") == "limit" for flow in flows for edge in flow.document["edges"])


def test_random_runs_reach_the_far_corners() -> None:
    outcomes = [run_to_end(setting_of(random_flow(seed), 0)).outcome for seed in range(1, 31)]
    seen = {event.type for outcome in outcomes for event in outcome.events}
    assert seen >= {"step-retry", "step-error", "path-ended", "scope-joined", "attempt-start"}
    assert {outcome.status for outcome in outcomes} == {"succeeded", "failed"}
