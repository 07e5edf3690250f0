"""Every check has its explanation, and every example shows just what it is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from editor.language.explanations import EXAMPLE_SITE, EXPLANATIONS, explanation_of
from editor.language.explanations.page import reference_page
from editor.language.problems import CODES
from tests.unit.language.documents import problems

PAGE = Path(__file__).parents[3] / "docs/reference/checks.md"


def test_every_code_has_one():
    assert set(EXPLANATIONS) == set(CODES)
    assert explanation_of("no_such_code") is None


@pytest.mark.parametrize("code", sorted(CODES))
def test_its_example_shows_just_this_problem_and_how_it_is_mended(code: str):
    explanation = EXPLANATIONS[code]
    assert {found.code for found in problems(explanation.wrong, EXAMPLE_SITE)} == {code}
    assert problems(explanation.right, EXAMPLE_SITE) == ()
    assert 40 < len(explanation.reason) < 400


def test_the_page_is_made_of_them():
    assert PAGE.read_text() == reference_page(), (
        "python -m editor.language.explanations.page > docs/reference/checks.md"
    )
