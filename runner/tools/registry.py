"""`@tool` and the registry behind it. Running a tool is calling.py's, permissions are the engine's."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from editor.language.catalog import Effect, ToolSpec
from editor.language.outcomes import Backend
from editor.language.policy import usd_to_micros
from runner.tools.errors import DefinitionError
from runner.tools.signature import Signature, read_signature

Function = TypeVar("Function", bound=Callable[..., Any])
Approval = bool | Callable[[dict[str, Any]], bool]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,199}")


@dataclass(frozen=True, slots=True)
class Tool:
    """A registered tool: what a flow sees of it, and the function behind it. `timeout_ms`: its own limit."""

    spec: ToolSpec
    function: Callable[..., Any] = field(repr=False)
    signature: Signature = field(repr=False)
    timeout_ms: int | None = None

    @property
    def is_async(self) -> bool:
        """Whether the function is a coroutine function."""
        return inspect.iscoroutinefunction(self.function)


class ToolRegistry:
    """Tools by name."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}

    def register(self, tool: Tool) -> Tool:
        """Add a tool; the same function again (a reloaded module) takes its place.

        Raises DefinitionError if another function has that name.
        """
        name = tool.spec.name
        known = self._tools.get(name)
        if known is not None and _origin(known.function) != _origin(tool.function):
            raise DefinitionError(
                f"The tool {name!r} is defined twice: in {_origin(known.function)} and"
                f" {_origin(tool.function)}. Give one of them another name."
            )
        self._tools[name] = tool
        return tool

    def get(self, name: str) -> Tool | None:
        """The tool with this name, or None."""
        return self._tools.get(name)

    def all(self) -> Sequence[Tool]:
        """Every tool, by name."""
        return [self._tools[name] for name in sorted(self._tools)]


TOOLS = ToolRegistry()
"""The tools of this installation. Apps fill it by having a module `tools`, imported when the site starts."""


def tool(
    *,
    name: str | None = None,
    effect: Effect = "idempotent",
    read_only: bool = False,
    needs_approval: Approval = False,
    group: str | None = None,
    editable: bool = False,
    backend: Backend = "inline",
    cost_usd: float = 0,
    timeout_ms: int | None = None,
    description: str | None = None,
    registry: ToolRegistry = TOOLS,
) -> Callable[[Function], Function]:
    """Offer a plain or async function to flows as a tool; the function itself stays as it is.

    `name`: left out, the function's. `effect`: what a repeated call does: `pure` nothing, `idempotent` no
    harm (use `ctx.effect_key`), `at_most_once` harm, so that a lost call is never repeated unasked.
    `read_only`: it changes nothing outside. `needs_approval`: whether (or for which arguments) a person is
    asked first, `group` who, `editable` whether that person may change the arguments. `cost_usd`: of one
    call. `timeout_ms`: the abort signal comes after so long at the latest; the node's limit may be nearer.
    Arguments, their types, defaults and descriptions come from the signature and its docstring (`Args:`).
    A parameter annotated ToolContext receives the context. Raises DefinitionError.
    """

    def decorate(function: Function) -> Function:
        own_name = function.__name__ if name is None else name
        if not _NAME.fullmatch(own_name):
            raise DefinitionError(f"{own_name!r} is no name for a tool: use letters, digits, . : _ and -.")
        if read_only and effect == "at_most_once":
            raise DefinitionError(f"{own_name}: a read-only tool cannot be at_most_once.")
        if timeout_ms is not None and timeout_ms < 1:
            raise DefinitionError(f"{own_name}: timeout_ms is a positive number of milliseconds.")
        signature = read_signature(function, own_name)
        spec = ToolSpec(
            name=own_name,
            description=description or signature.description,
            schema=signature.schema,
            read_only=read_only,
            effect=effect,
            needs_approval=needs_approval,
            group=group,
            editable=editable,
            backend=backend,
            cost_micros=usd_to_micros(cost_usd),
        )
        registry.register(Tool(spec, function, signature, timeout_ms))
        return function

    return decorate


def _origin(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"
