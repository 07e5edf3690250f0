"""Passages of texts: exact places, no overlap, nothing left out, cut where a reader would cut."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from runner.tools.folder.extract import Heading, clean_text
from runner.tools.folder.marked_text import read_markdown
from runner.tools.folder.passages import MOST, cut_passages
from runner.tools.folder.plain_text import read_plain

PARTS = st.sampled_from(
    [
        "word ",
        "Sentence. ",
        "\n",
        "\n\n",
        "  ",
        "\t",
        "# Title\n",
        "Title\n=====\n",
        "```\n",
        "x" * 700,
        "。",
        "é",
        "𝕏",
        "\u2028",
    ]
)


def texts(passages_of: str) -> list[str]:
    found = read_markdown(passages_of)
    return [found.text[one.start : one.end] for one in cut_passages(found.text, found.headings, found.body)]


@given(st.lists(PARTS, max_size=60).map("".join) | st.text(max_size=3_000))
def test_passages_follow_each_other_and_leave_out_nothing_but_white_space(given_text: str) -> None:
    text = clean_text(given_text)
    for read in (read_markdown, read_plain):
        found = read(text)
        passages = cut_passages(found.text, found.headings, found.body)
        for one in passages:
            said = found.text[one.start : one.end]
            assert said and said == said.strip() and len(said) <= MOST
        for one, other in pairwise(passages):
            assert one.end <= other.start
        between = [found.body, *(place for one in passages for place in (one.start, one.end)), len(found.text)]
        left_out = [found.text[one:other] for one, other in zip(between[::2], between[1::2], strict=True)]
        assert not "".join(left_out).strip()


def test_a_section_is_a_passage_of_its_own_and_knows_the_headings_above_it() -> None:
    text = "# Top\n\nIntro.\n\n## One\n\nFirst.\n\n## Two\n\nSecond.\n"
    headings = [Heading(0, 1, "Top"), Heading(15, 2, "One"), Heading(31, 2, "Two")]
    found = cut_passages(text, headings)
    assert [text[one.start : one.end] for one in found] == ["# Top\n\nIntro.", "## One\n\nFirst.", "## Two\n\nSecond."]
    assert [one.headings for one in found] == [("Top",), ("Top", "One"), ("Top", "Two")]


def test_a_heading_without_a_text_goes_to_the_section_below() -> None:
    assert texts("# Top\n\n## One\n\nFirst.") == ["# Top\n\n## One\n\nFirst."]


def test_paragraphs_are_kept_whole_and_joined_until_there_is_enough() -> None:
    paragraph = "A sentence of some length, as they are. " * 6
    found = texts("\n\n".join([paragraph.strip()] * 8))
    assert len(found) == 2 and all(one.count("\n\n") == 3 for one in found)


def test_a_long_paragraph_is_cut_after_a_sentence() -> None:
    found = texts("This is number one of many sentences (really). " * 100)
    assert len(found) > 3 and all(one.endswith("(really).") for one in found)


def test_text_without_any_place_to_cut_is_cut_by_length() -> None:
    assert [len(one) for one in texts("x" * 3_000)] == [1_200, 1_200, 600]


def test_signs_in_code_are_no_headings() -> None:
    found = read_markdown("# Real\n\n```sh\n# a comment\n```\n\n~~~\nName\n----\n~~~\n\n## Also real\n")
    assert [one.text for one in found.headings] == ["Real", "Also real"]
