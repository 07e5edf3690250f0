"""Providers by name, and which model is meant. Which one is the default is the site's choice."""

from __future__ import annotations

from collections.abc import Sequence

from runner.tools.errors import DefinitionError, ProviderError
from runner.tools.llm.base import Provider
from runner.tools.llm.offline import OfflineProvider


class ProviderRegistry:
    """Providers by name. A model is named `provider:model`, or `provider` for that provider's default."""

    def __init__(self, *providers: Provider) -> None:
        self._providers = {provider.name: provider for provider in providers}
        self.default_model = providers[0].name if providers else ""

    def register(self, provider: Provider) -> None:
        """Add a provider. Raises DefinitionError if another class has its name."""
        known = self._providers.get(provider.name)
        if known is not None and type(known) is not type(provider):
            raise DefinitionError(f"The provider {provider.name!r} is registered already; rename yours.")
        self._providers[provider.name] = provider

    def resolve(self, model: str | None) -> tuple[Provider, str]:
        """The provider of a model, and its own name for it. Raises ProviderError for an unknown one."""
        wanted = model or self.default_model
        name, _, own = wanted.partition(":")
        provider = self._providers.get(name)
        if provider is None:
            known = ", ".join(sorted(self._providers)) or "none"
            raise ProviderError(
                f"No provider for the model {wanted!r} is set up here. Known providers: {known}.",
                {"model": wanted},
            )
        return provider, own

    def models(self) -> Sequence[str]:
        """Every model that is known by name, the default first."""
        named = {f"{provider.name}:{model}" for provider in self._providers.values() for model in provider.models()}
        whole = {provider.name for provider in self._providers.values() if not provider.models()}
        return list(dict.fromkeys([self.default_model, *sorted(named | whole)]))


PROVIDERS = ProviderRegistry(OfflineProvider())
"""The providers of this installation."""
