"""Storms over random flows: whatever is lost, doubled, late, stalled or killed, a run ends as on a calm day.

`manage.py simulate --seconds 3600` runs as many as a night allows; a finding names its seed.
"""

from __future__ import annotations

from collections import Counter
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from runner.simulation.random_runs import Storms, storm_findings
from runner.simulation.storms import ODDS

AT_ONCE = 10


def test_a_step_that_was_handed_back_before_its_run_is_moved_can_be_replayed() -> None:
    """A worker that stops gives its step back, which is no event; a replay took the step for running still."""
    told = StringIO()
    call_command("simulate", runs=1, seed=970260047, storms=3, stdout=told)
    assert "0 failed" in told.getvalue()


@pytest.mark.parametrize("first", range(1, 41, AT_ONCE))
def test_a_run_in_a_storm_ends_as_on_a_calm_day(first: int) -> None:
    assert [one for seed in range(first, first + AT_ONCE) for one in storm_findings(seed).found] == []


def test_every_fault_strikes() -> None:
    struck: Counter[str] = Counter()
    for seed in range(1, 41):
        struck += storm_findings(seed).struck
        if not ODDS.keys() - struck.keys():
            return
    assert not ODDS.keys() - struck.keys()


def test_a_storm_is_the_same_each_time() -> None:
    assert storm_findings(7) == storm_findings(7)
    assert storm_findings(7).struck != storm_findings(8).struck


def test_the_command_says_how_much_was_simulated() -> None:
    told = StringIO()
    call_command("simulate", runs=2, seed=5, storms=1, stdout=told)
    assert "2 flows from seed 5" in told.getvalue() and "0 failed" in told.getvalue()


def test_a_finding_names_the_command_that_shows_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = [f"seed {5}: a run is stuck"]
    monkeypatch.setattr(
        "runner.management.commands.simulate.storm_findings", lambda seed, _: Storms(broken, 1, Counter())
    )
    told = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("simulate", runs=1, seed=5, storms=2, stdout=told)
    assert ended.value.code == 1
    assert "a run is stuck" in told.getvalue()
    assert "again: python3 manage.py simulate --runs 1 --seed 5 --storms 2" in told.getvalue()


def test_no_runs_are_no_simulation() -> None:
    with pytest.raises(CommandError):
        call_command("simulate", runs=0)


def test_an_engine_that_takes_late_reports_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from runner.engine import machine

    monkeypatch.setattr(machine, "_reporting", lambda turn, step_id, fence: turn.slice.step(step_id))
    assert any(storm_findings(seed).found for seed in range(1, 6))
