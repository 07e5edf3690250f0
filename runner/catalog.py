"""The real catalog: what flows of this site can refer to, out of registries and settings.

Apps register tools, handlers and models elsewhere; the checks and the engine only ask here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed
from django.utils.module_loading import autodiscover_modules
from pydantic import ValidationError

from editor.language.catalog import HandlerSpec, SitePolicy, SkillSpec, ToolSpec
from editor.language.definition import Definition
from editor.language.errors import LanguageError
from editor.language.expressions import compile_expression
from editor.language.policy import Rule
from editor.models import FlowVersion
from runner.engine.errors import RunError
from runner.handlers.registry import HANDLERS
from runner.tools.errors import ProviderError
from runner.tools.folder import FOLDERS
from runner.tools.folder.places import Places, read_places
from runner.tools.llm import PROVIDERS
from runner.tools.llm.chat import ChatProvider
from runner.tools.llm.endpoint import read_endpoint
from runner.tools.registry import TOOLS
from runner.tools.skills import SKILLS

_SELF_APPROVAL = {"": None, "yes": True, "no": False}


def load_registrations() -> None:
    """Import the modules `tools`, `handlers` and `skills` of every installed app: there they register what they offer.

    Called once when the site starts. Raises ImproperlyConfigured for settings that mean nothing, so that a
    rule of the house with a typing error stops the site, and not the payment that it was written for.
    """
    autodiscover_modules("tools", "handlers", "skills")
    site_policy()
    _register_endpoint()
    folder_places()
    FOLDERS.use(folder_places)
    try:
        PROVIDERS.resolve(settings.DEFAULT_MODEL)
    except ProviderError as error:
        raise ImproperlyConfigured(f"FLOWSITE_MODEL: {error.message}") from None
    PROVIDERS.default_model = settings.DEFAULT_MODEL


def _register_endpoint() -> None:
    """Offer the models of the endpoint that the settings name, if they name one."""
    given = settings.MODEL_ENDPOINT
    if not given["URL"]:
        if given["KEY"] or given["MODELS"]:
            raise ImproperlyConfigured("FLOWSITE_OPENAI_URL is missing: say where the models are.")
        return
    try:
        endpoint = read_endpoint(given["URL"], given["KEY"], given["MODELS"], given["PRICES"])
    except ValueError as error:
        raise ImproperlyConfigured(f"FLOWSITE_OPENAI_*: {error}.") from None
    PROVIDERS.register(ChatProvider(endpoint))


@lru_cache(maxsize=1)
def folder_places() -> Places:
    """The folders that flows may search and read. Raises ImproperlyConfigured."""
    try:
        return read_places(settings.FOLDERS, settings.DEFAULT_FOLDER, settings.FOLDER_INDEXES)
    except ValueError as error:
        raise ImproperlyConfigured(f"FLOWSITE_FOLDERS, FLOWSITE_DEFAULT_FOLDER: {error}.") from None


@lru_cache(maxsize=1)
def site_policy() -> SitePolicy:
    """The house's own rules and limits. Raises ImproperlyConfigured."""
    limits = settings.FLOWSITE
    return SitePolicy(
        rules=tuple(_rule(place, given) for place, given in enumerate(settings.TOOL_RULES)),
        default=_one_of("FLOWSITE_TOOL_DEFAULT", settings.TOOL_DEFAULT, _DEFAULTS),
        longest_attempt_ms=limits["LONGEST_ATTEMPT_MS"],
        default_timeout_ms=limits["DEFAULT_TIMEOUT_MS"],
        approval_expires_ms=limits["APPROVAL_EXPIRES_MS"],
        self_approval=_one_of("FLOWSITE_SELF_APPROVAL", settings.SELF_APPROVAL, _SELF_APPROVAL),
    )


_DEFAULTS: dict[str, Any] = {"": None, "allow": "allow", "ask": "ask", "deny": "deny"}


def _rule(place: int, given: object) -> Rule:
    where = f"FLOWSITE_TOOL_RULES[{place}]"
    try:
        rule = Rule.model_validate(given)
        if rule.when is not None:
            compile_expression(rule.when)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        raise ImproperlyConfigured(f"{where}: {faults}") from None
    except LanguageError as error:
        raise ImproperlyConfigured(f"{where}.when: {error.message}") from None
    return rule


def _one_of(name: str, given: str, choices: dict[str, Any]) -> Any:
    if given not in choices:
        known = ", ".join(choice or "(empty)" for choice in choices)
        raise ImproperlyConfigured(f"{name} is {given!r}; it can be {known}.")
    return choices[given]


def _forget(*, setting: str, **_: object) -> None:
    if setting in ("FLOWSITE", "TOOL_RULES", "TOOL_DEFAULT", "SELF_APPROVAL"):
        site_policy.cache_clear()
    if setting in ("FOLDERS", "DEFAULT_FOLDER", "FOLDER_INDEXES"):
        folder_places.cache_clear()


setting_changed.connect(_forget, dispatch_uid="runner.catalog")


class InstalledCatalog:
    """Answers from the registries of this process and the settings."""

    @property
    def site(self) -> SitePolicy:
        """The house's rules."""
        return site_policy()

    def tool(self, name: str) -> ToolSpec | None:
        """The tool with this name, or None."""
        found = TOOLS.get(name)
        return found.spec if found else None

    def tools(self) -> Sequence[ToolSpec]:
        """All tools, by name."""
        return [tool.spec for tool in TOOLS.all()]

    def handler(self, name: str) -> HandlerSpec | None:
        """The handler with this name, or None."""
        found = HANDLERS.get(name)
        return found.spec if found else None

    def skill(self, ref: str) -> SkillSpec | None:
        """The skill that `name@version` names, or the newest version of `name`; None where there is none."""
        found = SKILLS.get(ref)
        return found.spec if found else None

    def skills(self) -> Sequence[SkillSpec]:
        """Every version of every skill, by name, the newest first."""
        return [skill.spec for skill in SKILLS.all()]

    def role(self, name: str) -> tuple[str, ...] | None:
        """The tools bound to a role in the settings, in order; None for an unknown role."""
        bound = settings.TOOL_ROLES.get(name)
        return None if bound is None else tuple(bound)

    def models(self) -> Sequence[str]:
        """The models that can be named."""
        return PROVIDERS.models()

    def flow_version(self, flow_id: str, version: int) -> Definition | None:
        """The published version of another flow, or None if there is none that this site can read."""
        found = FlowVersion.objects.published().filter(flow_id=flow_id, number=version).first()
        try:
            return found.definition() if found else None
        except LanguageError:
            return None


CATALOG = InstalledCatalog()

Pins = Mapping[str, Mapping[str, str]]
"""Reference of a skill in a document -> the `{name, version, content_hash}` that it stood for at publication."""


class PinnedCatalog(InstalledCatalog):
    """The installation as a version sees it: its skills are those that publishing pinned, or there is an error."""

    def __init__(self, pins: Pins) -> None:
        self._pins = pins

    def skill(self, ref: str) -> SkillSpec | None:
        """The pinned skill. Raises RunError: `flow_invalid` if it is gone, `flow_changed` if it is another one."""
        pin = self._pins.get(ref)
        if pin is None:
            return super().skill(ref)
        pinned = f"{pin['name']} {pin['version']}"
        found = super().skill(f"{pin['name']}@{pin['version']}")
        if found is None:
            told = f"The skill {pinned} is not installed here any more. Install it, or publish the flow with another."
            raise RunError("flow_invalid", told, details={"skill": dict(pin)})
        if found.content_hash != pin["content_hash"]:
            told = (
                f"The skill {pinned} has changed since this version was published. Publish the flow again to use it as"
                " it is now, and raise the version of a skill whenever it changes."
            )
            raise RunError("flow_changed", told, details={"skill": dict(pin), "content_hash": found.content_hash})
        return found

    def check_skills(self) -> None:
        """See that every pinned skill is there as it was pinned. Raises RunError as `skill` does."""
        for ref in self._pins:
            self.skill(ref)
