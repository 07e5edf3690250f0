"""Crash schedules: where the process dies, what is lost with it, and that a lost outcome is noticed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runner.simulation.crash import BOUNDARIES, CrashPoint, Setting, crash_points, run_to_end
from runner.simulation.flow_test import prepare, run_flow_test, setting_of
from runner.simulation.flow_test_file import FlowTest
from runner.simulation.memory import MemoryStore
from runner.simulation.world import AFTER_COMMANDS, BEFORE_COMMANDS

CALL = {"id": "a", "type": "tool_call", "config": {"tool": "a"}, "output_variable": "x"}


def flow_test(effect: str = "idempotent", **more: Any) -> FlowTest:
    given = {
        "name": "t",
        "flow": {"format": 1, "id": "t", "nodes": [CALL]},
        "tools": {"a": {"effect": effect}},
        "replies": {"a": [{"result": 1, "after_ms": 5}, {"result": 2}]},
        "expect": {"status": "succeeded", "state": {"x": 1}, "calls": {"a": 1}},
    }
    return FlowTest.model_validate(given | more)


def setting(effect: str = "idempotent") -> Setting:
    return setting_of(prepare(flow_test(effect)))


def test_every_boundary_of_every_commit_is_a_crash_point() -> None:
    commits = run_to_end(setting()).world.commits
    assert len(crash_points(commits)) == commits * len(BOUNDARIES) == 9
    verdict = run_flow_test(flow_test(), crash=True)
    assert (verdict.failures, verdict.crash_points) == ([], 9)


def test_a_call_that_died_with_its_process_gives_its_reply_back_and_counts_once() -> None:
    ended = run_to_end(setting(), [CrashPoint(2, AFTER_COMMANDS)])
    assert ended.struck == (CrashPoint(2, AFTER_COMMANDS),)
    assert (ended.outcome.state, ended.outcome.given("a")) == ({"x": 1}, [{}])
    assert [event.type for event in ended.store.events if event.type == "attempt-lost"] == ["attempt-lost"]


def test_a_claim_whose_command_was_never_obeyed_is_taken_back() -> None:
    ended = run_to_end(setting(), [CrashPoint(2, BEFORE_COMMANDS)])
    assert (ended.outcome.state, ended.store.rows("steps")[0].lost) == ({"x": 1}, 1)


def test_the_process_may_die_again_while_it_recovers() -> None:
    points = [CrashPoint(2, AFTER_COMMANDS), CrashPoint(3, BEFORE_COMMANDS), CrashPoint(4, BEFORE_COMMANDS)]
    ended = run_to_end(setting(), points)
    assert len(ended.struck) == 3
    assert ended.outcome.state == {"x": 1}


def test_a_call_that_may_happen_only_once_is_not_killed_while_it_is_under_way() -> None:
    points = crash_points(run_to_end(setting("at_most_once")).world.commits)
    struck = [point for point in points if run_to_end(setting("at_most_once"), [point]).struck]
    assert [point.commit for point in struck] == [1, 1, 1, 2, 3, 3]
    assert run_flow_test(flow_test("at_most_once", flow=ALLOWED), crash=True).passed


ALLOWED = {"format": 1, "id": "t", "nodes": [CALL], "permissions": {"default": "allow"}}


def test_what_is_not_stored_is_missed_after_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    save = MemoryStore.save

    def forgetful(store: MemoryStore) -> str:
        data = json.loads(save(store))
        data["tables"]["values"] = []
        return json.dumps(data)

    monkeypatch.setattr(MemoryStore, "save", forgetful)
    verdict = run_flow_test(flow_test(), crash=True)
    assert not verdict.passed
    assert verdict.failures[0].startswith("killed ")
