"""How far the evidence goes: sources for each question, what may disagree, what is old, what to search for next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations, islice
from typing import Any

from runner.samples.research.words import content_words, folded, is_negated, likeness, numbers, stems

DISAGREEMENTS = 10
SAME_SUBJECT = 0.5
"""How much two quotes must have in common, numbers apart, to be about the same."""
SHARED_WORDS = 4

Evidence = Mapping[str, Any]


def coverage_of(
    sections: Sequence[Mapping[str, Any]], evidence: Sequence[Evidence], wanted: int
) -> list[dict[str, Any]]:
    """For each section: quotes in it, the sources that they are from, how many are wanted, how many are missing."""
    known = {one["id"]: one["source"] for one in evidence}
    rows = []
    for section in sections:
        cited = {name for claim in section["claims"] for name in claim["evidence"]}
        sources = len({known[name] for name in cited})
        counts = {"quotes": len(cited), "sources": sources, "wanted": wanted, "missing": max(0, wanted - sources)}
        rows.append({"question": section["question"], **counts})
    return rows


def next_searches(
    questions: Sequence[Mapping[str, Any]],
    coverage: Sequence[Mapping[str, Any]],
    follow_up: Sequence[Mapping[str, Any]],
    tried: Sequence[Sequence[str]],
    unread: Mapping[str, int],
) -> list[dict[str, str]]:
    """What to search for in another pass: `{question, query}` for each question that lacks sources.

    A query that was not tried for it yet; else the same again, if documents that it found are still unread. Neither:
    the question is left out, for another pass would find nothing new.
    """
    searches = []
    for question, row in zip(questions, coverage, strict=True):
        if not row["missing"]:
            continue
        proposed = [folded(str(one["query"])) for one in follow_up if one.get("question") == question["id"]]
        fresh = [query for query in proposed if query and [question["id"], query] not in tried]
        if fresh:
            searches.append({"question": question["id"], "query": fresh[0]})
        elif unread.get(question["id"]):
            searches.append({"question": question["id"], "query": question["query"]})
    return searches


@dataclass(frozen=True, slots=True)
class _Said:
    """What a quote is about: its stems without its numbers, its numbers, and whether it says no or not."""

    id: str
    source: str
    about: frozenset[str]
    numbers: frozenset[str]
    is_negated: bool


def disagreements(evidence: Sequence[Evidence]) -> list[dict[str, Any]]:
    """Pairs of quotes from two sources that speak of the same and differ in a number, or in a "not".

    A rule of thumb: it shows what a person should compare, and misses what is said in other words.
    """
    said = [_said(one) for one in evidence]
    pairs = ((one, other, _differ(one, other)) for one, other in combinations(said, 2) if one.source != other.source)
    found = ({"evidence": [one.id, other.id], "why": why} for one, other, why in pairs if why)
    return list(islice(found, DISAGREEMENTS))


def _said(one: Evidence) -> _Said:
    quote, there = str(one["quote"]), numbers(str(one["quote"]))
    return _Said(one["id"], one["source"], stems(quote) - stems(" ".join(there)), there, is_negated(quote))


def _differ(one: _Said, other: _Said) -> str | None:
    if len(one.about & other.about) < SHARED_WORDS or likeness(one.about, other.about) < SAME_SUBJECT:
        return None
    if one.numbers and other.numbers and not one.numbers & other.numbers:
        return f"the numbers differ: {', '.join(sorted(one.numbers))} and {', '.join(sorted(other.numbers))}"
    if one.is_negated != other.is_negated:
        return "one of them says no or not"
    return None


def stale_sources(evidence: Sequence[Evidence], as_of: str, freshness_days: int) -> list[dict[str, Any]]:
    """Sources that are quoted and were last changed more than so many days before a day (`YYYY-MM-DD`)."""
    oldest = date.fromisoformat(as_of) - timedelta(days=min(freshness_days, 365_000))
    found: dict[str, dict[str, Any]] = {}
    for one in evidence:
        modified = _date(one.get("modified"))
        if modified is not None and modified < oldest:
            about = {name: one.get(name) for name in ("source", "modified", "modified_from")}
            found.setdefault(one["source"], {**about, "days": (date.fromisoformat(as_of) - modified).days})
    return list(found.values())


def _date(text: Any) -> date | None:
    try:
        return date.fromisoformat(str(text)[:10])
    except ValueError:
        return None


def words_not_found(topic: str, evidence: Sequence[Evidence]) -> list[str]:
    """Words of the topic that no quote holds."""
    there = stems("\n".join(one["quote"] for one in evidence))
    return [word for word in content_words(topic) if not stems(word) <= there]
