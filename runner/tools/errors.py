"""The errors of tools: what an author raises, what a wrong definition gives. Run errors are the engine's."""

from __future__ import annotations

import re
from collections.abc import Mapping

from editor.language.outcomes import ERROR_CODES

OWN_CODES = frozenset({"tool_failed", "tool_args_invalid", "provider_failed", "output_invalid", "not_found"})
"""Codes of the product that a tool may give itself; every other one has a meaning that it must not claim."""

_SLUG = re.compile(r"[a-z][a-z0-9_]{0,62}")


class DefinitionError(TypeError):
    """A tool, handler or provider is written in a way that flows cannot use; the message says how."""


class ToolError(Exception):
    """The call failed, and people shall read why: `message` is a sentence for them, without secrets.

    `code` is a slug that edges and retries can ask for: one of the author's own, or one of `OWN_CODES`.
    `details` is JSON data about the failure. Raises ValueError for a code that means something else here.
    """

    def __init__(self, message: str, code: str = "tool_failed", details: Mapping[str, object] | None = None) -> None:
        if not _SLUG.fullmatch(code) or (code in ERROR_CODES and code not in OWN_CODES):
            raise ValueError(f"{code!r} cannot be the code of a tool's error; choose a slug of your own")
        super().__init__(message)
        self.message = message
        self.code = code
        self.details: dict[str, object] | None = dict(details) if details else None


class ProviderError(ToolError):
    """A model could not be asked, or gave no answer."""

    def __init__(self, message: str, details: Mapping[str, object] | None = None) -> None:
        super().__init__(message, "provider_failed", details)
