"""A flow of which a part was cut out does what it did before: random flows, random selections, both simulated."""

from __future__ import annotations

import hashlib
from collections import Counter
from random import Random
from typing import Any

import pytest

from editor.language.canonical import canonical_text
from editor.language.extracting import ExtractionRefusedError, extract
from editor.language.schema import parse_document
from runner.engine.program import compile_program
from runner.engine.rows import RunRow, derived_id
from runner.simulation.catalog import FlowTestCatalog, catalog_of
from runner.simulation.crash import Setting, run_to_end
from runner.simulation.flow_test import as_frozen
from runner.simulation.flow_test_file import FlowTest, Reply
from runner.simulation.outcome import Outcome
from runner.simulation.random_flows import RandomFlow, random_flow
from runner.simulation.standins import AnsweredCalls, Identity
from runner.simulation.world import World

PART = "part"
SEEDS = range(1, 41)
TRIES = 8


def _catalog(flow: RandomFlow, parts: dict[str, dict[str, Any]]) -> FlowTestCatalog:
    test = FlowTest.model_validate(
        {"name": "random", "flow": {}, "replies": {tool: [{}] for tool in flow.tools}, "expect": {}}
    )
    read = {flow_id: parse_document(one).definition for flow_id, one in {"child": flow.child, **parts}.items()}
    return catalog_of(test, {(flow_id, 1): as_frozen(one) for flow_id, one in read.items() if one is not None})


def _outcome(flow: RandomFlow, document: dict[str, Any], parts: dict[str, dict[str, Any]]) -> Outcome:
    """What the simulator makes of a document; a call gives what its tool and arguments say, wherever it stands."""

    def reply(queue: str, who: Identity, given: Any) -> Reply:
        if who[2] <= flow.fails.get(queue, 0):
            return Reply.model_validate({"error": f"{queue} fails"})
        drawn = hashlib.sha256(f"{flow.seed} {queue} {canonical_text(given)}".encode()).digest()
        result = {"n": drawn[0] % 10, "ok": drawn[1] % 3 > 0, "list": [drawn[2] % 7, drawn[3] % 4]}
        return Reply.model_validate({"result": result})

    parsed = parse_document(document)
    assert parsed.definition is not None
    definition = as_frozen(parsed.definition)
    run = RunRow(id=derived_id("extracting", flow.seed), policy=dict(definition.policy.values))
    program = compile_program(definition, _catalog(flow, parts))
    return run_to_end(Setting(program, run, {}, lambda: World(AnsweredCalls(reply)))).outcome


def _calls(outcome: Outcome) -> Counter[tuple[str, str]]:
    """Which calls were made, how often: when each of them ends may differ by the step around it."""
    queues = {call.queue for call in outcome.calls}
    return Counter((queue, canonical_text(one)) for queue in queues for one in outcome.given(queue))


def _selections(document: dict[str, Any], random: Random) -> list[list[str]]:
    """Nodes of one container that lie beside one another, mostly."""
    found: list[list[str]] = []
    for _ in range(TRIES):
        first = random.choice(document["nodes"])
        beside = [one["id"] for one in document["nodes"] if one.get("parent") == first.get("parent")]
        start, length = random.randrange(len(beside)), random.randint(1, 5)
        found.append(beside[start : start + length])
    return found


def compare(flow: RandomFlow, nodes: list[str]) -> bool:
    """Whether the nodes can be cut out; if so, both runs are compared."""
    try:
        made = extract(flow.document, nodes, part_id=PART, name="Part", catalog=_catalog(flow, {}))
    except ExtractionRefusedError:
        return False
    before = _outcome(flow, flow.document, {})
    after = _outcome(flow, made.document, {PART: made.part})
    told = f"seed {flow.seed}, nodes {nodes}"
    assert after.status == before.status, told
    assert after.result == before.result, told
    assert (after.error or {}).get("code") == (before.error or {}).get("code"), told
    assert _calls(after) == _calls(before), told
    return True


@pytest.mark.parametrize("seed", SEEDS)
def test_a_flow_does_the_same_with_a_part_cut_out(seed: int) -> None:
    flow = random_flow(seed)
    for nodes in _selections(flow.document, Random(f"selection {seed}")):
        compare(flow, nodes)


@pytest.mark.parametrize("seed", [202, 295])
def test_a_part_in_a_loop_with_several_at_once(seed: int) -> None:
    flow = random_flow(seed)
    cut = [compare(flow, nodes) for nodes in _selections(flow.document, Random(f"selection {seed}"))]
    assert any(cut)
