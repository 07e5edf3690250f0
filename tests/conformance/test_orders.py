"""Arrival orders: what no document asks for may not matter. Flow tests again, with replies that come at other times.

Where the document asks who comes first (`order_counts`), or something fails, is stopped or is counted over parallel
paths, the outcome may differ; what must hold of the rows is looked at after each commit all the same.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from runner.simulation.crash import Setting, run_to_end
from runner.simulation.flow_test import prepare, setting_of
from runner.simulation.flow_test_file import FlowTest, read_flow_test
from runner.simulation.outcome import Outcome
from runner.simulation.world import World

FILES = sorted((Path(__file__).parent).glob("[cf]*/*.json"))
ORDERS = 2
#: Nodes and keys with which a document lets time or other paths decide.
_COUNTING = ("timeout_ms", "budget", "policy", "wait", "return", "agent", "limit", "presets", "tool_group")
#: One test of so many here; other orders of random flows are tested in tests/unit/simulation.
PART = 3


def _orders_may_count(test: FlowTest) -> bool:
    text = str(test.flow)
    several = any(len(replies) > 1 or replies[0].error or replies[0].hang for replies in test.replies.values())
    asks = test.decisions or test.actions or any(f"'{word}'" in text for word in _COUNTING)
    return bool(several or asks or test.expect.status != "succeeded")


def _at_other_times(setting: Setting, random: Random) -> Setting:
    """The same with replies after other times, and ties and starts in another order."""

    def make_world() -> World:
        world = setting.make_world()
        begin = world.standins.begin

        def later(*asked: Any, **named: Any) -> Any:
            call = begin(*asked, **named)
            return replace(call, reply=call.reply.model_copy(update={"after_ms": random.randint(0, 50)}))

        world.standins.begin = later  # type: ignore[assignment, method-assign]
        world.chance = random
        return world

    return replace(setting, make_world=make_world)


def _told(outcome: Outcome) -> tuple[Any, ...]:
    route = sorted((event.type, str(event.path), event.visit or 0, event.attempt or 0) for event in outcome.public())
    return outcome.status, outcome.state, outcome.result, route


@pytest.mark.parametrize("part", range(4))
def test_the_order_of_arrivals_changes_nothing_that_the_document_does_not_leave_to_it(part: int) -> None:
    different, same = [], 0
    for place, path in enumerate(FILES[::PART]):
        if place % 4 != part:
            continue
        test = read_flow_test(path.read_bytes(), path.name)
        prepared = prepare(test)
        if prepared.refusal is not None:
            continue
        first = run_to_end(setting_of(prepared)).outcome
        free = _orders_may_count(test) or "order_counts" in prepared.codes("warning")
        for order in range(ORDERS):
            other = run_to_end(_at_other_times(setting_of(prepared), Random(f"{path.stem} {order}"))).outcome
            if not free and _told(first) != _told(other):
                different.append(f"{path.stem}: {_told(first)} and {_told(other)}")
            same += not free
    assert different == []
    assert same > 10
