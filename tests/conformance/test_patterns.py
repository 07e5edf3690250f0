"""The 43 workflow control-flow patterns: each can be said, and the page about them says what the tests show."""

from __future__ import annotations

import pytest

from runner.simulation.flow_test import run_flow_test
from runner.simulation.flow_test_file import read_flow_test
from tests.support.patterns_page import PAGE, page, patterns

PATTERNS = patterns()


def test_every_pattern_has_a_test():
    assert [about["number"] for _, about in PATTERNS] == list(range(1, 44))


def test_the_page_is_made_of_the_tests():
    assert PAGE.read_text(encoding="utf-8") == page(), "Run `python -m tests.support.patterns_page`."


@pytest.mark.parametrize("path", [path for path, _ in PATTERNS], ids=lambda path: path.stem)
def test_pattern_in_the_simulator_and_killed_at_every_boundary(path):
    verdict = run_flow_test(read_flow_test(path.read_bytes(), path.name), crash=True)
    assert verdict.failures == []
