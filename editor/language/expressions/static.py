"""What can be said of a program without running it: the places it reads, and the names it must not use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from editor.language.expressions.errors import Refusal
from editor.language.expressions.members import FORBIDDEN
from editor.language.expressions.methods import Vocabulary
from editor.language.expressions.numbers import number_text
from editor.language.expressions.paths import Path, PathKey
from editor.language.expressions.program import JUMPS, Instruction, Op, Program

ReadKind = Literal["name", "placeholder", "dollar"]


@dataclass(frozen=True, slots=True)
class Read:
    """One place that an expression or template reads.

    `path` holds the keys after the root that are known beforehand and stops at the first computed one; the
    `.length` of a text or list is such a key. `kind`: a bare name, a `{{placeholder}}` or a `$name`.
    """

    root: str
    path: tuple[PathKey, ...]
    kind: ReadKind

    @property
    def place(self) -> Path:
        """The same as a path that can be looked up and written."""
        return Path(self.root, self.path)


def find_reads(program: Program) -> tuple[Read, ...]:
    """Return every place the program may read, in source order, each once."""
    return tuple(dict.fromkeys(_reads(program)))


def _reads(program: Program) -> Iterator[Read]:
    targets = {step.argument for step in program if step.op in JUMPS}
    for index, step in enumerate(program):
        if step.op is Op.NAME:
            yield Read(step.argument, tuple(_keys_after(program, index + 1, targets)), "name")
        elif step.op is Op.HOLE:
            keys = (*step.argument.keys, *_keys_after(program, index + 1, targets))
            yield Read(step.argument.root, keys, "placeholder")
        elif step.op is Op.OPTIONAL:
            yield Read(step.argument.root, step.argument.keys, "name")
        elif step.op is Op.TEXT:
            yield from placeholder_reads(step.argument)


def placeholder_reads(parts: Iterable[object]) -> Iterator[Read]:
    """Yield what the placeholders among the parts of a text read."""
    for part in parts:
        if isinstance(part, Path):
            yield Read(part.root, part.keys, "placeholder")


def _keys_after(program: Program, index: int, targets: set[object]) -> Iterator[PathKey]:
    """Yield the fixed keys of the value just put; a key that is jumped to has another receiver."""
    while index < len(program) and program[index].op is Op.MEMBER and index not in targets:
        key = program[index].argument
        yield number_text(key) if isinstance(key, float) else key
        index += 1


def check_program(program: Program, vocabulary: Vocabulary) -> None:
    """Raise Refusal for a forbidden name, an unknown method or a wrong number of arguments."""
    for step in program:
        forbidden = _forbidden_name(step)
        if forbidden is not None:
            raise Refusal(f"the name `{forbidden}` is not allowed in expressions", step.position)
        if step.op in (Op.METHOD, Op.FUNCTION):
            _check_call(step, vocabulary)


def _forbidden_name(step: Instruction) -> str | None:
    match step.op:
        case Op.NAME | Op.MEMBER:
            return str(step.argument) if step.argument in FORBIDDEN else None
        case Op.METHOD:
            return str(step.argument[0]) if step.argument[0] in FORBIDDEN else None
        case Op.HOLE | Op.OPTIONAL:
            return str(step.argument.forbidden) if step.argument.forbidden else None
        case Op.TEXT:
            paths = (part for part in step.argument if isinstance(part, Path))
            return next((path.forbidden for path in paths if path.forbidden), None)
    return None


def _check_call(step: Instruction, vocabulary: Vocabulary) -> None:
    name, count = step.argument
    table = vocabulary.methods if step.op is Op.METHOD else vocabulary.functions
    if name not in table:
        raise Refusal(vocabulary.unknown_method(str(name)), step.position)
    wrong = table[name].wrong_count(str(name), count)
    if wrong is not None:
        raise Refusal(wrong, step.position)
