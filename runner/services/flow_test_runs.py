"""Running kept tests in the simulator: against a draft, and killed at every boundary. Nothing real is called."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from editor.installed import installed_catalog
from editor.language.catalog import Catalog
from editor.language.errors import LanguageError
from editor.models import Flow, KeptTest
from runner.engine.errors import RunError
from runner.engine.events import Event
from runner.services.flow_test_files import whole_test
from runner.services.flow_tests import as_flow_test
from runner.simulation.compare import Difference, found_differences
from runner.simulation.crash import CrashPoint
from runner.simulation.flow_test import kills, prepare, run_uncut, simulate
from runner.simulation.flow_test_file import FlowTest, FlowTestError
from runner.simulation.outcome import Outcome
from runner.simulation.recording import Offer, offers_of
from runner.simulation.world import AFTER_COMMANDS, BEFORE_COMMANDS, BEFORE_COMMIT

#: A request works for so long, then gives what it has; the next one goes on.
PORTION_S = 2.0

#: A test that makes more transitions than this is given up.
MOST_COMMITS = 5_000


@dataclass(frozen=True)
class TestResult:
    """How a test went. `fault`: why it could not be run, else ''. `offers`: what could be expected of it.

    `events`: what happened in its run.
    """

    __test__ = False

    name: str
    passed: bool
    status: str = ""
    fault: str = ""
    differences: Sequence[Difference] = ()
    offers: Sequence[Offer] = ()
    events: Sequence[Event] = ()


@dataclass(frozen=True)
class Broken:
    """A boundary at which a kill changed what came of a test. `moment`: when it is, in words."""

    moment: str
    differences: Sequence[str]


@dataclass
class CrashResult:
    """A test killed at some of its boundaries. `next`: the number of the boundary to go on with; None: all are done.

    `spared`: boundaries at which nothing may be killed, since a call that must not be repeated is under way.
    """

    boundaries: int = 0
    survived: int = 0
    spared: int = 0
    broken: list[Broken] = field(default_factory=list)
    fault: str = ""
    next: int | None = None


@dataclass(frozen=True)
class Ground:
    """What tests are run against: a document as it is written, the catalog, and who asks."""

    document: Mapping[str, Any]
    catalog: Catalog
    by: Any

    def test(self, content: Mapping[str, Any]) -> FlowTest:
        """The whole test. Raises LanguageError."""
        return as_flow_test(whole_test(content, self.document, self.catalog, self.by))


class Portion:
    """Says when a request has worked long enough."""

    def __init__(self, seconds: float | None = None) -> None:
        self._until = time.monotonic() + (PORTION_S if seconds is None else seconds)

    @property
    def is_over(self) -> bool:
        """Whether the rest is for another request."""
        return time.monotonic() > self._until


def run_test(content: Mapping[str, Any], ground: Ground, *, with_offers: bool = False) -> TestResult:
    """Run one test in the simulator."""
    name = str(content.get("name", ""))
    try:
        test = ground.test(content)
        outcome = simulate(prepare(test), MOST_COMMITS)
    except (FlowTestError, LanguageError, RunError, AssertionError) as fault:
        return TestResult(name, False, fault=str(fault))
    found = [*found_differences(test.expect, outcome), *_refused(outcome)]
    # What people were refused explains a difference; by itself it is none.
    passed = len(found) == len(outcome.refusals)
    offers = offers_of(outcome) if with_offers else ()
    return TestResult(name, passed, outcome.status, "", () if passed else found, offers, outcome.events)


def _refused(outcome: Outcome) -> Iterable[Difference]:
    return (Difference("refused", f"refused: {told}") for told in outcome.refusals)


def crash_test(content: Mapping[str, Any], ground: Ground, start: int, portion: Portion) -> CrashResult:
    """Run a test again and again, killed at each boundary from number `start` on, until the portion is over."""
    found = CrashResult()
    try:
        test = ground.test(content)
        prepared = prepare(test)
        if prepared.refusal is not None:
            found.fault = f"Its run is refused, so nothing can be killed: {prepared.refusal['message']}"
            return found
        uncut = run_uncut(prepared, MOST_COMMITS)
        if found_differences(test.expect, uncut.outcome):
            found.fault = "It does not pass. Mend it first: only a test that passes can show what a crash changes."
            return found
        for done, kill in enumerate(kills(prepared, uncut, start, MOST_COMMITS), start + 1):
            found.boundaries = kill.of
            if kill.failures:
                found.broken.append(Broken(moment_of(kill.point, kill.moment), kill.failures))
            elif kill.struck:
                found.survived += 1
            else:
                found.spared += 1
            if portion.is_over and done < kill.of:
                found.next = done
                break
    except (FlowTestError, LanguageError, RunError, AssertionError) as fault:
        found.fault = str(fault)
    return found


_MOMENTS = {
    BEFORE_COMMIT: "just before “{}” was stored",
    BEFORE_COMMANDS: "just after “{}” was stored, before anything was handed on",
    AFTER_COMMANDS: "after “{}” was stored and handed on",
}


def moment_of(point: CrashPoint, moment: str) -> str:
    """When the process was killed, in words."""
    return _MOMENTS[point.boundary].format(moment or f"commit {point.commit}")


#: A draft with this key and the value `block` is not published while a test of its flow fails.
BLOCKING_KEY = "x-failing-tests"

#: Tests that stop publishing are run for so long, in seconds.
GATE_S = 20.0


def refuse_failing_tests(flow: Flow, document: str, by: Any) -> None:
    """Raise LanguageError `flow_invalid` if the document says that failing tests stop publishing, and one fails."""
    written = json.loads(document)
    if written.get(BLOCKING_KEY) != "block":
        return
    ground, portion = Ground(written, installed_catalog(), by), Portion(GATE_S)
    failing = []
    for kept in KeptTest.objects.filter(flow=flow).order_by("name"):
        if portion.is_over:
            failing.append(f"{kept.name} (not run in time)")
        elif not run_test(json.loads(kept.content), ground).passed:
            failing.append(kept.name)
    if failing:
        told = f"Failing tests stop publishing this flow: {', '.join(failing)}. Mend them, or change that in the draft."
        raise LanguageError("flow_invalid", told, {"tests": failing})
