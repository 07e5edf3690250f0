"""The compiled form of an expression: a flat list of instructions for a stack, without loops or nesting.

Flat, so that neither reading nor running one needs recursion, and every instruction runs at most once.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any


class Op(Enum):
    """What an instruction does; `argument` in brackets. Values are taken from and put on the stack."""

    CONSTANT = "put (value)"
    NAME = "put the variable (name); one that is missing is an error"
    HOLE = "put the value at (path), undefined when it is missing"
    OPTIONAL = "the same, for a path of bare names"
    TEXT = "put the text of (parts), texts and paths"
    MEMBER = "replace the top by its member (key)"
    INDEX = "replace value and key by the member"
    UNARY = "replace the top by (operator) of it"
    BINARY = "replace left and right by (operator) of both"
    AND = "top falsy: keep it and go to (instruction); else drop it"
    OR = "top truthy: keep it and go to (instruction); else drop it"
    DEFAULT = "top neither null nor undefined: keep it and go to (instruction); else drop it"
    UNLESS = "drop the top; if it was falsy go to (instruction)"
    JUMP = "go to (instruction)"
    METHOD = "replace receiver and (count) arguments by what its method (name) gives"
    COMPUTED_METHOD = "the same, the name of the method lying between receiver and (count) arguments"
    FUNCTION = "replace (count) arguments by what the function (name) gives"


JUMPS = frozenset({Op.AND, Op.OR, Op.DEFAULT, Op.UNLESS, Op.JUMP})


@dataclass(slots=True)
class Instruction:
    """One step; `position` is the 0-based character of the source that an error of it points at."""

    op: Op
    argument: Any
    position: int


Program = tuple[Instruction, ...]
