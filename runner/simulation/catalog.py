"""The catalog of a flow test: stand-in tools, any handler, the flows it brings, a site without rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from editor.language.catalog import HandlerSpec, SitePolicy, StaticCatalog, ToolSpec
from editor.language.definition import LONGEST_DELAY_MS, Definition
from runner.simulation.flow_test_file import FlowTest

#: The site's own expiry of approvals in a flow test: an approval that nobody decides stays open,
#: unless a rule or the node says how long.
NEVER_MS = LONGEST_DELAY_MS


@dataclass(frozen=True)
class FlowTestCatalog(StaticCatalog):
    """Knows every handler: what one does is the test's to say."""

    def handler(self, name: str) -> HandlerSpec | None:
        return HandlerSpec(name)


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
        roles=dict(test.roles),
        flows=dict(flows or {}),
        site=SitePolicy(default="allow", approval_expires_ms=NEVER_MS),
    )
