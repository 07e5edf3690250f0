"""Runs programs: a stack, a meter, a small function per kind of instruction. It reads no text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from editor.language.expressions import utf16
from editor.language.expressions.errors import Refusal
from editor.language.expressions.limits import Meter
from editor.language.expressions.members import member, refuse_forbidden
from editor.language.expressions.methods import Vocabulary
from editor.language.expressions.operators import BINARY, UNARY
from editor.language.expressions.paths import Path
from editor.language.expressions.program import Instruction, Op, Program
from editor.language.expressions.values import inserted_text, is_nil, truthy

Names = Mapping[str, object]


class Frame:
    """What one evaluation holds: the variables, the stack of values, and what it may still spend."""

    __slots__ = ("meter", "names", "stack")

    def __init__(self, names: Names, meter: Meter) -> None:
        self.names = names
        self.stack: list[object] = []
        self.meter = meter


# Every handler returns the instruction to go on with, 0 for the next one (no jump leads to the first).
Handler = Callable[[Frame, Any], int]


class Machine:
    """A program linked to what it may call; `run` it as often as you like."""

    __slots__ = ("_positions", "_steps")

    def __init__(self, program: Program, vocabulary: Vocabulary) -> None:
        self._steps: list[tuple[Handler, Any]] = [_link(step, vocabulary) for step in program]
        self._positions = [step.position for step in program]

    def run(self, names: Names, meter: Meter) -> object:
        """Return the value of the program; raise Refusal with the position of the step that has none."""
        frame = Frame(names, meter)
        steps, index = self._steps, 0
        end = len(steps)
        try:
            while index < end:
                handler, argument = steps[index]
                index = handler(frame, argument) or index + 1
        except Refusal as refusal:
            raise Refusal(refusal.problem, self._positions[index]) from None
        return frame.stack[0]


def _link(step: Instruction, vocabulary: Vocabulary) -> tuple[Handler, Any]:
    match step.op:
        case Op.UNARY:
            return _unary, UNARY[step.argument]
        case Op.BINARY:
            return _binary, BINARY[step.argument]
        case Op.METHOD:
            name, count = step.argument
            return _method, (name, count, vocabulary)
        case Op.COMPUTED_METHOD:
            return _computed_method, (step.argument, vocabulary)
        case Op.FUNCTION:
            name, count = step.argument
            return _function, (name, count, vocabulary)
    return _HANDLERS[step.op], step.argument


def _constant(frame: Frame, value: object) -> int:
    frame.stack.append(value)
    return 0


def _name(frame: Frame, name: str) -> int:
    refuse_forbidden(name)
    try:
        frame.stack.append(frame.names[name])
    except KeyError:
        raise Refusal(f"there is no variable `{name}`") from None
    return 0


def _hole(frame: Frame, path: Path) -> int:
    frame.stack.append(path.look_up(frame.names, frame.meter))
    return 0


def _text(frame: Frame, parts: tuple[str | Path, ...]) -> int:
    pieces: list[str] = []
    size = 0
    for part in parts:
        piece = part if isinstance(part, str) else inserted_text(part.look_up(frame.names, frame.meter), frame.meter)
        size += len(piece)
        frame.meter.spend_text(size)
        pieces.append(piece)
    frame.stack.append(utf16.whole("".join(pieces)))
    return 0


def _member(frame: Frame, key: object) -> int:
    stack = frame.stack
    stack[-1] = member(stack[-1], key, frame.meter)
    return 0


def _index(frame: Frame, _: None) -> int:
    key = frame.stack.pop()
    return _member(frame, key)


def _unary(frame: Frame, operator: Callable[[object], object]) -> int:
    stack = frame.stack
    stack[-1] = operator(stack[-1])
    return 0


def _binary(frame: Frame, operator: Callable[[object, object, Meter], object]) -> int:
    stack = frame.stack
    right = stack.pop()
    stack[-1] = operator(stack[-1], right, frame.meter)
    return 0


def _and(frame: Frame, target: int) -> int:
    return _keep_or_drop(frame, not truthy(frame.stack[-1]), target)


def _or(frame: Frame, target: int) -> int:
    return _keep_or_drop(frame, truthy(frame.stack[-1]), target)


def _default(frame: Frame, target: int) -> int:
    return _keep_or_drop(frame, not is_nil(frame.stack[-1]), target)


def _keep_or_drop(frame: Frame, keep: bool, target: int) -> int:
    if keep:
        return target
    frame.stack.pop()
    return 0


def _unless(frame: Frame, target: int) -> int:
    return 0 if truthy(frame.stack.pop()) else target


def _jump(_: Frame, target: int) -> int:
    return target


def _method(frame: Frame, call: tuple[object, int, Vocabulary]) -> int:
    name, count, vocabulary = call
    refuse_forbidden(name)
    callee = vocabulary.methods.get(name) if isinstance(name, str) else None
    if callee is None:
        raise Refusal(vocabulary.unknown_method(str(name)))
    wrong = callee.wrong_count(str(name), count)
    if wrong is not None:
        raise Refusal(wrong)
    return _call(frame, callee.apply, count + 1)


def _computed_method(frame: Frame, call: tuple[int, Vocabulary]) -> int:
    count, vocabulary = call
    return _method(frame, (frame.stack.pop(-1 - count), count, vocabulary))


def _function(frame: Frame, call: tuple[str, int, Vocabulary]) -> int:
    name, count, vocabulary = call
    callee = vocabulary.functions[name]
    wrong = callee.wrong_count(name, count)
    if wrong is not None:
        raise Refusal(wrong)
    return _call(frame, callee.apply, count)


def _call(frame: Frame, apply: Callable[[list[object], Meter], object], count: int) -> int:
    stack = frame.stack
    start = len(stack) - count
    values = stack[start:]
    del stack[start:]
    stack.append(apply(values, frame.meter))
    return 0


_HANDLERS: dict[Op, Handler] = {
    Op.CONSTANT: _constant,
    Op.NAME: _name,
    Op.HOLE: _hole,
    Op.OPTIONAL: _hole,
    Op.TEXT: _text,
    Op.MEMBER: _member,
    Op.INDEX: _index,
    Op.AND: _and,
    Op.OR: _or,
    Op.DEFAULT: _default,
    Op.UNLESS: _unless,
    Op.JUMP: _jump,
}
