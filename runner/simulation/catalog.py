"""The catalog of a flow test: stand-in tools, any handler and skill, the flows it brings, a site without rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from editor.language.catalog import HandlerSpec, SitePolicy, SkillSpec, StaticCatalog, ToolSpec
from editor.language.definition import LONGEST_DELAY_MS, Definition
from runner.simulation.flow_test_file import FlowTest, SkillDeclaration

#: The site's own expiry of approvals in a flow test: an approval that nobody decides stays open,
#: unless a rule or the node says how long.
NEVER_MS = LONGEST_DELAY_MS


@dataclass(frozen=True)
class FlowTestCatalog(StaticCatalog):
    """Knows every handler and skill: what one does is the test's to say. An undeclared skill answers with a text."""

    def handler(self, name: str) -> HandlerSpec | None:
        return HandlerSpec(name)

    def skill(self, ref: str) -> SkillSpec | None:
        return self.skill_specs.get(ref) or _stand_in_skill(ref)


def _stand_in_skill(ref: str, given: SkillDeclaration | None = None) -> SkillSpec:
    name, _, version = ref.partition("@")
    stand_in = SkillSpec(name, version or "0.0.0", "flow test")
    return stand_in if given is None else replace(stand_in, tools=given.tools, output_schema=given.output_schema)


def catalog_of(test: FlowTest, flows: Mapping[tuple[str, int], Definition] | None = None) -> FlowTestCatalog:
    """The catalog that a test declares. A tool that only has replies takes any arguments."""
    tools = {name: ToolSpec(name, "", {}) for name in test.replies if not name.startswith(("llm:", "handler:"))}
    for name, given in test.tools.items():
        tools[name] = ToolSpec(
            name,
            "",
            given.tool_schema,
            read_only=given.read_only,
            effect=given.effect,
            needs_approval=given.needs_approval,
        )
    return FlowTestCatalog(
        tool_specs=tools,
        skill_specs={ref: _stand_in_skill(ref, given) for ref, given in test.skills.items()},
        roles=dict(test.roles),
        flows=dict(flows or {}),
        site=SitePolicy(default="allow", approval_expires_ms=NEVER_MS),
    )
