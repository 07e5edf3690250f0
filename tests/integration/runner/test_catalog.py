"""The catalog of the installation: what apps registered, and the house's rules out of the settings."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from runner.catalog import CATALOG, load_registrations
from runner.tools.llm import PROVIDERS


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


ENDPOINT: dict[str, Any] = {
    "URL": "https://models.example/v1",
    "KEY": "sk-1",
    "MODELS": ["large", "small"],
    "PRICES": {},
}


def test_the_models_of_an_endpoint_are_offered_and_the_first_is_the_default(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PROVIDERS, "_providers", dict(PROVIDERS._providers))
    monkeypatch.setattr(PROVIDERS, "default_model", "offline")
    settings.MODEL_ENDPOINT, settings.DEFAULT_MODEL = ENDPOINT, "openai"
    load_registrations()
    assert CATALOG.models() == ["openai", "offline", "openai:large", "openai:small"]
    assert PROVIDERS.resolve(None)[0].models() == ("large", "small")
    load_registrations()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"URL": "ftp://models.example"}, "https://"),
        ({"URL": ""}, "FLOWSITE_OPENAI_URL is missing"),
        ({"KEY": "sk 1"}, "the key holds blanks"),
        ({"MODELS": []}, "at least one model"),
        ({"PRICES": {"large": 3}}, "the price of large"),
    ],
)
def test_an_endpoint_that_cannot_be_asked_stops_the_site(settings: Any, changes: dict[str, Any], told: str) -> None:
    settings.MODEL_ENDPOINT = ENDPOINT | changes
    with pytest.raises(ImproperlyConfigured, match=told):
        load_registrations()
