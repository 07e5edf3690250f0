"""Sorting messages to customer support by their words: no model, no guess at what is meant, and it says so."""

from __future__ import annotations

import re
from typing import Any, Literal

KEYWORDS = {
    "billing": (
        "invoice", "bill", "billed", "billing", "charge", "charged", "refund", "payment", "paid", "pay", "receipt",
        "credit card", "money back", "vat", "iban", "reminder",
    ),
    "technical": (
        "error", "crash", "crashes", "crashed", "bug", "broken", "not working", "does not work", "doesn't work",
        "cannot log in", "can't log in", "login", "password", "slow", "timeout", "install", "update", "screen",
    ),
    "sales": (
        "price", "prices", "pricing", "quote", "offer", "discount", "upgrade", "plan", "licence", "licences", "license",
        "licenses", "buy", "order", "trial", "demo", "seats",
    ),
}  # fmt: skip
"""Words of each category. Where two have as many in a message, the one that stands first here is taken."""
Category = Literal["billing", "technical", "sales", "other"]
OTHER: Category = "other"
SHOWN_WORDS = 5

_PATTERNS = {
    category: [(word, re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")) for word in words]
    for category, words in KEYWORDS.items()
}


def sort_by_words(message: str) -> dict[str, Any]:
    """Find the category with the most of its words in a message: `{category, reason}`; `other` where none is."""
    text = " ".join(message.lower().replace("’", "'").split())
    found = {
        category: [word for word, pattern in patterns if pattern.search(text)]
        for category, patterns in _PATTERNS.items()
    }
    category = max(found, key=lambda name: len(found[name]))
    words = found[category]
    if not words:
        return {"category": OTHER, "reason": "It holds none of the words of the other categories."}
    told = ", ".join(f"“{word}”" for word in words[:SHOWN_WORDS])
    return {"category": category, "reason": f"It says {told}."}
