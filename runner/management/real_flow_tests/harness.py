"""Runs flow tests on the real runner, one after another, and gives verdicts. One run's course is run.py's."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import connections

from editor.services import FlowInvalidError, freeze_trial
from runner import dispatch
from runner.engine.errors import RunError
from runner.management.real_flow_tests.run import RealRun, StuckError
from runner.management.real_flow_tests.server import StandInServer
from runner.services.programs import flow_test_setup
from runner.services.runs import start_run
from runner.simulation.crash import run_to_end
from runner.simulation.flow_test import Prepared, Verdict, explained, judged, prepare, setting_of
from runner.simulation.flow_test_file import FlowTest, FlowTestError
from runner.simulation.outcome import Outcome
from runner.simulation.people import ANALYST
from runner.store.clock import now_ms, shift_test_clock


class Harness:
    """Holds the stand-in server. Workers must run already, and know its URL.

    Raises RuntimeError where the settings are not those of such tests: nobody's clock is to be moved by chance.
    """

    def __init__(self) -> None:
        if not (settings.STAND_IN_URL and settings.TEST_CLOCK and settings.TEST_CLOCK_STANDS):
            raise RuntimeError("Flow tests on the real runner need a site of their own; test_flow --real makes one.")
        self._server = StandInServer(settings.STAND_IN_URL)

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.stop()
        dispatch.flush()
        connections.close_all()

    def run(self, test: FlowTest) -> Verdict:
        """Run one test and compare; times are not compared."""
        try:
            prepared = prepare(test)
            outcome = judged(prepared, self._outcome(prepared))
        except (FlowTestError, StuckError, AssertionError) as fault:
            return Verdict(test.name, [str(fault)])
        return Verdict(test.name, explained(test, outcome))

    def _outcome(self, prepared: Prepared) -> Outcome:
        test = prepared.test
        shift_test_clock(-now_ms())
        try:
            version = freeze_trial(test.flow, by=None, catalog=prepared.catalog)
            started = start_run(
                version, inputs=test.inputs, preset=test.preset, actor=ANALYST, flow_test=flow_test_setup(test)
            )
        except FlowInvalidError as refused:
            return Outcome(error={"code": refused.code, "message": refused.message}, elapsed_ms=None)
        except RunError as refused:
            return Outcome(error=dict(refused.as_json()), elapsed_ms=None)
        if prepared.refusal is not None:
            raise AssertionError(f"The simulator refuses this run, the runner does not: {prepared.refusal}")
        simulated = run_to_end(setting_of(prepared)).outcome
        run = RealRun(started.run_id, test, self._server, simulated.calls)
        try:
            return run.outcome()
        finally:
            run.dismiss()
