"""From evidence to claims of a report: which, in which order, and what to search for next. Rules, no wording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from runner.samples.research.words import content_words, folded, likeness, stem, stems

CLAIMS_OF_ONE = 6
"""Claims for one question."""
WEAKER = 0.6
"""A quote with less than this share of the best one's score stays in the evidence and out of the report."""
ALIKE = 0.7
"""Two quotes whose words are so much the same are one claim with two sources."""

Evidence = Mapping[str, Any]


def synthesized(questions: Sequence[Mapping[str, Any]], evidence: Sequence[Evidence]) -> dict[str, Any]:
    """`{sections: [{question, claims: [{text, evidence}]}], follow_up: [{question, query}]}`."""
    sections, follow_up = [], []
    for question in questions:
        own = [one for one in evidence if one["question"] == question["id"]]
        sections.append({"question": question["id"], "claims": _claims(own)})
        query = _next_query(question, own)
        if query:
            follow_up.append({"question": question["id"], "query": query})
    return {"sections": sections, "follow_up": follow_up}


def _claims(evidence: Sequence[Evidence]) -> list[dict[str, Any]]:
    """The best quotes, every source's best before any source's second, those that say the same as one claim."""
    times: Counter[str] = Counter()
    order = []
    least = WEAKER * max((one["score"] for one in evidence), default=0)
    strong = [one for one in evidence if one["score"] >= least]
    for one in sorted(strong, key=lambda one: (-one["score"], one["source"], one["start"])):
        order.append((times[one["source"]], -one["score"], one["source"], one["start"], one))
        times[one["source"]] += 1
    claims: list[dict[str, Any]] = []
    about: list[frozenset[str]] = []
    for *_, one in sorted(order, key=lambda row: row[:4]):
        words = stems(one["quote"])
        same = next((place for place, other in enumerate(about) if likeness(words, other) >= ALIKE), None)
        if same is not None:
            claims[same]["evidence"].append(one["id"])
        elif len(claims) < CLAIMS_OF_ONE:
            claims.append({"text": one["claim"], "evidence": [one["id"]]})
            about.append(words)
    return claims


def _next_query(question: Mapping[str, Any], evidence: Sequence[Evidence]) -> str:
    """Other words to search with: those that quotes found so far often hold beside the question's own."""
    words = content_words(str(question["query"]))
    known = {stem(word) for word in words}
    beside: Counter[str] = Counter()
    written: dict[str, str] = {}
    for one in evidence:
        for word in content_words(one["quote"]):
            if stem(word) not in known and word.isalpha() and len(word) > 3:
                beside[stem(word)] += 1
                written.setdefault(stem(word), word.lower())
    often = sorted(beside, key=lambda word: (-beside[word], word))[:2]
    if often:
        return " ".join([*words[:6], *(written[word] for word in often)])
    return " ".join(words[: max(1, len(words) // 2)]) if len(words) > 1 else ""


def checked_sections(
    drafted: Mapping[str, Any], questions: Sequence[Mapping[str, Any]], evidence: Sequence[Evidence]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The sections of a draft with every claim that rests on evidence there is; and the claims that do not."""
    known = {one["id"] for one in evidence}
    sections: dict[str, list[dict[str, Any]]] = {one["id"]: [] for one in questions}
    dropped = []
    for section in drafted.get("sections", ()):
        for claim in section.get("claims", ()):
            text = folded(str(claim.get("text", "")))
            cited = [name for name in dict.fromkeys(claim.get("evidence", ())) if name in known]
            if str(section.get("question")) in sections and text and cited:
                sections[str(section["question"])].append({"text": text, "evidence": cited})
            else:
                dropped.append({"source": None, "claim": text, "why": "it rests on no evidence"})
    return [{"question": name, "claims": claims} for name, claims in sections.items()], dropped
