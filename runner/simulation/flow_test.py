"""Runs a flow test in the simulator: documents read and checked, run started or refused, outcome compared.

Finding files and printing verdicts is the command's (`manage.py test_flow`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from editor.language.definition import Definition
from editor.language.inputs import check_inputs
from editor.language.policy import effective
from editor.language.problems import Problem
from editor.language.schema import document_text, parse_document
from editor.language.validation import check
from runner.engine.errors import make_error
from runner.engine.program import Program, compile_program
from runner.engine.rows import RunRow, Stored, derived_id
from runner.simulation.catalog import FlowTestCatalog, catalog_of
from runner.simulation.compare import differences
from runner.simulation.crash import CrashPoint, Ended, Setting, crash_points, outcome_changes, run_to_end
from runner.simulation.flow_test_file import FlowTest, FlowTestError
from runner.simulation.outcome import Outcome
from runner.simulation.people import ActionBook, DecisionBook
from runner.simulation.standins import QueuedReplies
from runner.simulation.world import World


@dataclass
class Verdict:
    """Whether a flow test passed, and if not, why; `crash_points`: at how many boundaries it was killed."""

    name: str
    failures: list[str] = field(default_factory=list)
    crash_points: int = 0

    @property
    def passed(self) -> bool:
        """Nothing differs from what is expected."""
        return not self.failures


@dataclass
class Prepared:
    """A flow test whose documents were read. `refusal`: why its run may not start."""

    test: FlowTest
    catalog: FlowTestCatalog
    problems: tuple[Problem, ...]
    definition: Definition | None = None
    state: dict[str, Any] = field(default_factory=dict)
    refusal: dict[str, Any] | None = None

    def codes(self, severity: str) -> tuple[str, ...]:
        """The codes of the problems of one severity, each once."""
        return tuple(sorted({found.code for found in self.problems if found.severity == severity}))


def prepare(test: FlowTest) -> Prepared:
    """Read and check the documents of a test. Raises FlowTestError if one of its sub-flows cannot be read."""
    catalog = catalog_of(test, read_flows(test))
    parsed = parse_document(test.flow)
    problems = check(parsed, catalog)
    prepared = Prepared(test, catalog, tuple(problems), parsed.definition)
    errors = [found for found in problems if found.severity == "error"]
    if errors or parsed.definition is None:
        listed = "; ".join(f"{found.code} at {found.path or 'the document'}: {found.message}" for found in errors)
        prepared.refusal = make_error("flow_invalid", f"The flow has errors. {listed}")
        return prepared
    prepared.definition = as_frozen(parsed.definition)
    prepared.state, refused = check_inputs(prepared.definition, test.preset, test.inputs)
    if refused:
        prepared.refusal = make_error("validation_failed", " ".join(refused), details={"problems": refused})
    return prepared


def as_frozen(definition: Definition) -> Definition:
    """The definition as a version of it would be read back: what runs is always a version."""
    frozen = parse_document(document_text(definition)).definition
    assert frozen is not None
    return frozen


def read_flows(test: FlowTest) -> dict[tuple[str, int], Definition]:
    """The documents that a test brings along for its sub-flows, by id and version."""
    found: dict[tuple[str, int], Definition] = {}
    for name, document in test.flows.items():
        flow_id, _, version = name.partition("@")
        parsed = parse_document(document)
        if not version.isdecimal():
            raise FlowTestError(f"flows.{name}: name a flow as id@version, such as double@1.")
        if parsed.definition is None:
            listed = "; ".join(found.message for found in parsed.problems)
            raise FlowTestError(f"flows.{name} cannot be read: {listed}")
        found[(flow_id, int(version))] = as_frozen(parsed.definition)
    return found


def setting_of(prepared: Prepared, most_commits: int | None = None) -> Setting:
    """What the run of a test is made of. `most_commits`: a run that makes more transitions is given up."""
    test, definition = prepared.test, prepared.definition
    assert definition is not None
    program: Program = compile_program(definition, prepared.catalog)
    preset = definition.preset(test.preset) if test.preset is not None else None
    policy = effective(definition.policy, preset.policy if preset else None)
    run = RunRow(
        id=derived_id("flow test", test.name),
        preset=test.preset,
        inputs=Stored.of(test.inputs),
        policy=dict(policy.values),
    )

    def make_world() -> World:
        return World(
            QueuedReplies(test.replies),
            decisions=DecisionBook(test.decisions),
            actions=ActionBook(test.actions),
            most_commits=most_commits,
        )

    return Setting(program, run, prepared.state, make_world)


def simulate(prepared: Prepared, most_commits: int | None = None) -> Outcome:
    """Run a prepared test once, or say that its run was refused. Raises RunError beyond `most_commits`."""
    if prepared.refusal is not None:
        return judged(prepared, Outcome(error=prepared.refusal))
    return run_uncut(prepared, most_commits).outcome


def run_uncut(prepared: Prepared, most_commits: int | None = None) -> Ended:
    """The run of a prepared test that is not refused, while nobody kills it. Raises RunError beyond `most_commits`."""
    uncut = run_to_end(setting_of(prepared, most_commits))
    judged(prepared, uncut.outcome)
    return uncut


def judged(prepared: Prepared, outcome: Outcome) -> Outcome:
    """The outcome with what the checks of the document said."""
    outcome.problems, outcome.warnings = prepared.codes("error"), prepared.codes("warning")
    return outcome


def run_flow_test(test: FlowTest, *, crash: bool = False) -> Verdict:
    """Run a flow test in the simulator; with `crash`, again with the process killed at every boundary."""
    verdict = Verdict(test.name)
    try:
        prepared = prepare(test)
        uncut = run_uncut(prepared) if prepared.refusal is None else None
        outcome = uncut.outcome if uncut is not None else simulate(prepared)
    except (FlowTestError, AssertionError) as fault:
        verdict.failures.append(str(fault))
        return verdict
    verdict.failures = explained(test, outcome)
    if crash and verdict.passed and uncut is not None:
        _crash_everywhere(prepared, uncut, verdict)
    return verdict


def explained(test: FlowTest, outcome: Outcome) -> list[str]:
    """The differences, and what people were refused if there are any."""
    found = differences(test.expect, outcome)
    return found + [f"refused: {refusal}" for refusal in outcome.refusals] if found else []


def _crash_everywhere(prepared: Prepared, uncut: Ended, verdict: Verdict) -> None:
    for kill in kills(prepared, uncut):
        verdict.crash_points += kill.struck
        if kill.failures:
            verdict.failures += [f"killed {kill.point}: {failure}" for failure in kill.failures]
            return


@dataclass(frozen=True)
class Kill:
    """A run that was killed at one boundary: how often it was struck, what came out differently.

    `moment`: the newest event after the commit in question, `TYPE PATH`. `of`: how many boundaries the run has.
    """

    point: CrashPoint
    of: int
    moment: str
    struck: int
    failures: tuple[str, ...]


def kills(prepared: Prepared, uncut: Ended, start: int = 0, most_commits: int | None = None) -> Iterator[Kill]:
    """Run a test that passes again and again, killed at each boundary from number `start` (0 the first) on. `uncut`:
    its run while nobody killed it."""
    setting = setting_of(prepared, most_commits)
    points = crash_points(uncut.world.commits)
    for point in points[start:]:
        event = uncut.moments.get(point.commit)
        moment = "" if event is None else f"{event.type} {event.path or ''}".rstrip()
        try:
            ended = run_to_end(setting, [point])
        except AssertionError as fault:
            yield Kill(point, len(points), moment, 0, (str(fault),))
            continue
        outcome = judged(prepared, ended.outcome)
        found = differences(prepared.test.expect, outcome, crashed=True) or outcome_changes(uncut.outcome, outcome)
        yield Kill(point, len(points), moment, len(ended.struck), tuple(found))
