"""From a topic to questions: what is asked, and into which questions its own words and found headings divide it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runner.samples.research.words import content_words, folded, stem, stems

LONGEST_HEADING = 70
NEAR = 0.6
"""How many of the topic's words must stand around a heading that becomes a question."""
MOST_WORDS = 12
"""Words of a query: a longer topic is searched by its first ones."""

_SPLIT = re.compile(r"\s*(?:[,;/]|\band\b|\bor\b|\bversus\b|\bvs\.?(?=\s)|\bcompared (?:with|to)\b)\s*", re.IGNORECASE)
_ASKS = re.compile(r"(?:who|whom|whose|what|which|when|where|why|how|is|are|does|do|did|can)\b", re.IGNORECASE)
_CODE = re.compile(r"\w\(|[\[\]{}<>=_]|\w\.\w|::|[a-z][A-Z]|--")
"""What headings of a reference hold: names of functions, which make no question."""
_GENERAL = frozenset(
    """about abstract acknowledgements appendix authors background basic basics bibliography bugs change changelog
    changes conclusion contents contributing copyright credits description detail details discussion documentation
    example examples faq feature features files first fix fixes foreword further getting guide help history home
    how howto index information install installation instructions intro introduction legal license licence links
    main manual module more news next notes notice options other overview page part preface purpose quick
    quickstart readme reading reference references related release releases requirements section see setup started
    start step steps summary support synopsis table terminology title todo tutorial update updates upgrade usage
    version versions whats""".split()  # noqa: SIM905  # a list literal of a hundred words is no easier to read
)
"""Words of headings that stand in every document; a heading of nothing else asks no question."""


def clarified(topic: str, audience: str) -> dict[str, Any]:
    """What is asked: the topic in one line, its words, and what is taken for granted."""
    line = folded(topic).rstrip(" .")
    words = content_words(line)
    assumptions = ["Words are taken in their usual sense; nobody was asked what the topic means."]
    if not folded(audience):
        assumptions.append("No audience was named: it is for anybody.")
    if len(words) > MOST_WORDS:
        assumptions.append(f"The topic is long: it is searched by its first {MOST_WORDS} words.")
    unclear = [] if words else ["The topic holds no word that could be searched for."]
    return {"topic": line, "terms": words[:MOST_WORDS], "assumptions": assumptions, "unclear": unclear}


def planned(brief: Mapping[str, Any], found: Sequence[Mapping[str, Any]], most: int) -> list[dict[str, Any]]:
    """Divide a topic into at most `most` questions: its parts, or as it was asked, then headings that were found.

    Each is `{question, query, why}`.
    """
    topic = str(brief["topic"])
    asked = _parts(topic)
    if len(asked) < 2:
        whole = " ".join(content_words(topic)[:MOST_WORDS])
        asked = [{"question": _as_question(topic), "query": whole or topic, "why": "the topic as it was asked"}]
    questions: list[dict[str, Any]] = []
    seen: list[frozenset[str]] = []
    for question in (*asked, *_headings(topic, found)):
        about = stems(question["query"])
        if len(questions) < most and about not in seen:
            questions.append(question)
            seen.append(about)
    return questions


def _as_question(topic: str) -> str:
    return topic if topic.endswith("?") else f"What do the documents say about {topic}?"


def _parts(topic: str) -> list[dict[str, Any]]:
    """The parts of a topic that lists several; one of a single word is searched with the others' words."""
    parts = [part.strip() for part in _SPLIT.split(topic.rstrip("?")) if content_words(part)]
    questions = []
    for part in parts:
        words = content_words(part)
        query = words if len(words) > 1 else content_words(" ".join([*words, topic]))
        asked = part if _ASKS.match(part) else f"What do the documents say about {part}"
        told = f"{asked[:1].upper()}{asked[1:]}?"
        questions.append({"question": told, "query": " ".join(query[:MOST_WORDS]), "why": "a part of the topic"})
    return questions


def _headings(topic: str, found: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Headings that add to the topic, above passages that speak of it; one of each document first, the best first.

    What a heading adds must be spoken of in more than one document, else it is that one's affair, and not in most
    of them, else it tells nothing.
    """
    about = stems(topic)
    sources = {str(result["source"]) for result in found}
    spoken = Counter(word for _, word in {(one["source"], word) for one in found for word in stems(one["passage"])})
    seen, later = set[str](), []
    for result in sorted(found, key=lambda one: -_nearness(about, one)):
        heading = _plain(str(result.get("heading") or "").split(" › ")[-1])
        added = [word for word in content_words(heading) if not stems(word) <= about and not _is_general(word)]
        telling = [word for word in added if 1 < spoken[stem(word)] < max(3, 0.7 * len(sources))]
        if not telling or _CODE.search(heading) or len(heading) > LONGEST_HEADING or _nearness(about, result) < NEAR:
            continue
        title = _title(result)
        where = f" in “{title}”" if title and stems(title) != stems(heading) else ""
        question = {
            "question": f"What do the documents say about “{heading}”{where}?",
            "query": " ".join([*added, *content_words(topic)][:MOST_WORDS]),
            "why": f"a section of {result['source']}",
        }
        if result["source"] in seen:
            later.append(question)
        else:
            seen.add(str(result["source"]))
            yield question
    yield from later


def _nearness(about: frozenset[str], result: Mapping[str, Any]) -> float:
    """How many of the topic's words a passage holds, with its headings and title."""
    there = stems(f"{result.get('title') or ''}\n{result.get('heading') or ''}\n{result['passage']}")
    return len(about & there) / len(about) if about else 0.0


def _is_general(word: str) -> bool:
    return word.lower() in _GENERAL or any(letter.isdigit() for letter in word)


def _title(result: Mapping[str, Any]) -> str:
    return _plain(str(result.get("title") or ""))


def _plain(heading: str) -> str:
    return re.sub(r"^[\d.]+\s+|[`*#¶]", "", folded(heading)).strip(" :.-")
