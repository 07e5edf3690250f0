"""The tool API that apps build on: `@tool`, its context and its errors. No Django, no rows, no flow logic.

An app offers tools by having a module `tools` with functions like

    @tool(effect="idempotent", cost_usd=0.01)
    def book_room(room: str, nights: int = 1, *, ctx: ToolContext) -> dict[str, object]: ...
"""

from runner.tools.abort import Aborted, AbortToken
from runner.tools.context import ToolContext
from runner.tools.errors import DefinitionError, ToolError
from runner.tools.registry import TOOLS, Tool, ToolRegistry, tool

__all__ = [
    "TOOLS",
    "AbortToken",
    "Aborted",
    "DefinitionError",
    "Tool",
    "ToolContext",
    "ToolError",
    "ToolRegistry",
    "tool",
]
