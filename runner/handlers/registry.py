"""`@handler` and the registry behind it: code of apps that works on a run's state."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from editor.language.catalog import HandlerSpec
from runner.tools.errors import DefinitionError

Function = TypeVar("Function", bound=Callable[..., Any])

PARAMETERS = ("state", "options", "ctx")
"""What a handler's function may ask for, by these names."""


@dataclass(frozen=True, slots=True)
class Handler:
    """A registered handler: what a flow sees of it, and the function behind it."""

    spec: HandlerSpec
    function: Callable[..., Any] = field(repr=False)
    parameters: tuple[str, ...] = PARAMETERS


class HandlerRegistry:
    """Handlers by name."""

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}

    def register(self, handler: Handler) -> Handler:
        """Add a handler; the same function again (a reloaded module) takes its place.

        Raises DefinitionError if another function has that name.
        """
        known = self._handlers.get(handler.spec.name)
        if known is not None and _origin(known.function) != _origin(handler.function):
            raise DefinitionError(
                f"The handler {handler.spec.name!r} is defined twice: in {_origin(known.function)} and"
                f" {_origin(handler.function)}. Give one of them another name."
            )
        self._handlers[handler.spec.name] = handler
        return handler

    def get(self, name: str) -> Handler | None:
        """The handler with this name, or None."""
        return self._handlers.get(name)

    def all(self) -> Sequence[Handler]:
        """Every handler, by name."""
        return [self._handlers[name] for name in sorted(self._handlers)]


HANDLERS = HandlerRegistry()
"""The handlers of this installation. Apps fill it from a module `handlers`, imported at start."""


def handler(
    name: str,
    *,
    writes: Iterable[str] | None = None,
    description: str | None = None,
    options_schema: dict[str, Any] | None = None,
    registry: HandlerRegistry = HANDLERS,
) -> Callable[[Function], Function]:
    """Offer a plain or async function to nodes of the type `handler`; the function itself stays as it is.

    It takes any of `state` (the keys that the node declares as its inputs), `options` and `ctx`, and gives
    `{"state": {changed keys}, "output"?, "usage"?}` (or None: nothing changes). `writes`: the state keys
    it may set; None: nobody knows. `options_schema`: JSON Schema of its options. Raises DefinitionError.
    """

    def decorate(function: Function) -> Function:
        parameters = tuple(inspect.signature(function).parameters)
        strange = [parameter for parameter in parameters if parameter not in PARAMETERS]
        if strange:
            raise DefinitionError(
                f"{name}: a handler can ask for state, options and ctx; it has no {strange[0]!r} to give."
            )
        about = description or " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
        spec = HandlerSpec(name, None if writes is None else frozenset(writes), about, options_schema)
        registry.register(Handler(spec, function, parameters))
        return function

    return decorate


def _origin(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"
