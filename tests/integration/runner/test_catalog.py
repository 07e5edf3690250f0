"""The catalog of the installation: what apps registered, and the house's rules out of the settings."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from runner.catalog import CATALOG, load_registrations


def test_it_knows_what_the_installed_apps_offer() -> None:
    tool = CATALOG.tool("pay_invoice")
    assert tool is not None and tool.effect == "idempotent" and not tool.read_only
    assert tool.schema["additionalProperties"] is False
    assert tool in CATALOG.tools()
    handler = CATALOG.handler("summarize_invoices")
    assert handler is not None and handler.writes == {"report", "totals"}
    assert CATALOG.models() == ["offline"]


def test_what_nobody_registered_is_none() -> None:
    assert CATALOG.tool("nope") is CATALOG.handler("nope") is CATALOG.skill("nope") is CATALOG.role("nope") is None


def test_the_house_sets_rules_limits_and_roles(settings: Any) -> None:
    assert CATALOG.site.rules == () and CATALOG.site.default is None and CATALOG.site.self_approval is None
    settings.TOOL_RULES = [{"tool": "pay_*", "effect": "ask", "when": "args.amount > 5000", "group": "reviewer"}]
    settings.TOOL_DEFAULT = "deny"
    settings.SELF_APPROVAL = "no"
    settings.TOOL_ROLES = {"search": ["a", "b"]}
    settings.FLOWSITE = settings.FLOWSITE | {"APPROVAL_EXPIRES_MS": 1_000}
    site = CATALOG.site
    assert [(rule.tool, rule.effect, rule.group) for rule in site.rules] == [("pay_*", "ask", "reviewer")]
    assert (site.default, site.self_approval, site.approval_expires_ms) == ("deny", False, 1_000)
    assert CATALOG.role("search") == ("a", "b")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TOOL_RULES", [{"tool": "a", "efect": "deny"}]),
        ("TOOL_RULES", [{"tool": "a", "effect": "deny", "when": "args.x >"}]),
        ("TOOL_RULES", ["pay_*"]),
        ("TOOL_DEFAULT", "maybe"),
        ("SELF_APPROVAL", "perhaps"),
        ("DEFAULT_MODEL", "nobody:x"),
    ],
)
def test_a_setting_that_means_nothing_stops_the_site(settings: Any, name: str, value: Any) -> None:
    setattr(settings, name, value)
    with pytest.raises(ImproperlyConfigured):
        load_registrations()
