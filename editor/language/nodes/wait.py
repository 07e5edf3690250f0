"""The node type `wait`: lets time pass, or waits for a call from outside. Timers are the runner's."""

from __future__ import annotations

import re

from pydantic import field_validator, model_validator

from editor.language.definition import NodeConfig
from editor.language.document import Count, ExprObject, Opt, TemplateText
from editor.language.nodes.base import NodeType

_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})")


def is_fixed_text(value: object) -> bool:
    """Whether a text holds no placeholder, so that it can be checked before a run."""
    return isinstance(value, str) and "{{" not in value and not value.startswith("$")


class WaitConfig(NodeConfig):
    """How long, until when, or for which signal."""

    duration_ms: Opt[Count | str | ExprObject] = None
    """How long, in milliseconds; a placeholder must give a whole number."""
    until: Opt[TemplateText] = None
    """Until when: RFC 3339 with an offset."""
    signal: Opt[TemplateText] = None
    """Key of the signal that continues it; the signal's value is the output."""
    fresh: bool = False
    """Whether a signal that came before the wait does not count."""

    @field_validator("until")
    @classmethod
    def _is_a_moment(cls, value: str | None) -> str | None:
        if is_fixed_text(value) and not _MOMENT.fullmatch(str(value)):
            raise ValueError("write a moment as 2030-01-31T08:00:00+01:00, with its offset")
        return value

    @field_validator("duration_ms")
    @classmethod
    def _is_a_number(cls, value: object) -> object:
        if is_fixed_text(value):
            raise ValueError("write the duration as a number of milliseconds, or as one placeholder")
        return value

    @model_validator(mode="after")
    def _one_of_three(self) -> WaitConfig:
        given = [name for name in ("duration_ms", "until", "signal") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError("give exactly one of duration_ms, until and signal")
        if self.fresh and self.signal is None:
            raise ValueError("fresh belongs to a signal")
        return self


class Wait(NodeType):
    name = "wait"
    category = "people"
    title = "Wait"
    description = "Waits for a time or for a signal, without holding a worker."
    Config = WaitConfig
    template_fields = ("duration_ms", "until", "signal")
    text_fields = frozenset({"until", "signal"})
    holds_worker = False
