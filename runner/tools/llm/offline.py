"""The provider that needs no key and no network: it is no model, and says so.

Through a skill with an offline function, that function does the work; else the prompt is quoted.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence

from runner.tools.calling import call, plain_result
from runner.tools.context import ToolContext
from runner.tools.errors import ProviderError
from runner.tools.llm.base import Completion, CompletionRequest
from runner.tools.skills import SKILLS, Skill, SkillRegistry, material_of

MARK = "(No model is set up; this is quoted from the prompt.)"
BY_SKILL = "No model is set up; the skill {ref} did this by its own offline function."
MAX_SENTENCES = 3
MAX_QUOTE = 600
"""Letters of a quote; a longer one is cut, visibly."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"[^\W\d_]{4,}")


class OfflineProvider:
    """Answers by a skill's offline function, or with the prompt's sentences that hold its most frequent words.

    One prompt, one answer.
    """

    name = "offline"

    def __init__(self, skills: SkillRegistry = SKILLS) -> None:
        self._skills = skills

    def models(self) -> Sequence[str]:
        """It has no models."""
        return ()

    def complete(self, request: CompletionRequest, ctx: ToolContext) -> Completion:
        """Do the work of the skill, else quote the prompt.

        Raises ProviderError where an object is asked for and no skill makes one: quoting cannot. RunError: as the
        offline function failed.
        """
        skill = self._skills.get(request.skill) if request.skill else None
        if skill is not None and skill.offline is not None:
            return _by_skill(skill, request, ctx)
        if request.output_schema is not None:
            raise ProviderError(
                "No model is set up, and an answer that fits an output_schema cannot be quoted from a prompt."
                " Set up a provider and name its model in FLOWSITE_MODEL."
                + (f" The skill {request.skill} has no offline function." if request.skill else "")
            )
        quote = extract(request.prompt)
        return Completion(f"{MARK}\n{quote}" if quote else MARK, notes={"offline": MARK})


def _by_skill(skill: Skill, request: CompletionRequest, ctx: ToolContext) -> Completion:
    """Call the offline function. Asked to repair its answer it refuses: it would give the same one again."""
    if request.repair is not None:
        raise ProviderError(f"The offline function of the skill {skill.spec.ref} gives one prompt one answer.")
    assert skill.offline is not None
    what = f"The offline function of the skill {skill.spec.ref}"
    offered = {"prompt": request.prompt, "material": material_of(request.prompt), "ctx": ctx}
    given = {name: offered[name] for name in skill.parameters}
    answer = call(what, skill.offline, given, ctx, code="provider_failed")
    value = plain_result(f"{what} gave an answer", answer, ctx, "provider_failed")
    text = value if isinstance(value, str) and skill.spec.output_schema is None else json.dumps(value)
    told = BY_SKILL.format(ref=skill.spec.ref)
    return Completion(text, notes={"model": "offline", "offline": told})


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
