"""Runs random flows and compares: any order of ends, any crashes and any fork must come to the same end.

Each finding names its seed; `manage.py test_flow --random 1 --seed N` shows it again.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Any

from editor.language.canonical import canonical_text
from editor.language.definition import Definition
from editor.language.schema import parse_document
from runner.engine.errors import RunError
from runner.engine.program import compile_program
from runner.engine.replay import ReplayError
from runner.engine.rows import RunRow, StepRow, derived_id
from runner.engine.statuses import ScopeStatus, StepStatus
from runner.simulation.catalog import catalog_of
from runner.simulation.compare import equal, show
from runner.simulation.crash import (
    BOUNDARIES,
    CrashPoint,
    Ended,
    Setting,
    fork_to_end,
    outcome_changes,
    run_to_end,
)
from runner.simulation.flow_test import as_frozen
from runner.simulation.flow_test_file import Action, FlowTest
from runner.simulation.memory import MemoryStore
from runner.simulation.outcome import Outcome, outcome_of_runs
from runner.simulation.people import ActionBook
from runner.simulation.random_flows import RandomFlow, random_flow
from runner.simulation.runs import SimulatedRun
from runner.simulation.standins import AnsweredCalls, Call
from runner.simulation.storms import Answers, Storm
from runner.simulation.world import World

SCHEDULES = 3
CRASHES = 3
FORKS = 2
STORMS = 3


def findings(seed: int) -> list[str]:
    """What is wrong with the runs of one random flow; empty if nothing is."""
    flow = random_flow(seed)
    again = f"seed {seed} (manage.py test_flow --random 1 --seed {seed})"
    try:
        found = _compare_schedules(flow) + _compare_crashes(flow) + _compare_forks(flow)
    except (AssertionError, ReplayError) as fault:
        found = [str(fault)]
    return [f"{again}: {one}" for one in found]


def as_flow_test(seed: int) -> FlowTest:
    """A random flow as a flow test that expects what the simulator makes of it: for other ways of running."""
    flow = random_flow(seed)
    outcome = run_to_end(setting_of(flow, 0)).outcome
    replies: dict[str, list[Any]] = {}
    for call in outcome.calls:
        replies.setdefault(call.queue, []).append(call.reply.model_dump(mode="json", exclude_unset=True))
    expect: dict[str, Any] = {"status": outcome.status, "state": outcome.state, "result": outcome.result}
    expect["args"] = {queue: outcome.given(queue) for queue in replies}
    if outcome.error is not None:
        expect["error"] = {key: outcome.error[key] for key in ("code", "path")}
    silent: dict[str, list[Any]] = {tool: [{}] for tool in flow.tools}
    given = {"name": f"random flow {seed}", "flow": flow.document, "replies": silent | replies, "expect": expect}
    given["flows"] = {"child@1": flow.child}
    return FlowTest.model_validate(given)


def setting_of(flow: RandomFlow, schedule: int, chance: int | None = None) -> Setting:
    """The run of a random flow under one schedule; with `chance`, ties and starts come in random order too."""
    definition, child = _definition(flow.document), _definition(flow.child)
    test = FlowTest.model_validate(
        {"name": "random", "flow": {}, "replies": {tool: [{}] for tool in flow.tools}, "expect": {}}
    )
    program = compile_program(definition, catalog_of(test, {("child", 1): child}))
    run = RunRow(id=derived_id("random flow", flow.seed), policy=dict(definition.policy.values))

    def make_world() -> World:
        calls = AnsweredCalls(lambda queue, who, given: flow.reply(who, queue, given, schedule))
        if chance is None:
            return World(calls)
        random = Random(f"chance {flow.seed} {chance}")
        paused = chance == SCHEDULES
        return World(calls, actions=ActionBook(_pause(random) if paused else ()), chance=random, moves=int(paused))

    return Setting(program, run, {}, make_world)


def _pause(random: Random) -> list[Action]:
    """A person pauses the run somewhere, moves it perhaps, and resumes it later: that changes nothing but times."""
    pause = {"when": "flow-start", "after_ms": random.randint(0, 120), "do": "pause"}
    resume = {"when": "run-paused", "after_ms": random.randint(0, 120), "do": "resume"}
    return [Action.model_validate(pause), Action.model_validate(resume)]


def _definition(document: dict[str, Any]) -> Definition:
    parsed = parse_document(document)
    if parsed.definition is None:
        raise AssertionError(f"the generated document is not readable: {parsed.problems[0].message}")
    return as_frozen(parsed.definition)


def _compare_schedules(flow: RandomFlow) -> list[str]:
    """Every order in which ends may come must give the same state, route and result."""
    ended = run_to_end(setting_of(flow, 0))
    first = ended.outcome
    found = _still_alive(first) + _lost_writes(ended)
    for schedule in range(1, SCHEDULES + 1):
        other = run_to_end(setting_of(flow, schedule, chance=schedule)).outcome
        found += [f"schedule {schedule}: {one}" for one in _route_changes(first, other)]
    return found


def _still_alive(outcome: Outcome) -> list[str]:
    return [] if outcome.status in ("succeeded", "failed") else [f"the run ended as {outcome.status}"]


def _lost_writes(ended: Ended) -> list[str]:
    """Every write that builds on others must count once, whatever joined where: an account apart from the engine's.

    The flows write `log`, `total` and `object` in no other way. A scope that failed keeps its writes to itself.
    """
    if any(scope.status is ScopeStatus.CLOSED for scope in ended.store.rows("scopes")):
        return []
    log: list[Any] = []
    total, keys = 0, set()
    for row in ended.store.rows("steps"):
        for key, mode, operand in _delta(ended, row) if row.status is StepStatus.SUCCEEDED else []:
            if key == "log":
                log += operand if mode == "extend" else [operand]
            elif key == "total":
                total += operand
            elif key == "object":
                keys |= operand.keys()
    state = ended.outcome.state
    found = []
    if sorted(map(canonical_text, state.get("log", []))) != sorted(map(canonical_text, log)):
        found.append(f"log is {show(state.get('log'))}, its writes were {show(log)}")
    if state.get("total", 0) != total:
        found.append(f"total is {state.get('total')}, its writes add up to {total}")
    if state.get("object", {}).keys() != keys:
        found.append(f"object is {show(state.get('object'))}, its writes set {sorted(keys)}")
    return found


def _delta(ended: Ended, row: StepRow) -> list[Any]:
    if row.delta is None:
        return []
    written: list[Any] = json.loads(row.delta.text or ended.store.load(row.delta.ref or ""))
    return written


def _route_changes(first: Outcome, other: Outcome) -> list[str]:
    found = _end_changes(first, other)
    routes = (_route(first), _route(other))
    if routes[0] != routes[1]:
        only = [sorted(set(routes[0]) - set(routes[1])), sorted(set(routes[1]) - set(routes[0]))]
        found.append(f"route: only at first {only[0]}, only now {only[1]}")
    return found


def _end_changes(first: Outcome, other: Outcome) -> list[str]:
    facts = {"status": "status", "state": "state", "result": "result", "error": "error"}
    return [
        f"{name}: {show(getattr(first, name))} at first, {show(getattr(other, name))} now"
        for name in facts
        if not equal(getattr(first, name), getattr(other, name))
    ]


def _route(outcome: Outcome) -> list[str]:
    """Which step did what, in an order of its own."""
    return sorted(
        f"{event.type} {event.path} {event.visit} {event.attempt} {event.data.get('target', '')}"
        for event in outcome.public()
        if event.type not in ("run-paused", "run-resumed", "run-moved")
    )


def _compare_crashes(flow: RandomFlow) -> list[str]:
    """A run that dies at random boundaries must come to the same end, event by event."""
    random = Random(f"crash {flow.seed}")
    setting = setting_of(flow, 0)
    whole = run_to_end(setting)
    found: list[str] = []
    for _ in range(CRASHES):
        # Two at most: an attempt that loses its worker three times is given up.
        points = {
            CrashPoint(random.randint(1, whole.world.commits), random.choice(BOUNDARIES))
            for _ in range(random.randint(1, 2))
        }
        crashed = run_to_end(setting, points)
        told = ", ".join(str(point) for point in sorted(points))
        found += [f"killed {told}: {one}" for one in outcome_changes(whole.outcome, crashed.outcome)]
    return found


def _compare_forks(flow: RandomFlow) -> list[str]:
    """A fork from any event, with nothing changed, must come to the same end; so must a fork of that fork."""
    random = Random(f"fork {flow.seed}")
    setting = setting_of(flow, 0)
    whole = run_to_end(setting)
    found: list[str] = []
    for _ in range(FORKS):
        ended, told = whole, ""
        for _ in range(2):
            seq = random.randint(1, ended.store.seen.seq)
            told += f"forked at {seq}: "
            try:
                ended = fork_to_end(ended.root, seq, setting.make_world())
            except RunError as refusal:
                if refusal.code != "run_finished":
                    found.append(f"{told}{refusal.message}")
                break
            found += [f"{told}{one}" for one in _end_changes(whole.outcome, ended.outcome)]
    return found


# Storms


@dataclass(frozen=True)
class Storms:
    """What the storms of one random flow gave: findings, transitions made, and the faults that struck."""

    found: list[str]
    transitions: int
    struck: Counter[str]


def storm_findings(seed: int, storms: int = STORMS) -> Storms:
    """Send one random flow through storms; in the last of them somebody cancels the run.

    The others must come to the end of a calm run: state, route, result, use and what each attempt calls with.
    """
    flow = random_flow(seed)
    calm = run_to_end(setting_of(flow, 0))
    found, transitions, struck = [], calm.world.commits, Counter[str]()
    for number in range(1, storms + 1):
        storm = _storm(flow, number)
        is_canceled = number == storms > 1
        if is_canceled:
            storm.cancel_after(Random(f"cancel {seed} {number}").randint(0, 2_000))
        try:
            storm.run()
            if not is_canceled:
                outcome = outcome_of_runs(storm.runs, _calls(storm), storm.world.last_change)
                found += [f"storm {number}: {one}" for one in _calm_changes(calm.outcome, outcome)]
        except (AssertionError, ReplayError) as fault:
            found.append(f"storm {number}: {fault}")
        transitions += storm.world.commits
        struck += storm.struck
    again = f"seed {seed} (manage.py simulate --runs 1 --seed {seed})"
    return Storms([f"{again}: {one}" for one in found], transitions, struck)


def _storm(flow: RandomFlow, number: int) -> Storm:
    setting = setting_of(flow, 0)
    world = World(Answers(lambda queue, who, given: flow.reply(who, queue, given, 0)))
    return Storm(
        [SimulatedRun(setting.program, MemoryStore(setting.run))], world, Random(f"storm {flow.seed} {number}")
    )


def _calls(storm: Storm) -> list[Call]:
    calls: list[Call] = getattr(storm.world.standins, "calls", [])
    return calls


def _calm_changes(calm: Outcome, other: Outcome) -> list[str]:
    found = _route_changes(calm, other)
    if calm.usage != other.usage:
        found.append(f"use: {calm.usage} at first, {other.usage} now")
    calls = [{call.identity: canonical_text(call.given) for call in one.calls} for one in (calm, other)]
    if calls[0] != calls[1]:
        different = sorted(dict(calls[0].items() ^ calls[1].items()))
        found.append(f"calls: not the same by {different}")
    return found
