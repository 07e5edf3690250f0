"""Which documents to read: candidates gathered from searches, and their order by rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runner.samples.research.words import content_words, stem, stems

PASSAGES_KEPT = 8
"""Passages of a candidate that are kept: the parts of a long document that are read."""
READ_AT_ONCE = 20
"""Documents that one pass reads; the others wait for the next."""
SHOWN = 600
"""Letters of a candidate's passage that are shown for ranking."""

Candidate = dict[str, Any]


def flattened(results: Sequence[Any]) -> list[dict[str, Any]]:
    """The results of every tool of a group, one after another; a tool that failed gave null."""
    return [result for answer in results if isinstance(answer, Mapping) for result in answer.get("results", ())]


def gathered(
    known: Sequence[Candidate], searches: Sequence[Mapping[str, Any]], found: Sequence[Any], seen_in: int
) -> list[Candidate]:
    """Add what searches found to the candidates that are known; `found` holds a group's results for each search."""
    candidates = {one["source"]: {**one, "passages": list(one["passages"])} for one in known}
    for search, answers in zip(searches, found, strict=True):
        for place, result in enumerate(flattened(answers or ()), start=1):
            candidate = candidates.setdefault(str(result["source"]), _candidate(result, seen_in))
            passage = [result["start"], result["end"]]
            if passage not in candidate["passages"] and len(candidate["passages"]) < PASSAGES_KEPT:
                candidate["passages"].append(passage)
            best = candidate["found"].get(search["question"])
            if best is None or place < best["place"]:
                text = f"{result.get('heading') or ''}\n{result['passage']}"
                candidate["found"] = {
                    **candidate["found"],
                    search["question"]: {"place": place, "text": text[:SHOWN]},
                }
    return list(candidates.values())


def _candidate(result: Mapping[str, Any], seen_in: int) -> Candidate:
    about = {key: result.get(key) for key in ("source", "title", "modified", "modified_from", "digest")}
    return {**about, "passages": [], "found": {}, "pass": seen_in}


def ranked(questions: Sequence[Mapping[str, Any]], candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    """For each question its candidates, the best first: how many of its words they hold, then where they were found.

    Gives `[{question, sources: [{source, score, reason}]}]`; a candidate without any of the words is left out.
    """
    return [{"question": one["id"], "sources": _of_question(one, candidates)} for one in questions]


def _of_question(question: Mapping[str, Any], candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    words = content_words(str(question["query"]))
    rows = []
    for candidate in candidates:
        found = candidate["found"].get(question["id"])
        if found is None:
            continue
        there = stems(f"{candidate.get('title') or ''}\n{candidate['source']}\n{found['text']}")
        held = [word for word in words if stem(word) in there]
        if held:
            score = round(0.8 * len(held) / len(words) + 0.2 / found["place"], 3)
            told = f"found as number {found['place']}, with {len(held)} of {len(words)} words: {', '.join(held)}"
            rows.append({"source": candidate["source"], "score": score, "reason": told})
    return sorted(rows, key=lambda row: (-row["score"], row["source"]))


def chosen(
    ranking: Sequence[Mapping[str, Any]],
    candidates: Sequence[Candidate],
    missing: Mapping[str, int],
    read: Sequence[str],
) -> tuple[list[Candidate], list[str]]:
    """The candidates to read now: for each question as many as it is `missing`, none twice, not more than READ_AT_ONCE.

    Also gives the sources that a ranking names and no search found: they are not read.
    """
    known = {one["source"]: one for one in candidates}
    picked: dict[str, Candidate] = {}
    invented: dict[str, None] = {}
    for row in ranking:
        left = missing.get(str(row.get("question")), 0)
        for named in row.get("sources", ()):
            source = str(named.get("source"))
            if source not in known:
                invented[source] = None
            elif left > 0 and source not in read:
                picked.setdefault(source, known[source])
                left -= 1
    return list(picked.values())[:READ_AT_ONCE], list(invented)
