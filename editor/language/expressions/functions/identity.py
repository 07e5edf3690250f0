"""What makes two values the same for `unique`: a key of their content that can be looked up."""

from __future__ import annotations

from collections.abc import Hashable

from editor.language.canonical import canonical_text
from editor.language.expressions.limits import Meter
from editor.language.expressions.values import is_nil, kind, storable


def identity(value: object, meter: Meter) -> Hashable:
    """Return a key that two values share exactly when they are equal; null and undefined are one.

    Raises Refusal for what is no JSON value.
    """
    if is_nil(value):
        return None
    if isinstance(value, bool):
        return "boolean", value
    if isinstance(value, int | float):
        return ("number", value) if value == value else "NaN"
    if isinstance(value, str):
        return "text", value
    return kind(value), canonical_text(storable(value, meter))
