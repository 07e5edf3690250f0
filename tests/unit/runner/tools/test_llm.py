"""Providers: which model is meant, and the offline one that quotes and says so."""

from __future__ import annotations

import pytest

from runner.tools import DefinitionError, ToolContext
from runner.tools.errors import ProviderError
from runner.tools.llm import CompletionRequest, ProviderRegistry
from runner.tools.llm.offline import MARK, MAX_QUOTE, OfflineProvider, extract


class Other:
    """A provider with two models."""

    name = "other"

    def models(self) -> tuple[str, ...]:
        return ("large", "small")

    def complete(self, request: CompletionRequest, ctx: ToolContext) -> None:
        raise NotImplementedError


def test_models_are_named_by_provider() -> None:
    registry = ProviderRegistry(OfflineProvider())
    registry.register(Other())  # type: ignore[arg-type]
    assert registry.models() == ["offline", "other:large", "other:small"]
    assert registry.resolve(None)[0].name == "offline"
    assert registry.resolve("other:large")[1] == "large"
    with pytest.raises(ProviderError, match=r"offline, other"):
        registry.resolve("nobody:at-all")


def test_a_provider_is_not_replaced_by_another_class() -> None:
    registry = ProviderRegistry(OfflineProvider())
    registry.register(OfflineProvider())
    impostor = Other()
    impostor.name = "offline"
    with pytest.raises(DefinitionError):
        registry.register(impostor)  # type: ignore[arg-type]


PROMPT = """Summarize. Bees dance to tell other bees where flowers stand. The weather was fine.
Flowers feed bees! Nobody counted."""


def test_the_offline_provider_quotes_the_prompt_and_says_so() -> None:
    completion = OfflineProvider().complete(CompletionRequest(PROMPT), ToolContext())
    head, _, quote = completion.text.partition("\n")
    assert head == MARK
    assert "Bees dance to tell other bees where flowers stand." in quote
    assert all(sentence in PROMPT for sentence in quote.replace("! ", "!\n").replace(". ", ".\n").splitlines())
    assert completion.notes == {"offline": MARK}
    assert not completion.usage
    assert OfflineProvider().complete(CompletionRequest(PROMPT), ToolContext()) == completion


def test_the_offline_provider_does_not_make_objects_up() -> None:
    with pytest.raises(ProviderError, match="No model is set up"):
        OfflineProvider().complete(CompletionRequest("x", output_schema={"type": "object"}), ToolContext())


@pytest.mark.parametrize("text", ["", "   \n ", "1 2 3", "x" * 10_000, "a. " * 10_000])
def test_any_text_can_be_quoted(text: str) -> None:
    assert len(extract(text)) <= MAX_QUOTE
