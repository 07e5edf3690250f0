"""What a source of models is asked and answers. No provider lives here."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from runner.engine.rows import Usage
from runner.tools.context import ToolContext


@dataclass(frozen=True, slots=True)
class Repair:
    """An answer that did not fit the output_schema, and every problem with it: the model is asked once more."""

    answer: str
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """One question to a model. `model` is the provider's own name of it, empty for its default.

    An agent also has `tools`, the names of those it may ask for, and `turns`: what it asked for so far, a list
    of `{tool, arguments, result | error}` for each turn. `repair`: what was wrong with the answer before.
    `skill`: the skill it is asked through, as `name@version`; what that tells the model stands in `system`.
    """

    prompt: str
    system: str | None = None
    model: str = ""
    temperature: float | None = None
    output_schema: dict[str, Any] | None = None
    tools: tuple[str, ...] = ()
    turns: tuple[list[dict[str, Any]], ...] = ()
    repair: Repair | None = None
    skill: str = ""


@dataclass(frozen=True, slots=True)
class Completion:
    """The answer. `text` is as the model gave it, `notes` go beside the step run's output, the runner counts `usage`.

    `tool_calls`, each `{tool, arguments}`: an agent's model does not answer yet, it wants these called.
    """

    text: str
    usage: Usage = field(default_factory=Usage)
    notes: dict[str, Any] = field(default_factory=dict)
    tool_calls: tuple[dict[str, Any], ...] = ()


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
