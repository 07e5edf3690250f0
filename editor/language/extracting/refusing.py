"""Why nodes cannot be cut out: every reason, each with the node it is about."""

from __future__ import annotations

from dataclasses import dataclass, field

from editor.language.errors import LanguageError

SHOWN = 5


@dataclass(frozen=True)
class Reason:
    """One reason, as a sentence that says what to do; `node`: the node it is about, if it is one."""

    message: str
    node: str | None = None

    def as_json(self) -> dict[str, str]:
        """The reason as the API shows it."""
        return {"message": self.message} | ({} if self.node is None else {"node": self.node})


class ExtractionRefusedError(LanguageError):
    """The nodes cannot be cut out; `reasons` lists why."""

    def __init__(self, reasons: tuple[Reason, ...]) -> None:
        self.reasons = reasons
        told = " ".join(one.message for one in reasons[:SHOWN])
        more = f" And {len(reasons) - SHOWN} more reasons." if len(reasons) > SHOWN else ""
        details = {"reasons": [one.as_json() for one in reasons]}
        super().__init__("validation_failed", f"These nodes cannot become a sub-flow. {told}{more}", details)


@dataclass
class Reasons:
    """Collects reasons, each once."""

    found: dict[Reason, None] = field(default_factory=dict)

    def add(self, message: str, node: str | None = None) -> None:
        """Note one more reason."""
        self.found.setdefault(Reason(message, node))

    def settle(self) -> None:
        """Raise ExtractionRefusedError if there is any reason."""
        if self.found:
            raise ExtractionRefusedError(tuple(self.found))
