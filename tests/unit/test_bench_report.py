"""Figures of the benchmark: ratios are made within a round, and medians are taken of them."""

from __future__ import annotations

import pytest

from tests.bench.report import as_table, row_of


def round_of(steps: float, seconds: float, cpu: float) -> dict[str, float]:
    return {"steps": steps, "seconds": seconds, "cpu": cpu}


def test_ratios_are_made_in_each_round() -> None:
    ours = [round_of(100, 0.1, 0.05), round_of(100, 1.0, 0.06), round_of(100, 0.2, 0.07)]
    theirs = [round_of(100, 0.2, 0.1), round_of(100, 4.0, 0.1), round_of(100, 0.2, 0.1)]
    row = row_of("LINEAR", "sqlite", ours, limits=[2_000.0, 1_000.0, 1_000.0], peers={"other": theirs})
    assert row.steps_s == pytest.approx(500) and row.cpu_ms_step == pytest.approx(0.6)
    assert row.of_limit == pytest.approx(0.5)  # of 0.5, 0.1 and 0.5
    assert row.against == {"other": pytest.approx(2.0)}  # of 2, 4 and 1
    assert row.more == {"other_steps_s": pytest.approx(500), "other_cpu_ms_step": pytest.approx(1.0)}
    assert "| LINEAR | sqlite | 500 | 0.5 | 0.6 | 2.00 x other |" in as_table([row])


def test_what_has_no_steps_gives_its_own_figures() -> None:
    row = row_of("START", "postgres", [{"p50_ms": 4.0}, {"p50_ms": 8.0}])
    assert row.steps_s is None and row.more == {"p50_ms": 6.0}
    assert as_table([row]).endswith("| START | postgres | - | - | - | - | p50_ms 6 |")
