"""Bodies that come in: JSON only, bounded, through the gate. Answers are always JSON. What it means is serializers'."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.conf import settings
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from editor.language.errors import LanguageError
from editor.language.json_gate import JsonLimits, load_json

ENVELOPE_DEPTH = 4
"""Levels of a body around a value of the greatest depth."""


class GateParser(BaseParser):
    """Reads a JSON body. A document is counted by its own limit later; here its escapes have room."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """Raises LanguageError: `value_too_large`, `limit_exceeded` (depth), `validation_failed`."""
        limits = self.limits()
        body: bytes = stream.read(limits.max_bytes + 1)
        if len(body) > limits.max_bytes:
            told = f"The body is larger than {limits.max_bytes:,} bytes. Send less at once."
            raise LanguageError("value_too_large", told)
        return load_json(body, limits, what="the body")

    @staticmethod
    def limits() -> JsonLimits:
        """How much a body may hold, be it a whole one or a part of one."""
        return JsonLimits(int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE), settings.FLOWSITE["JSON_DEPTH"] + ENVELOPE_DEPTH)


class AlwaysJson(BaseContentNegotiation):
    """Whatever a client would like best: there is one kind of answer."""

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> BaseParser | None:
        kind = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == kind), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        json = next(iter(renderers))
        return json, json.media_type or "application/json"
