"""Tokens -> program. An operator-precedence reader with stacks of its own: depth is counted, not recursed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from editor.language.expressions.errors import Refusal
from editor.language.expressions.lexer import Token, TokenKind
from editor.language.expressions.limits import MAX_LEVELS
from editor.language.expressions.numbers import number_text
from editor.language.expressions.paths import Path
from editor.language.expressions.program import Instruction, Op, Program
from editor.language.expressions.values import UNDEFINED

BINDING = {
    "||": 1,
    "&&": 2,
    **dict.fromkeys(("==", "!=", "===", "!=="), 3),
    **dict.fromkeys(("<", "<=", ">", ">="), 4),
    **dict.fromkeys(("+", "-"), 5),
    **dict.fromkeys(("*", "/", "%"), 6),
}
UNARY_BINDING = 7
UNARY_OPERATORS = frozenset("!-+")
WORDS = {"true": True, "false": False, "null": None}
_SHORT_CIRCUIT = {"&&": Op.AND, "||": Op.OR}
_CLOSING = {"group": ")", "call": ")", "index": "]"}
_FOREIGN_WORDS = frozenset(
    ("and", "or", "not", "is", "in", "if", "new", "typeof", "void", "delete", "instanceof", "await", "lambda")
)


@dataclass(slots=True)
class _Operator:
    """An operator that waits for its right operand; `jump` is its instruction when it short-circuits."""

    symbol: str
    binding: int
    position: int
    jump: Instruction | None = None


@dataclass(slots=True)
class _Bracket:
    """An open `(`, `[` or call: where it began in the source, the program and the operator stack.

    `arguments` counts the commas of a call, -1 stands for `()`; `jumps` are those of a lazy function.
    """

    form: str
    position: int
    start: int
    operators: int
    call: Instruction | None = None
    arguments: int = 0
    jumps: list[Instruction] = field(default_factory=list)


def parse(tokens: Sequence[Token], functions: Collection[str] = ()) -> Program:
    """Return the program of the tokens (END last); `functions` are the names that may be called.

    No tokens at all is the empty expression, whose value is undefined. Raises Refusal with a position.
    """
    if tokens[0].kind is TokenKind.END:
        return (Instruction(Op.CONSTANT, UNDEFINED, 0),)
    return _Reader(tokens, functions).read()


class _Reader:
    def __init__(self, tokens: Sequence[Token], functions: Collection[str]) -> None:
        self.tokens = tokens
        self.functions = functions
        self.index = 0
        self.code: list[Instruction] = []
        self.operators: list[_Operator] = []
        self.brackets: list[_Bracket] = []
        self.level = 1
        self.last = ""  # what the operand just read is: `member` and `name` can be called

    def read(self) -> Program:
        wants_operand = True
        while True:
            token = self.tokens[self.index]
            self.index += 1
            if wants_operand:
                wants_operand = self._operand(token)
            elif token.kind is TokenKind.END:
                self._finish(token)
                return tuple(self.code)
            else:
                wants_operand = self._after_operand(token)

    def _emit(self, op: Op, argument: object, position: int, last: str = "value") -> Instruction:
        instruction = Instruction(op, argument, position)
        self.code.append(instruction)
        self.last = last
        return instruction

    def _deepen(self, position: int) -> None:
        self.level += 1
        if self.level > MAX_LEVELS:
            raise Refusal(f"the expression is nested deeper than {MAX_LEVELS} levels", position)

    # -- where an operand is expected; the result says whether one is still expected afterwards

    def _operand(self, token: Token) -> bool:
        position = token.position
        match token.kind:
            case TokenKind.NUMBER:
                self._emit(Op.CONSTANT, token.value, position)
            case TokenKind.TEXT:
                self._text(token)
            case TokenKind.HOLE:
                self._emit(Op.HOLE, token.value, position)
            case TokenKind.NAME if token.value in WORDS:
                self._emit(Op.CONSTANT, WORDS[str(token.value)], position)
            case TokenKind.NAME:
                self._emit(Op.NAME, token.value, position, "name")
            case TokenKind.OPERATOR:
                return self._opening(token)
            case TokenKind.END:
                raise Refusal("the expression ends where a value is expected", position)
        return False

    def _text(self, token: Token) -> None:
        parts = token.value
        assert isinstance(parts, tuple)
        if len(parts) == 1:
            self._emit(Op.CONSTANT, parts[0], token.position)
        else:
            self._emit(Op.TEXT, parts, token.position)

    def _opening(self, token: Token) -> bool:
        symbol = str(token.value)
        if symbol in UNARY_OPERATORS:
            self._deepen(token.position)
            self.operators.append(_Operator(symbol, UNARY_BINDING, token.position))
            return True
        if symbol == "(":
            self._open("group", token.position)
            return True
        if symbol == ")" and self._closes_empty_call():
            self._close(token)
            return False
        if symbol == "[":
            raise Refusal("list literals are not supported", token.position)
        raise Refusal(f"a value is expected before {symbol}", token.position)

    def _closes_empty_call(self) -> bool:
        """Return whether the token before this `)` opened a call; note then that it has no arguments."""
        before = self.tokens[self.index - 2] if self.index > 1 else None
        if before is None or before.kind is not TokenKind.OPERATOR or before.value != "(":
            return False
        if self.brackets[-1].call is None:
            return False
        self.brackets[-1].arguments = -1
        return True

    # -- after an operand

    def _after_operand(self, token: Token) -> bool:
        symbol = token.value if token.kind is TokenKind.OPERATOR else None
        if symbol in BINDING:
            self._binary(str(symbol), token.position)
            return True
        match symbol:
            case ".":
                self._property(token)
                return False
            case "[":
                self._open("index", token.position)
                return True
            case "(":
                self._call(token)
                return True
            case ",":
                self._comma(token)
                return True
            case ")" | "]":
                self._close(token)
                return False
        raise Refusal(self._unexpected(token), token.position)

    def _unexpected(self, token: Token) -> str:
        if token.kind is TokenKind.NAME and token.value in _FOREIGN_WORDS:
            return f"the word `{token.value}` is no operator here"
        before = self.tokens[self.index - 2]
        if before.kind is TokenKind.NAME and before.value in _FOREIGN_WORDS:
            return f"the word `{before.value}` is no operator here"
        return f"an operator is expected before this {token.kind.value}"

    def _binary(self, symbol: str, position: int) -> None:
        self._reduce(BINDING[symbol])
        operator = _Operator(symbol, BINDING[symbol], position)
        if symbol in _SHORT_CIRCUIT:
            operator.jump = self._emit(_SHORT_CIRCUIT[symbol], None, position)
        self.operators.append(operator)

    def _property(self, token: Token) -> None:
        name = self.tokens[self.index]
        if name.kind is not TokenKind.NAME:
            raise Refusal("a name is expected after the dot", name.position)
        self.index += 1
        self._emit(Op.MEMBER, name.value, token.position, "member")

    def _reduce(self, binding: int) -> None:
        """Carry out the waiting operators of this bracket that bind at least as tightly as `binding`."""
        floor = self.brackets[-1].operators if self.brackets else 0
        while len(self.operators) > floor and self.operators[-1].binding >= binding:
            operator = self.operators.pop()
            if operator.jump is not None:
                operator.jump.argument = len(self.code)
                self.last = "value"
            elif operator.binding == UNARY_BINDING:
                self.level -= 1
                self._emit(Op.UNARY, operator.symbol, operator.position)
            else:
                self._emit(Op.BINARY, operator.symbol, operator.position)

    # -- brackets and calls

    def _open(self, form: str, position: int, call: Instruction | None = None) -> None:
        self._deepen(position)
        self.brackets.append(_Bracket(form, position, len(self.code), len(self.operators), call))

    def _call(self, token: Token) -> None:
        callee = self.code[-1]
        if self.last == "member":
            self.code.pop()
            if callee.op is Op.INDEX:
                call = Instruction(Op.COMPUTED_METHOD, None, token.position)
            else:
                call = Instruction(Op.METHOD, callee.argument, callee.position)
        elif self.last == "name" and callee.argument in self.functions:
            self.code.pop()
            call = Instruction(Op.FUNCTION, callee.argument, callee.position)
        elif self.last == "name":
            raise Refusal(self._unknown_function(str(callee.argument)), callee.position)
        else:
            raise Refusal("only a method or a function can be called", token.position)
        self._open("call", token.position, call)

    def _unknown_function(self, name: str) -> str:
        if self.functions:
            return f"there is no function `{name}`"
        return (
            f"`{name}(…)` cannot be called in a condition: compute first (a value expression of a "
            "transform or set_variable may call functions), then compare"
        )

    def _comma(self, token: Token) -> None:
        bracket = self.brackets[-1] if self.brackets else None
        if bracket is None or bracket.call is None:
            raise Refusal("a comma stands only between arguments", token.position)
        self._reduce(1)
        bracket.arguments += 1
        self._lazy_argument(bracket, token.position)

    def _lazy_argument(self, bracket: _Bracket, position: int) -> None:
        """Let `if` and `default` evaluate only the argument they give: jump over the others."""
        assert bracket.call is not None
        if bracket.call.op is not Op.FUNCTION:
            return
        name, count = bracket.call.argument, bracket.arguments
        if name == "if" and count == 1:
            bracket.jumps.append(self._emit(Op.UNLESS, None, position))
        elif name == "if" and count == 2:
            bracket.jumps.append(self._emit(Op.JUMP, None, position))
            bracket.jumps[0].argument = len(self.code)
        elif name == "default" and count == 1:
            self._make_optional(bracket.start)
            bracket.jumps.append(self._emit(Op.DEFAULT, None, position))

    def _make_optional(self, start: int) -> None:
        """Let the first argument of `default` be missing anywhere along its path, also as a variable."""
        root, *members = self.code[start:]
        if root.op is not Op.NAME or any(step.op is not Op.MEMBER for step in members):
            return
        keys = tuple(number_text(key) if isinstance(key, float) else key for key in (m.argument for m in members))
        self.code[start:] = [Instruction(Op.OPTIONAL, Path(root.argument, keys), root.position)]

    def _close(self, token: Token) -> None:
        bracket = self.brackets[-1] if self.brackets else None
        if bracket is None or _CLOSING[bracket.form] != token.value:
            raise Refusal(f"there is no opening bracket for this {token.value}", token.position)
        self._reduce(1)
        self.brackets.pop()
        self.level -= 1
        if bracket.form == "index":
            self._close_index(bracket)
        elif bracket.call is not None:
            self._close_call(bracket, bracket.call)
        elif self.last != "member":
            self.last = "value"

    def _close_index(self, bracket: _Bracket) -> None:
        only = self.code[-1] if len(self.code) == bracket.start + 1 else None
        is_key = only is not None and type(only.argument) in (str, int, float)
        if only is not None and only.op is Op.CONSTANT and is_key:
            self.code.pop()
            self._emit(Op.MEMBER, only.argument, bracket.position, "member")
        else:
            self._emit(Op.INDEX, None, bracket.position, "member")

    def _close_call(self, bracket: _Bracket, call: Instruction) -> None:
        count = bracket.arguments + 1
        if bracket.jumps:
            self._close_lazy(bracket, call, count)
        elif call.op is Op.COMPUTED_METHOD:
            self._emit(call.op, count, call.position)
        else:
            self._emit(call.op, (call.argument, count), call.position)

    def _close_lazy(self, bracket: _Bracket, call: Instruction, count: int) -> None:
        wanted = 3 if call.argument == "if" else 2
        if count != wanted:
            raise Refusal(f"`{call.argument}` takes {wanted} arguments, not {count}", call.position)
        bracket.jumps[-1].argument = len(self.code)
        self.last = "value"

    def _finish(self, token: Token) -> None:
        if self.brackets:
            bracket = self.brackets[-1]
            raise Refusal(f"this bracket is never closed by {_CLOSING[bracket.form]}", bracket.position)
        self._reduce(1)
