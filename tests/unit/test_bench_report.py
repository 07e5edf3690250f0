"""Figures of the benchmark: ratios are made within a round, and medians are taken of them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from tests.bench.bottlenecks import together
from tests.bench.figures import Found, written
from tests.bench.report import Row, as_table, row_of


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


def report_with(*rows: Row) -> dict[str, Any]:
    machine = {"cores": 2, "load_1_min": 0.5}
    found = {"date": "2026-01-02T03:04:05", "command": "manage.py bench LINEAR --json /elsewhere/found.json"}
    return {**found, "machine": machine, "versions": {"python": "3.11"}, "rows": [asdict(row) for row in rows]}


def test_figures_stand_between_their_marks_and_nothing_else_changes() -> None:
    found = Found()
    found.add(report_with(Row("LINEAR", "sqlite", 1, of_limit=0.2, cpu_ms_step=0.3, against={"langgraph": 0.4})))
    page = "Before.\n<!-- figures: goals -->\noutdated\n<!-- end of figures -->\nAfter.\n"
    text = written(page, found)
    assert text.startswith("Before.\n<!-- figures: goals -->\n| goal |") and text.endswith("figures -->\nAfter.\n")
    assert "outdated" not in text and written(text, found) == text
    assert "| LINEAR of the commit limit, SQLite | 0.14 | 0.42 | 0.2: holds |" in text
    assert "| LINEAR against LangGraph, SQLite | 0.5 | 1.5 | 0.4: **missed** |" in text
    assert "| processor ms a step, SQLite | 1.5 | 0.4 | 0.3: reached |" in text
    assert "| LINEAR against DBOS, SQLite | 1 | 3 | not taken |" in text


def test_the_newest_figure_counts_and_its_command_is_told_without_places() -> None:
    found = Found()
    for limit in (0.2, 0.5):
        found.add(report_with(Row("LINEAR", "sqlite", 1, of_limit=limit)))
    assert found.told("LINEAR", "sqlite", "of_limit") == "0.5"
    told = written("<!-- figures: taken -->\n<!-- end of figures -->", found)
    assert "`manage.py bench LINEAR`: 2026-01-02T03:04, 2 cores, load 0.5 at the end, python 3.11." in told


def test_processes_that_took_turns_are_not_taken_for_ones_at_the_same_time() -> None:
    found = together(
        [
            {"steps": 10, "cpu": 0.5, "began": 1.0, "ended": 2.0, "bytes": 7.0},
            {"steps": 10, "cpu": 0.5, "began": 2.0, "ended": 3.0, "bytes": 8.0},
        ]
    )
    assert found == {"steps": 20, "cpu": 1.0, "seconds": 2.0, "bytes": 7.0}


def test_the_inbox_tells_of_how_many_approvals_it_was_full() -> None:
    found = Found()
    found.add(report_with(Row("fill", "postgres", 1, more={"runs": 200_000, "open_approvals": 10_000})))
    told = written("<!-- figures: people -->\n<!-- end of figures -->", found)
    assert "INBOX, 10,000 open approvals, beside 200,000 runs" in told
