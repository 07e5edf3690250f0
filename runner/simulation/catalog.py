"""The catalog of a flow test: stand-in tools, any handler, the flows it brings, a site without rules."""

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
    """Knows every handler: what one does is the test's to say."""

    def handler(self, name: str) -> HandlerSpec | None:
        return HandlerSpec(name)


def _stand_in_skill(ref: str, given: SkillDeclaration | None = None) -> SkillSpec:
    name, _, version = ref.partition("@")
    stand_in = SkillSpec(name, version or "0.0.0", "flow test")
    return stand_in if given is None else replace(stand_in, tools=given.tools, output_schema=given.output_schema)


def catalog_of(test: FlowTest, flows: Mapping[tuple[str, int], Definition] | None = None) -> FlowTestCatalog:
    """The catalog that a test declares. A tool that only has replies takes any arguments, and a skill that is not
    declared answers with a text, where its agent has replies.
    """
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
        skill_specs={
            **{ref: _stand_in_skill(ref) for ref in _skills_with_replies(test)},
            **{ref: _stand_in_skill(ref, given) for ref, given in test.skills.items()},
        },
        roles=dict(test.roles),
        flows=dict(flows or {}),
        site=SitePolicy(default="allow", approval_expires_ms=NEVER_MS),
    )


def _skills_with_replies(test: FlowTest) -> set[str]:
    """The skills that agents with replies name. Documents are as written: whatever may stand in them."""
    found = set()
    for document in (test.flow, *test.flows.values()):
        nodes = document.get("nodes")
        for node in nodes if isinstance(nodes, list) else []:
            config = node.get("config") if isinstance(node, dict) else None
            skill = config.get("skill") if isinstance(config, dict) else None
            if isinstance(skill, str) and f"llm:{node.get('id')}" in test.replies:
                found.add(skill)
    return found
