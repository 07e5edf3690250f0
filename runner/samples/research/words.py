"""Words of a text that carry meaning, in a form in which they can be compared. English endings; no dictionary."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w.]*\w)%?")

STOP = frozenset(
    """a about above across after again against all also although always am among an and another any anybody anyone
    anything are aren as at be became because become been before being below best better between both but by came can
    cannot come could couldn describe did didn different do document documents does doesn doing don done down during
    each either else etc even ever every everybody everyone everything explain explained few find first for from
    further get gets getting give given gives go goes going good got had hadn has hasn have haven having he her here
    hers him his how however i if in instead into is isn it its itself just know least less let like likely look made
    mainly make makes making many may me means might more most much must my near need needs neither never no nobody nor
    not nothing now of off often on once one ones only onto or other others otherwise our ours out over overview own
    per please possible quite rather really said same say says see seem seen several shall she should shouldn since so
    some somebody someone something soon still such take takes tell than that the their them then there these they
    thing things this those though through thus to together too toward under until up upon us use used uses using
    usually very via want was wasn way ways we well were weren what when where whether which while who whom whose why
    will with within without won work works would wouldn yes yet you your yours""".split()  # noqa: SIM905  # a list literal of 250 words is no easier to read
)
"""Words that say nothing about what a text is about; also those in which questions are asked."""

NEGATIONS = frozenset(
    (
        "no",
        "not",
        "never",
        "none",
        "neither",
        "nor",
        "cannot",
        "without",
        "nothing",
        "nobody",
        "don",
        "doesn",
        "isn",
        "aren",
    )
)


def stem(word: str) -> str:
    """A word without the endings of its forms: `retries` and `retry`, `runs` and `running` meet."""
    word = re.sub(r"['’]s?$", "", word.lower())
    if len(word) > 4 and word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if len(word) > 6 and word.endswith("ion"):
        return word[:-3]
    if len(word) > 7 and word.endswith(("or", "al")):
        return word[:-2]
    for ending in ("ing", "ed"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            return _bare(word[: -len(ending)])
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _bare(word: str) -> str:
    """What is left of a form in -ing or -ed: `stopp` is `stop`."""
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        return word[:-1]
    return word


def all_words(text: str) -> list[str]:
    """Every word of a text as it is written; names such as `max_visits` are two."""
    return _WORD.findall(text)


def content_words(text: str) -> list[str]:
    """The words that carry meaning, as written, each once, in their order."""
    found: dict[str, str] = {}
    for word in all_words(text):
        plain = re.split(r"['’]", word.lower())[0]
        if plain not in STOP and (len(plain) > 1 or plain.isdigit()):
            found.setdefault(stem(word), word)
    return list(found.values())


def stems(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    return frozenset(stem(word) for word in content_words(text))


def numbers(text: str) -> frozenset[str]:
    """The numbers in a text, as written."""
    return frozenset(_NUMBER.findall(text))


def is_negated(text: str) -> bool:
    """Whether a text says no or not."""
    return any(re.split(r"['’]", word.lower())[0] in NEGATIONS for word in all_words(text))


def likeness(one: Iterable[str], other: Iterable[str]) -> float:
    """How much two sets of stems have in common: 0 to 1."""
    first, second = set(one), set(other)
    return len(first & second) / len(first | second) if first | second else 0.0


def folded(text: str) -> str:
    """A text on one line, with single blanks."""
    return " ".join(text.split())
