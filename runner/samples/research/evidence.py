"""Evidence: sentences of a document that answer questions, and the check that a quote stands where it is said to."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runner.samples.research.sentences import Sentence, sentences
from runner.samples.research.words import all_words, content_words, folded, stem, stems

QUOTES_OF_ONE = 4
"""Quotes from one document for one question."""
MOST_CLAIMS = 200
"""Claims from one document that are looked at."""
ABOVE = 0.5
"""What a word counts that stands in the title or a heading above the sentence, not in it."""
OWN = 2.0
"""What a word counts that only one question asks for; one that all ask for counts 1."""

_BLANKS = re.compile(r"\s+")
_LEANS = re.compile(r"(?:This|That|These|Those|It|They|He|She|However|But|And|Also|So|Then|Thus|Hence|Such)\b")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A question: its id, what each of its stems counts, and those it must have."""

    id: str
    weights: Mapping[str, float]
    own: frozenset[str]

    @property
    def least(self) -> float:
        """The score from which a sentence answers it: of many words fewer have to be there."""
        return 0.55 if len(self.weights) <= 3 else 0.42 if len(self.weights) <= 5 else 0.36


def extracted(questions: Sequence[Mapping[str, Any]], document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The sentences of a document that hold the words of a question: `{question, claim, quote, score}`.

    A sentence answers the question that it fits best. Nothing is worded anew: the claim is the quote on one line.
    """
    title = stems(f"{document.get('title') or ''}")
    found = [(part["start"], one) for part in document["parts"] for one in sentences(part["text"])]
    inside = [stems(one.text) for _, one in found]
    wanted = _wanted(questions, inside)
    rows: list[tuple[float, int, str, Sentence]] = []
    for (offset, sentence), words in zip(found, inside, strict=True):
        above = (title | stems("\n".join(sentence.headings))) - words
        score, question = max(
            ((_score(one, sentence.text, words, above), one.id) for one in wanted),
            key=lambda scored: scored[0],
            default=(0.0, ""),
        )
        if score > 0:
            rows.append((score, offset + sentence.start, question, sentence))
    kept: Counter[str] = Counter()
    claims: list[tuple[int, dict[str, Any]]] = []
    for score, start, question, sentence in sorted(rows, key=lambda row: (-row[0], row[1])):
        if kept[question] < QUOTES_OF_ONE:
            kept[question] += 1
            about = {"question": question, "claim": folded(sentence.text), "quote": sentence.text}
            claims.append((start, {**about, "score": round(min(score, 1.0), 3)}))
    return [claim for _, claim in sorted(claims, key=lambda row: row[0])]


def _wanted(questions: Sequence[Mapping[str, Any]], inside: Sequence[frozenset[str]]) -> list[_Wanted]:
    """What each question asks for. A word that few sentences of the document hold tells more than one that most do."""
    held = Counter(word for words in inside for word in words)
    most = math.log(len(inside) + 2)
    asked = {str(one["id"]): [stem(word) for word in content_words(str(one["query"]))] for one in questions}
    times = Counter(word for words in asked.values() for word in set(words))
    found = []
    for name, words in asked.items():
        own = frozenset(word for word in words if times[word] == 1 and len(asked) > 1)
        weights = {
            word: (OWN if word in own else 1.0) * (1 + math.log((len(inside) + 2) / (held[word] + 1)) / most)
            for word in words
        }
        found.append(_Wanted(name, weights, own))
    return [one for one in found if one.weights]


def _score(wanted: _Wanted, text: str, inside: frozenset[str], above: frozenset[str]) -> float:
    """How well a sentence answers a question: 0 where it does not. One word of more than two in it is no answer."""
    there = [word for word in wanted.weights if word in inside]
    around = inside | above
    shared = wanted.weights.keys() - wanted.own
    if len(there) < (1 if len(wanted.weights) < 3 else 2) or any(
        some and not some & around for some in (wanted.own, shared)
    ):
        return 0.0
    held = sum(wanted.weights[word] for word in there)
    near = ABOVE * sum(weight for word, weight in wanted.weights.items() if word in above)
    score = (held + near) / sum(wanted.weights.values())
    if score < wanted.least:
        return 0.0
    # Sentences that lean on the one before them, and short ones, tell less on their own.
    return score - (0.08 if _LEANS.match(text) else 0.0) - (0.08 if len(all_words(text)) < 9 else 0.0)


# The check: for what a model gives as for what rules give


def located(text: str, quote: str) -> tuple[int, int] | None:
    """Where a quote stands first in a text, or None; blanks and line breaks may differ."""
    if not quote.strip():
        return None
    place = text.find(quote)
    if place >= 0:
        return place, place + len(quote)
    return _located_loosely(text, quote)


def _located_loosely(text: str, quote: str) -> tuple[int, int] | None:
    """Compare with single blanks, and give the place in the text as it is."""
    plain, places = [], []
    for found in re.finditer(r"\s+|\S", text):
        plain.append(" " if found[0].isspace() else found[0])
        places.append(found.start())
    wanted = _BLANKS.sub(" ", quote.strip())
    at = "".join(plain).find(wanted)
    return None if at < 0 else (places[at], places[at + len(wanted) - 1] + 1)


def checked(
    claims: Sequence[Mapping[str, Any]],
    document: Mapping[str, Any],
    questions: Sequence[str],
    known: Sequence[Mapping[str, Any]],
    seen_in: int,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Turn claims into evidence: the quote as the document has it, its place, its source. Also gives what was dropped.

    A claim whose quote is nowhere in the parts that were read is dropped, and so is one for a question nobody asked.
    """
    have = {(one["question"], one["source"], one["start"], one["end"]) for one in known}
    kept: list[dict[str, Any]] = []
    dropped: list[dict[str, Any]] = []
    for claim in claims[:MOST_CLAIMS]:
        quote = str(claim.get("quote", ""))
        place = _place_of(document, quote)
        why = None if place else "its quote is not in the document"
        if str(claim.get("question")) not in questions:
            why = "it answers no question of the plan"
        if why or place is None:
            dropped.append({"source": document["source"], "claim": folded(str(claim.get("claim", ""))), "why": why})
            continue
        start, end, verbatim = place
        key = (str(claim["question"]), document["source"], start, end)
        if key in have:
            continue
        have.add(key)
        kept.append(
            {
                "id": f"e{len(known) + len(kept) + 1}",
                "question": str(claim["question"]),
                "claim": folded(str(claim.get("claim", ""))) or folded(verbatim),
                "quote": verbatim,
                "start": start,
                "end": end,
                "score": _amount(claim.get("score")),
                **{name: document.get(name) for name in ("source", "title", "modified", "modified_from", "digest")},
                "pass": seen_in,
            }
        )
    return kept, dropped


def _place_of(document: Mapping[str, Any], quote: str) -> tuple[int, int, str] | None:
    """`(start, end, text)` of a quote in the whole document; only its parts that were read are looked at."""
    for part in document["parts"]:
        found = located(part["text"], quote)
        if found:
            return part["start"] + found[0], part["start"] + found[1], part["text"][slice(*found)]
    return None


def _amount(score: Any) -> float:
    fits = isinstance(score, (int, float)) and not isinstance(score, bool)
    return round(min(1.0, max(0.0, float(score))), 3) if fits else 0.0
