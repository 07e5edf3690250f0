"""Where a model endpoint is, what it offers and what it charges: settings, read once. Nothing is sent here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from runner.engine.rows import Usage

MODELS_TOLD = 20
"""Names of models in one message."""


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in US dollars for a million tokens: the same number is micro-dollars for one."""

    input: float
    output: float

    def cost_micros(self, input_tokens: int, output_tokens: int) -> int:
        """The cost of one answer in micro-dollars; a part of one counts as a whole one."""
        return math.ceil(round(input_tokens * self.input + output_tokens * self.output, 6))


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint as the settings name it. `models`: what a flow may name, the first is the default."""

    url: str
    key: str = field(repr=False)
    models: tuple[str, ...]
    prices: Mapping[str, Price] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Host and port, for messages."""
        return urlsplit(self.url).netloc

    def without_key(self, text: str) -> str:
        """A text of the endpoint's own with our key taken out, should it have repeated it."""
        return text.replace(self.key, "[key]") if self.key else text

    def usage(self, model: str, input_tokens: int, output_tokens: int) -> tuple[Usage, str | None]:
        """What an answer used; where the price of the model is unknown, it costs 0 and a sentence says so."""
        price = self.prices.get(model)
        if price is None:
            return Usage(input_tokens, output_tokens), f"The price of {model} is not set: its cost counts as 0."
        return Usage(input_tokens, output_tokens, price.cost_micros(input_tokens, output_tokens)), None


def read_endpoint(url: str, key: str, models: Sequence[str], prices: Any) -> Endpoint:
    """Check settings and make an endpoint of them. Raises ValueError with a sentence; it never quotes the key.

    `prices`: `{model: {"input": dollars, "output": dollars}}`, both for a million tokens.
    """
    named = tuple(dict.fromkeys(name.strip() for name in models if name.strip()))
    if not named:
        raise ValueError("name at least one model, such as gpt-4o-mini")
    return Endpoint(_checked_url(url), _checked_key(key), named, _checked_prices(prices))


def _checked_url(url: str) -> str:
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise ValueError("the URL cannot be read; write it as https://host/v1") from None
    if parts.scheme not in ("http", "https"):
        raise ValueError("the URL must begin with https:// or http://")
    if parts.username is not None or parts.password is not None:
        raise ValueError("the URL holds a name or password; the key is a setting of its own")
    if not parts.hostname or port == 0:
        raise ValueError("the URL names no host; write it as https://host/v1")
    if parts.query or parts.fragment:
        raise ValueError("the URL ends with a query or a fragment; leave out everything from ? or # on")
    return url.strip().rstrip("/")


def _checked_key(key: str) -> str:
    """A key goes into a header. What cannot stand there is refused here, where no message quotes it."""
    key = key.strip()
    if not all("!" <= letter <= "~" for letter in key):
        raise ValueError("the key holds blanks, line ends or letters outside ASCII; copy it anew")
    return key


def _checked_prices(prices: Any) -> dict[str, Price]:
    if not isinstance(prices, dict):
        raise ValueError('prices are an object, such as {"gpt-4o-mini": {"input": 0.15, "output": 0.6}}')
    return {str(model): _checked_price(str(model), given) for model, given in prices.items()}


def _checked_price(model: str, given: Any) -> Price:
    if not isinstance(given, dict) or set(given) != {"input", "output"}:
        raise ValueError(f"the price of {model} must have the keys input and output")
    for amount in given.values():
        if isinstance(amount, bool) or not isinstance(amount, (int, float)) or not 0 <= amount < 1e9:
            raise ValueError(f"the price of {model} must be in dollars for a million tokens, 0 or more")
    return Price(given["input"], given["output"])
