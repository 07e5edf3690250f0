"""Models: what a provider is, which there are, and the one that needs no network."""

from runner.tools.llm.base import Completion, CompletionRequest, Provider
from runner.tools.llm.registry import PROVIDERS, ProviderRegistry

__all__ = ["PROVIDERS", "Completion", "CompletionRequest", "Provider", "ProviderRegistry"]
