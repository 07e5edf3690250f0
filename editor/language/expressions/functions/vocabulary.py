"""The table of everything a value expression may call. Apps cannot add to it: a flow means the same everywhere."""

from __future__ import annotations

from editor.language.expressions.errors import Refusal
from editor.language.expressions.functions import arithmetic, dates, lists, objects, texts
from editor.language.expressions.limits import Meter
from editor.language.expressions.methods import CONDITION_METHODS, Arguments, Callee, Vocabulary


def _lazy(values: Arguments, meter: Meter) -> object:
    """Stand for `if` and `default`, whose calls the parser turns into jumps."""
    raise Refusal("`if` and `default` are evaluated in place")


VALUE = Vocabulary(
    methods={**CONDITION_METHODS, **texts.METHODS, **lists.METHODS, **arithmetic.METHODS},
    functions={
        "if": Callee(3, 3, _lazy),
        "default": Callee(2, 2, _lazy),
        **texts.FUNCTIONS,
        **arithmetic.FUNCTIONS,
        **objects.FUNCTIONS,
        **lists.FUNCTIONS,
        **dates.FUNCTIONS,
    },
)
