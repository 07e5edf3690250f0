"""Trying steps of a draft: in the simulator, or for real with everything before them stood in. Rights are asked before.

What stands in for a step: its pinned output, else how it ended in a past run, else the replies of a flow test.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from editor.language.catalog import Catalog
from editor.language.definition import Definition, Node
from editor.language.errors import LanguageError
from editor.language.graph import Graph
from editor.language.inputs import check_inputs
from editor.language.policy import effective
from editor.language.problems import Problem, errors_of
from editor.language.schema import parse_document
from editor.language.state_schema import StateSchema
from editor.models import Draft, Flow, KeptTest
from editor.refusals import RevisionConflictError
from editor.services import FlowInvalidError, check_document, freeze_trial
from editor.visibility import EDIT, may
from runner.engine.cutting import can_be_given, cut_off, works_outside
from runner.engine.errors import RunError
from runner.engine.events import Actor
from runner.engine.given import GivenEnd
from runner.engine.program import Program, compile_program
from runner.models import Run
from runner.services.flow_tests import as_flow_test
from runner.services.past_ends import MOST_BYTES, past_ends, size_of
from runner.services.pins import pins_of
from runner.services.programs import limits, sensitive_nodes, trial_program
from runner.services.runs import StartedRun, earlier_run, start_run
from runner.services.sensitive import Covers, carriers, sensitive_inputs
from runner.services.trial_calls import PlannedCall, possible_calls, sure_call
from runner.simulation.flow_test_file import FlowTest
from runner.simulation.people import DecisionBook
from runner.simulation.trying import TriedRun, TriedStep, try_run
from runner.store.clock import now_ms

Ends = dict[str, tuple[GivenEnd, ...]]


@dataclass(frozen=True)
class TryAsked:
    """What is tried: nodes of a document, with the values of a run (None: the newest that has some) or of `inputs`."""

    flow: Flow
    document: Mapping[str, Any]
    nodes: tuple[str, ...]
    by: Any
    catalog: Catalog
    run: Run | None = None
    inputs: Mapping[str, Any] | None = None
    preset: str | None = None


@dataclass(frozen=True)
class Missing:
    """A step for which nothing stands in. `told`: what it is, and what to do, in words."""

    node: str
    path: str
    told: str


@dataclass
class Attempt:
    """How a try went. `sources`: what stood in for each node: `pin`, `run`, `test` or `time`.

    `reached`: whether a step that is tried began. `calls`: of a try for real, what it does or may do.
    `told`: in a sentence.
    """

    program: Program
    tried: TriedRun
    inputs: dict[str, Any]
    sources: dict[str, str] = field(default_factory=dict)
    run: Run | None = None
    missing: list[Missing] = field(default_factory=list)
    calls: list[PlannedCall] = field(default_factory=list)
    reached: bool = False
    told: str = ""

    def covers(self, node: str) -> bool:
        """Whether what a node had and gave may be sensitive."""
        return node not in self.program.order or node in self._carriers

    @cached_property
    def _carriers(self) -> frozenset[str]:
        return carriers(self.program)


def simulate(asked: TryAsked) -> Attempt:
    """Try nodes in the simulator: nothing is called, nothing is saved.

    Raises FlowInvalidError for errors at what is tried, LanguageError `not_found` and `validation_failed`.
    """
    return _Ground(asked, for_real=False).attempt()


def plan(asked: TryAsked) -> Attempt:
    """What a try for real would do: the same up to the nodes, which are not stood in for. Raises as `simulate`."""
    return _Ground(asked, for_real=True).attempt()


def start_trial(
    asked: TryAsked, *, revision: int, actor: Actor, user: Any, idempotency_key: str | None = None
) -> StartedRun:
    """Start a run of the saved draft in which only these nodes do their work; nothing before them runs again.

    Raises as `plan` and `start_run` do; RevisionConflictError for another draft than was looked at; LanguageError
    `validation_failed` where something is missing before the nodes, or the way does not lead to them.
    """
    request = _request(asked, revision)
    earlier = earlier_run(actor, idempotency_key, request)  # before anything that may have changed since then
    if earlier is not None:
        return earlier
    draft = Draft.objects.get(flow=asked.flow)
    if draft.revision != revision:
        raise RevisionConflictError(draft, draft.document, revision)
    ground = _Ground(replace(asked, document=json.loads(draft.document)), for_real=True)
    found = ground.attempt()
    if found.missing or not found.reached:
        nodes = [one.node for one in found.missing]
        raise LanguageError("validation_failed", found.told, {"missing": nodes})
    trial = {"targets": list(asked.nodes), "given": ground.used(found)}
    if size_of(trial) > MOST_BYTES:
        told = "What stands in for the steps before takes more than 1 MiB. Pin smaller values."
        raise LanguageError("value_too_large", told)
    version = freeze_trial(draft.document, by=user, catalog=asked.catalog, flow=asked.flow)
    return start_run(
        version,
        inputs=found.inputs,
        preset=asked.preset,
        actor=actor,
        user=user,
        idempotency_key=idempotency_key,
        request=request,
        trial=trial,
    )


def _request(asked: TryAsked, revision: int) -> dict[str, Any]:
    return {
        "flow": asked.flow.pk,
        "try": list(asked.nodes),
        "revision": revision,
        "run": asked.run.pk if asked.run is not None else None,
        "inputs": dict(asked.inputs) if asked.inputs is not None else None,
        "preset": asked.preset,
    }


def newest_run(flow: Flow, user: Any) -> Run | None:
    """The newest run of a flow that somebody may see, that is none of its parts or tries, and in which steps ended."""
    runs = Run.objects.visible_to(user).filter(flow=flow, parent_run__isnull=True, flow_test__isnull=True)
    runs = runs.filter(trial__isnull=True, steps__gt=0).select_related("version").order_by("-started_at", "-pk")
    return runs.first()


class _Ground:
    """What a try is made of: the flow, what stands in, the first state."""

    def __init__(self, asked: TryAsked, *, for_real: bool) -> None:
        self.asked = asked
        self.for_real = for_real
        self.definition = _readable(asked)
        cut = cut_off(self.definition, asked.nodes, ())
        self.cut_nodes = {node.id: node for node in cut.nodes}
        _demand_mended(asked, self.definition, cut, self.cut_nodes)
        graph = Graph(self.definition)
        self.inside = set(asked.nodes).union(*(graph.descendants(node) for node in asked.nodes))
        self.run = asked.run or (newest_run(asked.flow, asked.by) if asked.inputs is None else None)
        self.test = _first_test(asked.flow)
        # What a run or the draft covers goes only where this document covers it too, for who may change the flow:
        # else a document that marks less would show it, or the way that is taken would tell of it.
        whole = compile_program(self.definition, asked.catalog, limits())
        may_carry = may(asked.by, EDIT, asked.flow)
        self.sensitive_keys = whole.sensitive_keys if may_carry else frozenset()
        self.covered = sensitive_nodes(whole)
        self.sensitive = self.covered if may_carry else frozenset()
        self.sources: dict[str, str] = {}
        self.ends: Ends = {}
        self._stand_in(graph)

    def _stand_in(self, graph: Graph) -> None:
        fit = {one.id for one in self.cut_nodes.values() if can_be_given(one.type)}
        fit -= {around for node in self.asked.nodes for around in graph.ancestors(node)}
        if self.for_real:
            fit -= self.inside
        pins = pins_of(self.asked.flow, self.asked.catalog) if may(self.asked.by, EDIT, self.asked.flow) else []
        for pin in pins:  # their values are for those who may change the flow
            if pin.row.node in fit and (pin.row.node in self.sensitive or not pin.is_covered):
                self._give(pin.row.node, (pin.end,), "pin")
        held = {one for node in self.ends for one in graph.descendants(node)}
        outside = [n for n in self.cut_nodes.values() if n.id in fit - held and works_outside(n)]
        wanted = [node.id for node in outside if node.id not in self.ends]
        if self.run is not None:
            covers = Covers(self.run)
            known = [node for node in wanted if node in self.sensitive or not covers.value("s", node)]
            for node_id, ends in past_ends(self.run, known).items():
                self._give(node_id, ends, "run")
        for node in outside:
            if node.id not in self.ends and _only_waits(node):
                self._give(node.id, (GivenEnd(),), "time")

    def _give(self, node: str, ends: tuple[GivenEnd, ...], source: str) -> None:
        self.ends[node], self.sources[node] = ends, source

    def inputs(self) -> dict[str, Any]:
        """The inputs: those that were asked for, else the run's, else the test's; only declared ones."""
        asked = self.asked
        if asked.inputs is not None:
            return dict(asked.inputs)
        declared = {one.name for one in self.definition.inputs}
        found: Mapping[str, Any] = {}
        if self.run is not None:
            found = self.run.value_of("inputs") or {}
            declared -= sensitive_inputs(self.run) - self.sensitive_keys
        elif self.test is not None:
            found = self.test.inputs
        return {key: value for key, value in found.items() if key in declared}

    def attempt(self) -> Attempt:
        """Run it in the simulator, and say what came of it."""
        asked, inputs = self.asked, self.inputs()
        trial = {"targets": asked.nodes, "given": {n: [e.as_json() for e in ends] for n, ends in self.ends.items()}}
        program = trial_program(self.definition, asked.catalog, trial)
        state, problems = check_inputs(self.definition, asked.preset, inputs, program.state_schema)
        if problems and asked.inputs is None and self.sensitive_keys:
            # What a state schema says of values names them; what is said of declared inputs does not.
            problems = check_inputs(self.definition, asked.preset, inputs, StateSchema(None))[1]
            problems = problems or ["The state schema refuses those that stand in."]
        if problems:
            told = f"Say with which inputs: {' '.join(problems)}"
            raise LanguageError("validation_failed", told, {"problems": problems})
        preset = self.definition.preset(asked.preset) if asked.preset is not None else None
        policy = effective(self.definition.policy, preset.policy if preset else None).values
        test = self.test
        try:
            tried = try_run(
                program,
                state,
                preset=asked.preset,
                policy=dict(policy),
                now=now_ms(),
                replies={} if test is None else test.replies,
                decisions=DecisionBook(test.decisions if test is not None and not self.for_real else ()),
                real=self.inside if self.for_real else (),
            )
        except (RunError, AssertionError) as fault:
            raise LanguageError("validation_failed", f"It cannot be tried: {fault}") from None
        found = Attempt(program, tried, inputs, dict(self.sources), self.run)
        self._judge(found)
        return found

    def _judge(self, found: Attempt) -> None:
        open_steps = found.tried.open_steps()
        works = [one for one in open_steps if not self._holds_others(one, open_steps)]
        for step in found.tried.steps:
            node = self.cut_nodes.get(step.node)
            if node is None or not works_outside(node) or step.node in self.sources or step.is_open:
                continue
            if not (self.for_real and step.node in self.inside):  # what is tried for real has failed by itself
                found.sources[step.node] = "test"
        found.reached = any(step.node in self.asked.nodes for step in found.tried.steps)
        found.calls = self._calls(found, works) if self.for_real else []
        lost = [step for step in works if not (self.for_real and step.node in self.inside)]
        found.missing = [Missing(step.node, step.path, self._why(step)) for step in lost]
        found.told = self._told(found)

    def _calls(self, found: Attempt, works: list[TriedStep]) -> list[PlannedCall]:
        """What a try for real does: first what is sure, then what may follow from it."""
        begun = [step for step in found.tried.steps if step.type == "subflow" and step.error is None]
        steps = [step for step in found.tried.steps if step.node in self.inside and (step in works or step in begun)]
        sure = [sure_call(step, self.definition.node(step.node).label) for step in steps]
        known = {call.node for call in sure}
        nodes = self.inside & self.cut_nodes.keys()
        about: dict[str, Any] = {"whole": self.definition, "flow": self.asked.flow, "by": self.asked.by}
        return sure + possible_calls(found.program, nodes, known, **about)

    def _holds_others(self, step: TriedStep, others: list[TriedStep]) -> bool:
        return any(other.path.startswith((f"{step.path}.", f"{step.path}[")) for other in others)

    def _why(self, step: TriedStep) -> str:
        node = self.definition.node(step.node)
        if step.type == "approval" or step.asks:
            what = "waits for a person"
        elif step.type == "wait":
            what = "waits for a signal"
        else:
            tool = getattr(node.config, "tool", None)
            what = f"calls {tool}" if tool else f"does work ({step.type})"
        told = f"“{node.label}” {what}, and nothing stands in for it."
        return f"{told} {self._advice(step.node)}"

    def _advice(self, node: str) -> str:
        """What to do where nothing stands in; what may be sensitive takes no pin, and gives nothing to everybody."""
        if node not in self.covered:
            return "Pin a value, or choose a run in which it ended."
        told = "What it gives may be sensitive, so it takes no pinned output."
        if may(self.asked.by, EDIT, self.asked.flow):
            return f"{told} Choose a run in which it ended, or type the inputs and try it for real, or run the flow."
        return f"{told} Somebody who may change the flow can try it with the values of a run."

    def _told(self, found: Attempt) -> str:
        if found.missing:
            return " ".join(one.told for one in found.missing)
        if found.reached:
            return ""
        names = ", ".join(f"“{self.definition.node(node).label}”" for node in self.asked.nodes)
        if found.tried.error is not None:
            covered = any(step.error is not None and found.covers(step.node) for step in found.tried.steps)
            return f"It fails before it comes to {names}: {found.tried.error.get('code' if covered else 'message', '')}"
        return f"With these values the flow takes a way that does not lead to {names}. Pin other values, or change it."

    def used(self, found: Attempt) -> dict[str, list[dict[str, Any]]]:
        """The ends that the try came by: all that a run for real needs, and nothing that it does not."""
        begun = {step.node for step in found.tried.steps}
        used = {node: [end.as_json() for end in ends] for node, ends in self.ends.items() if node in begun}
        for step in found.tried.steps:
            if found.sources.get(step.node) != "test" or step.is_open or step.path.endswith("]"):
                continue
            end = GivenEnd(step.output, step.writes, step.error, step.path, step.visit)
            used.setdefault(step.node, []).append(end.as_json())
        return used


def _readable(asked: TryAsked) -> Definition:
    definition = parse_document(dict(asked.document)).definition
    if definition is None:
        raise FlowInvalidError(check_document(asked.document, asked.catalog, asked.flow))
    return definition


def _demand_mended(asked: TryAsked, whole: Definition, cut: Definition, nodes: Mapping[str, Node]) -> None:
    """Raise FlowInvalidError for errors of what is tried; the rest of the draft may be unfinished."""
    problems = check_document(asked.document, asked.catalog, asked.flow)
    edges = {edge.id for edge in cut.edges}
    idle = {node.id for node in cut.nodes if _is_emptied(node, whole.node(node.id))}

    def concerns(found: Problem) -> bool:
        if found.edge is not None:
            return found.edge in edges
        return found.node is None or (found.node in nodes and found.node not in idle)

    standing = tuple(found for found in problems if found.severity != "error" or concerns(found))
    if errors_of(standing):
        raise FlowInvalidError(standing)


def _is_emptied(node: Node, before: Node) -> bool:
    """Whether nothing is left of what a node was to do, because it lies beside the way."""
    return node.type == "transform" and (node.type, node.config) != (before.type, before.config)


def _only_waits(node: Node) -> bool:
    return node.type == "wait" and getattr(node.config, "signal", None) is None


def _first_test(flow: Flow) -> FlowTest | None:
    """The first test of a flow by name that can be read: its replies stand in where nothing else does."""
    for kept in KeptTest.objects.filter(flow=flow).order_by("name").iterator():
        try:
            return as_flow_test({**json.loads(kept.content), "flow": {}})
        except LanguageError:
            continue
    return None
