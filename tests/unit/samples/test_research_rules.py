"""The rules of research: questions, ranking, reading, evidence, claims, and how far they go."""

from __future__ import annotations

from typing import Any

import pytest

from runner.samples.research.assessing import coverage_of, disagreements, next_searches, stale_sources, words_not_found
from runner.samples.research.evidence import checked, extracted, located
from runner.samples.research.planning import clarified, planned
from runner.samples.research.ranking import READ_AT_ONCE, chosen, gathered, ranked
from runner.samples.research.reading import WHOLE, letters_of, parts_of
from runner.samples.research.synthesis import checked_sections, synthesized
from runner.samples.skills import citation_extractor, research_planner
from runner.tools import ToolError


def found(source: str, heading: str, passage: str, title: str = "") -> dict[str, Any]:
    return {"source": source, "heading": heading, "passage": passage, "title": title, "start": 0, "end": len(passage)}


def asked(topic: str, results: list[dict[str, Any]] | None = None, most: int = 6) -> list[tuple[str, str]]:
    return [(one["question"], one["query"]) for one in planned({"topic": topic}, results or [], most)]


# Questions


def test_a_topic_is_one_question_or_its_parts() -> None:
    assert asked("How do pumps fail?") == [("How do pumps fail?", "pumps fail")]
    assert asked("pump pressure") == [("What do the documents say about pump pressure?", "pump pressure")]
    assert asked("Which pressure does the pump keep, and who repairs it?") == [
        ("Which pressure does the pump keep?", "pressure pump keep"),
        ("Who repairs it?", "repairs pressure pump keep"),
    ]


def test_headings_above_passages_about_the_topic_become_questions() -> None:
    results = [
        found("a.md", "Pumps › Winter", "The pump must be emptied in winter.", "Pumps"),
        found("a.md", "Pumps › Overview", "The pump.", "Pumps"),
        found("b.md", "pump.empty(force)", "Call it for the pump in winter.", "Reference"),
        found("b.md", "Winter", "In winter the pump is off.", "Heating"),
        found("c.md", "Cats", "A cat sleeps.", "Cats"),
    ]
    assert asked("pump", results) == [
        ("What do the documents say about pump?", "pump"),
        ("What do the documents say about “Winter” in “Pumps”?", "Winter pump"),
    ]
    assert len(asked("pump", results, most=1)) == 1


def test_a_topic_without_words_says_so() -> None:
    assert clarified("of the", "")["unclear"] == ["The topic holds no word that could be searched for."]
    assert asked("of the") == [("What do the documents say about of the?", "of the")]


def test_a_prompt_without_the_parts_that_a_skill_works_on_is_explained() -> None:
    with pytest.raises(ToolError, match="no line 'brief: '"):
        research_planner({"topic": "x"})
    with pytest.raises(ToolError, match="no line 'questions: '"):
        citation_extractor({"document": {}})


# Sources

SEARCH = {"question": "q1", "query": "pump pressure"}
QUESTION = {"id": "q1", "question": "?", "query": "pump pressure"}


def candidates() -> list[dict[str, Any]]:
    answers = [{"results": [found("b.md", "", "A pump."), found("a.md", "", "Pressure of the pump.")]}, None]
    return gathered([], [SEARCH], [answers], 1)


def test_candidates_are_ranked_by_the_words_they_hold() -> None:
    rows = ranked([QUESTION], candidates())[0]["sources"]
    assert [row["source"] for row in rows] == ["a.md", "b.md"]
    assert rows[0]["reason"] == "found as number 2, with 2 of 2 words: pump, pressure"
    again = gathered(candidates(), [SEARCH], [[{"results": [found("a.md", "", "Pressure of the pump.")]}]], 2)
    assert [one["source"] for one in again] == ["b.md", "a.md"] and again[1]["found"]["q1"]["place"] == 1


def test_what_is_missing_is_read_once_and_nothing_that_was_made_up() -> None:
    ranking = [
        {"question": "q1", "sources": [{"source": name} for name in ("made-up.md", "a.md", "b.md")]},
        {"question": "q2", "sources": [{"source": "a.md"}]},
    ]
    picked, invented = chosen(ranking, candidates(), {"q1": 1, "q2": 1}, [])
    assert ([one["source"] for one in picked], invented) == (["a.md"], ["made-up.md"])
    picked, _ = chosen(ranking, candidates(), {"q1": 2, "q2": 0}, ["a.md"])
    assert [one["source"] for one in picked] == ["b.md"]


def test_one_pass_reads_no_more_than_it_can_hold() -> None:
    many = [{"source": f"{number}.md"} for number in range(30)]
    picked, _ = chosen([{"question": "q1", "sources": many}], many, {"q1": 30}, [])
    assert len(picked) == READ_AT_ONCE


def test_of_a_long_document_the_parts_around_what_was_found_are_read() -> None:
    text = "".join(f"Paragraph {number}. {'word ' * 40}\n\n" for number in range(1_000))
    places = [text.index(f"Paragraph {number}.") for number in (100, 101, 900)]
    parts = parts_of(text, [[place, place + 200] for place in places])
    assert len(parts) == 2 and letters_of(parts) <= WHOLE
    for part in parts:
        assert text[part["start"] :].startswith(part["text"]) and part["text"].startswith("Paragraph")
    assert parts_of("short", []) == [{"start": 0, "text": "short"}]
    assert letters_of(parts_of(text, [])) == WHOLE


# Evidence


def document(text: str, start: int = 0, **about: Any) -> dict[str, Any]:
    return {"source": "a.md", "title": "Pumps", "parts": [{"start": start, "text": text}], **about}


TEXT = "The pump keeps a pressure of four bar. Cats sleep all day long on the warm pump. Nothing else is known here."


def test_a_document_is_quoted_where_it_holds_the_words_of_a_question() -> None:
    claims = extracted([QUESTION], document(TEXT))
    assert [one["quote"] for one in claims] == ["The pump keeps a pressure of four bar."]
    assert extracted([{**QUESTION, "query": "fermentation of cabbage"}], document(TEXT)) == []
    assert extracted([], document(TEXT)) == [] and extracted([{**QUESTION, "query": "of"}], document(TEXT)) == []


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("b c", "b c"), ("b  c\nd", "b c\td"), (" b c ", "b c"), ("B c", None), ("", None), (" ", None), ("x", None),
    ],
)  # fmt: skip
def test_a_quote_is_found_but_for_its_blanks(quote: str, expected: str | None) -> None:
    text = "a b c\td e"
    place = located(text, quote)
    assert (None if place is None else text[slice(*place)].strip()) == expected


def test_claims_become_evidence_with_the_place_in_the_whole_document() -> None:
    claims = [
        {"question": "q1", "claim": "Four bar.", "quote": "a  pressure of\nfour bar", "score": 7},
        {"question": "q1", "claim": "Again.", "quote": "a pressure of four bar", "score": 1},
        {"question": "q1", "claim": "Nine.", "quote": "nine bar", "score": 1},
        {"question": "q9", "claim": "Other.", "quote": "The pump", "score": 1},
    ]
    kept, dropped = checked(
        claims,
        document(TEXT, start=500, digest="d"),
        ["q1"],
        [{"id": "e1", "question": "", "source": "", "start": 0, "end": 0}],
        3,
    )
    assert [(one["id"], one["quote"], one["start"], one["end"]) for one in kept] == [
        ("e2", "a pressure of four bar", 515, 537)
    ]
    assert (kept[0]["score"], kept[0]["digest"], kept[0]["pass"]) == (1.0, "d", 3)
    assert [one["why"] for one in dropped] == ["its quote is not in the document", "it answers no question of the plan"]


def evidence(name: str, source: str, quote: str, score: float = 0.9, **about: Any) -> dict[str, Any]:
    return {
        "id": name,
        "question": "q1",
        "source": source,
        "start": 0,
        "quote": quote,
        "claim": quote,
        "score": score,
        **about,
    }


def test_each_source_comes_before_any_source_comes_twice_and_the_same_is_one_claim() -> None:
    given = [
        evidence("e1", "a.md", "The pump keeps a pressure of four bar."),
        evidence("e2", "a.md", "A second pump gives water to the garden."),
        evidence("e3", "b.md", "The pressure that the pump keeps is four bar.", 0.8),
        evidence("e4", "c.md", "Weak and about nothing at all.", 0.2),
        evidence("e5", "d.md", "Every pump of the house has a valve.", 0.7),
    ]
    drafted = synthesized([QUESTION], given)
    assert [one["evidence"] for one in drafted["sections"][0]["claims"]] == [["e1", "e3"], ["e5"], ["e2"]]
    sections, dropped = checked_sections(drafted, [QUESTION], given[:2])
    assert [one["evidence"] for one in sections[0]["claims"]] == [["e1"], ["e2"]] and len(dropped) == 1
    assert coverage_of(sections, given, 3) == [
        {"question": "q1", "quotes": 2, "sources": 1, "wanted": 3, "missing": 2},
    ]


# How far it goes


def test_it_searches_on_with_other_words_then_for_what_is_unread_then_not_at_all() -> None:
    rows = [{"question": "q1", "missing": 1}]
    other = [{"question": "q1", "query": "other  words"}]
    assert next_searches([QUESTION], rows, other, [], {}) == [{"question": "q1", "query": "other words"}]
    tried = [["q1", "other words"]]
    assert next_searches([QUESTION], rows, other, tried, {"q1": 2}) == [{"question": "q1", "query": "pump pressure"}]
    assert next_searches([QUESTION], rows, other, tried, {"q1": 0}) == []
    assert next_searches([QUESTION], [{"question": "q1", "missing": 0}], other, [], {"q1": 1}) == []


def test_quotes_about_the_same_that_differ_are_shown_side_by_side() -> None:
    one = "The default time limit of a step is 30 seconds."
    given = [
        evidence("e1", "a.md", one),
        evidence("e2", "b.md", "The time limit of a step is 300 seconds by default."),
        evidence("e3", "a.md", "The time limit of a step is 40 seconds by default."),
        evidence("e4", "c.md", "The default time limit of a step is not 30 seconds."),
        evidence("e5", "d.md", "A cat sleeps 16 hours."),
        evidence("e6", "e.md", one),
    ]
    pairs = {tuple(pair["evidence"]): pair["why"] for pair in disagreements(given)}
    assert pairs[("e1", "e2")] == "the numbers differ: 30 and 300"
    assert pairs[("e1", "e4")] == "one of them says no or not"
    assert ("e1", "e3") not in pairs and ("e1", "e6") not in pairs and not any("e5" in pair for pair in pairs)


def test_sources_older_than_asked_for_are_named_once() -> None:
    given = [
        evidence("e1", "a.md", "x", modified="2025-11-29"),
        evidence("e2", "a.md", "y", modified="2025-11-29"),
        evidence("e3", "b.md", "x", modified="2025-11-30"),
        evidence("e4", "c.md", "x", modified=None),
    ]
    assert [(one["source"], one["days"]) for one in stale_sources(given, "2026-11-30", 365)] == [("a.md", 366)]
    assert words_not_found("pumps and cats", [evidence("e1", "a.md", "A pump.")]) == ["cats"]
