"""The provider that needs no key and no network: it quotes the prompt and says so. It is no model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from runner.tools.context import ToolContext
from runner.tools.errors import ProviderError
from runner.tools.llm.base import Completion, CompletionRequest

MARK = "(No model is set up; this is quoted from the prompt.)"
MAX_SENTENCES = 3
MAX_QUOTE = 600
"""Letters of a quote; a longer one is cut, visibly."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"[^\W\d_]{4,}")


class OfflineProvider:
    """Answers with the prompt's sentences that hold its most frequent words: one prompt, one answer."""

    name = "offline"

    def models(self) -> Sequence[str]:
        """It has no models."""
        return ()

    def complete(self, request: CompletionRequest, ctx: ToolContext) -> Completion:
        """Quote the prompt. Raises ProviderError where an object is asked for: quoting cannot make one."""
        if request.output_schema is not None:
            raise ProviderError(
                "No model is set up, and an answer that fits an output_schema cannot be quoted from a prompt."
                " Set up a provider and name its model in FLOWSITE_MODEL."
            )
        quote = extract(request.prompt)
        return Completion(f"{MARK}\n{quote}" if quote else MARK, notes={"offline": MARK})


def extract(text: str) -> str:
    """Pick the most telling sentences of a text, in their order."""
    sentences = [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]
    counts = Counter(word.lower() for word in _WORD.findall(text))

    def weight(sentence: str) -> float:
        words = _WORD.findall(sentence)
        return sum(counts[word.lower()] for word in words) / len(words) if words else 0.0

    ranked = sorted(range(len(sentences)), key=lambda place: (-weight(sentences[place]), place))
    quote = " ".join(sentences[place] for place in sorted(ranked[:MAX_SENTENCES]))
    return quote if len(quote) <= MAX_QUOTE else quote[: MAX_QUOTE - 1] + "…"
