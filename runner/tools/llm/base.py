"""What a source of models is asked and answers. No provider lives here."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from runner.engine.rows import Usage
from runner.tools.context import ToolContext


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """One question to a model. `model` is the provider's own name of it, empty for its default."""

    prompt: str
    system: str | None = None
    model: str = ""
    temperature: float | None = None
    output_schema: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """The answer. `text` is as the model gave it, `notes` go beside the step run's output."""

    text: str
    usage: Usage = field(default_factory=Usage)
    notes: dict[str, Any] = field(default_factory=dict)


class Provider(Protocol):
    """A source of models. `complete` may be async; it obeys `ctx.abort` and raises ProviderError.

    An attempt may be repeated after its worker died, so a provider that can should pass `ctx.effect_key` on.
    """

    @property
    def name(self) -> str:
        """The word before the colon in a model's name."""
        ...

    def models(self) -> Sequence[str]:
        """The models it is known to have, by their own names; empty: it has but one, or nobody knows."""
        ...

    def complete(self, request: CompletionRequest, ctx: ToolContext) -> Completion | Awaitable[Completion]:
        """Ask a model."""
        ...
