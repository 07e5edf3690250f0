"""What the log lines of a piece of work have in common: which run, step, worker. Formatting them is the site's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

FIELDS = ("run_id", "step_id", "path", "attempt", "flow", "worker")
"""What may be bound: names of things, never what people or programs gave."""

_NOTHING: Mapping[str, object] = {}
_bound: ContextVar[Mapping[str, object]] = ContextVar("log_context", default=_NOTHING)


@contextmanager
def bound(**fields: object) -> Iterator[None]:
    """Let the log lines of this block, in this thread and in what copies its context, carry these FIELDS."""
    token = _bound.set({**_bound.get(), **fields})
    try:
        yield
    finally:
        _bound.reset(token)


def bound_fields() -> Mapping[str, object]:
    """What is bound here and now."""
    return _bound.get()
