"""Models: what a provider is, which there are, one that needs no network and one for endpoints that have models."""

from runner.tools.llm.base import Completion, CompletionRequest, Provider, Repair
from runner.tools.llm.registry import PROVIDERS, ProviderRegistry

__all__ = ["PROVIDERS", "Completion", "CompletionRequest", "Provider", "ProviderRegistry", "Repair"]
