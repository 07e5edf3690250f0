"""What compiled templates are made of: one small class per kind of piece. Reading a config value: `templates`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from editor.language.expressions import utf16
from editor.language.expressions.errors import Refusal
from editor.language.expressions.expression import Expression
from editor.language.expressions.limits import Meter
from editor.language.expressions.paths import Path
from editor.language.expressions.static import Read, placeholder_reads
from editor.language.expressions.values import UNDEFINED, inserted_text

Names = Mapping[str, object]


class Part(Protocol):
    """One piece of a compiled template; rendering raises Refusal, or ExpressionError for an `$expr`."""

    def render(self, names: Names, meter: Meter) -> object: ...

    def reads(self) -> Iterator[Read]: ...


@dataclass(frozen=True, slots=True)
class Constant:
    """A value without placeholders."""

    value: object

    def render(self, names: Names, meter: Meter) -> object:
        return self.value

    def reads(self) -> Iterator[Read]:
        return iter(())


@dataclass(frozen=True, slots=True)
class Whole:
    """A text that is exactly one `{{path}}`: the value itself, '' when it is missing."""

    path: Path

    def render(self, names: Names, meter: Meter) -> object:
        value = _look_up(self.path, names, meter)
        return "" if value is UNDEFINED else value

    def reads(self) -> Iterator[Read]:
        return placeholder_reads((self.path,))


@dataclass(frozen=True, slots=True)
class Dollar:
    """A text that is exactly `$name`: the value itself, the text as written without such a variable."""

    name: str

    def render(self, names: Names, meter: Meter) -> object:
        value = _look_up(Path(self.name), names, meter)
        return f"${self.name}" if value is UNDEFINED else value

    def reads(self) -> Iterator[Read]:
        return iter((Read(self.name, (), "dollar"),))


@dataclass(frozen=True, slots=True)
class Text:
    """A text with placeholders in it; what they insert is never read again."""

    parts: tuple[str | Path, ...]

    def render(self, names: Names, meter: Meter) -> object:
        pieces: list[str] = []
        for part in self.parts:
            piece = part if isinstance(part, str) else _inserted(part, names, meter)
            meter.keep_text(len(piece))
            pieces.append(piece)
        return utf16.well_formed("".join(pieces))

    def reads(self) -> Iterator[Read]:
        return placeholder_reads(self.parts)


@dataclass(frozen=True, slots=True)
class Computed:
    """The value of an `$expr`."""

    expression: Expression

    def render(self, names: Names, meter: Meter) -> object:
        value = self.expression.value(names, meter)
        if isinstance(value, str):
            meter.keep_text(len(value))
        return value

    def reads(self) -> Iterator[Read]:
        return iter(self.expression.reads)


@dataclass(frozen=True, slots=True)
class AsText:
    """Gives the text of what another part gives."""

    part: Part

    def render(self, names: Names, meter: Meter) -> object:
        return inserted_text(self.part.render(names, meter), meter)

    def reads(self) -> Iterator[Read]:
        return self.part.reads()


@dataclass(frozen=True, slots=True)
class List:
    """A list made anew each time."""

    items: tuple[Part, ...]

    def render(self, names: Names, meter: Meter) -> object:
        return [item.render(names, meter) for item in self.items]

    def reads(self) -> Iterator[Read]:
        for item in self.items:
            yield from item.reads()


@dataclass(frozen=True, slots=True)
class Object:
    """An object made anew each time; its keys are fixed texts."""

    items: Mapping[str, Part]

    def render(self, names: Names, meter: Meter) -> object:
        return {key: item.render(names, meter) for key, item in self.items.items()}

    def reads(self) -> Iterator[Read]:
        for item in self.items.values():
            yield from item.reads()


def _look_up(path: Path, names: Names, meter: Meter) -> object:
    """Return the value at `path` as it may be stored, UNDEFINED when it is missing."""
    try:
        value = path.look_up(names, meter)
        if isinstance(value, str):
            meter.keep_text(len(value))
            return utf16.well_formed(value)
        return value
    except Refusal as refusal:
        raise Refusal(f"{{{{{path}}}}}: {refusal.problem}") from None


def _inserted(path: Path, names: Names, meter: Meter) -> str:
    """Return the text of the value at `path`, '' when it is missing."""
    try:
        return inserted_text(path.look_up(names, meter), meter)
    except Refusal as refusal:
        raise Refusal(f"{{{{{path}}}}}: {refusal.problem}") from None
