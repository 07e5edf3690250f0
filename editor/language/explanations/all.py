"""All explanations by their codes, and the site that their examples are checked on."""

from __future__ import annotations

from editor.language.catalog import HandlerSpec, SkillSpec, StaticCatalog, ToolSpec
from editor.language.explanations.drawing import DRAWING
from editor.language.explanations.explanation import Explanation, flow, node
from editor.language.explanations.limits import LIMITS
from editor.language.explanations.paths import PATHS
from editor.language.explanations.values import VALUES
from editor.language.schema import parse_document

CHAPTERS: tuple[tuple[str, tuple[Explanation, ...]], ...] = (
    ("The drawing", DRAWING),
    ("Values and names", VALUES),
    ("Paths that run at once, and loops", PATHS),
    ("Limits, people and references", LIMITS),
)
"""As the reference page shows them."""

EXPLANATIONS: dict[str, Explanation] = {one.code: one for _, chapter in CHAPTERS for one in chapter}

_OTHER = parse_document({**flow(node("a")), "id": "other"}).definition
assert _OTHER is not None

EXAMPLE_SITE = StaticCatalog(
    tool_specs={
        "pay": ToolSpec("pay", "", {}, effect="at_most_once"),
        "look": ToolSpec("look", "", {}, read_only=True),
    },
    handler_specs={"count": HandlerSpec("count", frozenset())},
    skill_specs={"research": SkillSpec("research", "1", "v1:0")},
    roles={"search": ("look",)},
    flows={("other", 1): _OTHER},
)
"""What the examples refer to: two tools, a handler, a role, a skill and another flow."""


def explanation_of(code: str) -> Explanation | None:
    """Why a check with this code is made; None for a code that no check has."""
    return EXPLANATIONS.get(code)
