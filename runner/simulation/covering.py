"""Runs flow tests and random flows only to see which pairs of status and happening come about. Verdicts are others'."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from random import Random

from runner.engine.errors import RunError
from runner.simulation.crash import CrashPoint, Setting, fork_to_end, run_to_end
from runner.simulation.flow_test import prepare, setting_of
from runner.simulation.flow_test_file import FlowTest
from runner.simulation.prober import Prober
from runner.simulation.random_flows import random_flow
from runner.simulation.random_runs import SCHEDULES
from runner.simulation.random_runs import setting_of as setting_of_random
from runner.simulation.transitions import Transitions
from runner.simulation.world import AFTER_COMMANDS, BEFORE_COMMANDS, World

#: Where each flow test loses its worker, so that claims are lost and taken up.
_CRASHES = (CrashPoint(2, AFTER_COMMANDS), CrashPoint(4, BEFORE_COMMANDS))


def cover(tests: Iterable[FlowTest], seeds: Iterable[int]) -> Transitions:
    """Run all of these, each from its start and from an event in its middle; gives what was exercised.

    Raises AssertionError where something happens that must not.
    """
    transitions = Transitions()
    for test in tests:
        prepared = prepare(test)
        if prepared.refusal is None:
            _run(_watched(setting_of(prepared), test.name, transitions), _CRASHES)
    for seed in seeds:
        setting = setting_of_random(random_flow(seed), SCHEDULES, chance=SCHEDULES)
        _run(_watched(setting, f"random flow {seed}", transitions), ())
    return transitions


def _watched(setting: Setting, name: str, transitions: Transitions) -> Setting:
    def make_world() -> World:
        world = setting.make_world()
        world.transitions, world.prober = transitions, Prober(Random(name), transitions)
        return world

    return replace(setting, make_world=make_world)


def _run(setting: Setting, crashes: tuple[CrashPoint, ...]) -> None:
    ended = run_to_end(setting, crashes)
    try:
        fork_to_end(ended.root, max(1, ended.store.seen.seq // 2), setting.make_world())
    except RunError as refused:
        if refused.code != "run_finished":
            raise
