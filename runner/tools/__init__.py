"""The tool API that apps build on: `@tool`, `@skill`, their context and errors. No Django, no rows, no flow logic.

An app offers tools by having a module `tools` with functions like

    @tool(effect="idempotent", cost_usd=0.01)
    def book_room(room: str, nights: int = 1, *, ctx: ToolContext) -> dict[str, object]: ...

and skills by having a module `skills`: see `skills.py`.
"""

from runner.tools.abort import Aborted, AbortToken
from runner.tools.context import ToolContext
from runner.tools.errors import DefinitionError, ToolError
from runner.tools.registry import TOOLS, Tool, ToolRegistry, tool
from runner.tools.skills import SKILLS, Skill, SkillRegistry, material_of, register_skill, skill

__all__ = [
    "SKILLS",
    "TOOLS",
    "AbortToken",
    "Aborted",
    "DefinitionError",
    "Skill",
    "SkillRegistry",
    "Tool",
    "ToolContext",
    "ToolError",
    "ToolRegistry",
    "material_of",
    "register_skill",
    "skill",
    "tool",
]
