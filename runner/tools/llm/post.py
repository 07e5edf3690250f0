"""One POST to a model endpoint: limits, and each failure as a sentence. What is sent and read is not known here.

The HTTP library is imported when the first model is asked, never when the site starts.
"""

from __future__ import annotations

import asyncio
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from editor.language.errors import LanguageError
from editor.language.json_gate import VALUE_LIMITS, JsonLimits, clean_json, load_json
from runner.tools.abort import Aborted
from runner.tools.context import ToolContext
from runner.tools.errors import ProviderError
from runner.tools.llm.endpoint import Endpoint

if TYPE_CHECKING:
    import ssl

    import httpx2

CONNECT_SECONDS = 10.0
MAX_ANSWER = VALUE_LIMITS.max_bytes
MAX_REFUSAL = 64 * 1024
"""Bytes of an answer, and of one that says why not."""
SHOWN = 300
"""Letters of the endpoint's own words in a message."""

_TOLD = {
    400: "refuses the request",
    401: "refuses the key; check FLOWSITE_OPENAI_KEY",
    402: "wants to be paid; look into the account there",
    403: "does not allow the request; look into what the key may do",
    404: "does not know the model or the address; check FLOWSITE_OPENAI_URL and the model's name",
    408: "gave up waiting",
    413: "finds the request too large; shorten the prompt",
    422: "refuses the request",
    429: "asks to slow down; let the node's retry wait",
}


class StatusError(ProviderError):
    """The endpoint answered with another status than 200: `status`, and in `said` its own words, cut and cleaned."""

    def __init__(self, endpoint: Endpoint, status: int, said: str, retry_after_ms: int | None) -> None:
        details: dict[str, object] = {"status": status}
        if retry_after_ms is not None:
            details["retry_after_ms"] = retry_after_ms
        if said:
            details["said"] = said
        message = f"The model endpoint {endpoint.place} {_told(status)} (status {status})."
        super().__init__(f"{message} It says: {said}" if said else message, details)
        self.status = status
        self.said = said


async def post(endpoint: Endpoint, path: str, body: dict[str, Any], effect_key: str, ctx: ToolContext) -> bytes:
    """Send a JSON body and give the answer's. Once: nothing is tried again, no redirect is followed.

    Raises StatusError, another ProviderError where no answer came, and Aborted once the call's time is up.
    """
    import httpx2

    headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "flowsite"}
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    if effect_key:
        headers["Idempotency-Key"] = effect_key
    content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    timeout = httpx2.Timeout(None, connect=CONNECT_SECONDS)
    try:
        async with (
            asyncio.timeout(ctx.seconds_left()),
            httpx2.AsyncClient(timeout=timeout, follow_redirects=False, verify=_ssl_context()) as client,
            client.stream("POST", endpoint.url + path, content=content, headers=headers) as response,
        ):
            if response.status_code == 200:
                return await _read(response, MAX_ANSWER, endpoint)
            refusal = await _read(response, MAX_REFUSAL, endpoint)
    except TimeoutError:
        raise Aborted("timeout") from None
    except httpx2.HTTPError as error:
        raise ProviderError(f"{_what_broke(error, endpoint)}") from None
    said = "" if response.status_code == 401 else _said(refusal, endpoint)  # a refused key may be quoted there
    raise StatusError(endpoint, response.status_code, said, _retry_after_ms(response.headers))


async def _read(response: httpx2.Response, most: int, endpoint: Endpoint) -> bytes:
    read = bytearray()
    async for piece in response.aiter_bytes():
        read += piece
        if len(read) > most:
            if response.status_code != 200:
                return b""
            raise ProviderError(f"The model endpoint {endpoint.place} answered with more than {most:,} bytes.")
    return bytes(read)


@cache
def _ssl_context() -> ssl.SSLContext:
    """Made once: reading the system's certificates takes longer than a short call."""
    import httpx2

    return httpx2.create_ssl_context()


def _told(status: int) -> str:
    if 300 <= status < 400:
        return "sends elsewhere, which is not followed; set FLOWSITE_OPENAI_URL to its final address"
    return _TOLD.get(status, "has failed" if status >= 500 else "gave an answer that is none")


def _what_broke(error: httpx2.HTTPError, endpoint: Endpoint) -> str:
    """The library's own words may hold what was sent, so only the kind of failure is told."""
    import httpx2

    place = f"the model endpoint {endpoint.place}"
    if isinstance(error, httpx2.ConnectTimeout):
        return f"No connection to {place} within {CONNECT_SECONDS:.0f} s. Is FLOWSITE_OPENAI_URL right?"
    if isinstance(error, httpx2.ConnectError):
        return f"No connection to {place}. Is it running, and is FLOWSITE_OPENAI_URL right?"
    if isinstance(error, (httpx2.NetworkError, httpx2.RemoteProtocolError)):
        return f"T{place[1:]} closed the connection before its answer was complete."
    return f"The call of {place} failed with {type(error).__name__}."


def _said(refusal: bytes, endpoint: Endpoint) -> str:
    """The words of an error as the protocol or its dialects put them. Never the whole body: it may echo the request."""
    try:
        value = load_json(refusal, JsonLimits(MAX_REFUSAL, 16), what="the error", replace=True)
    except LanguageError:
        return ""
    for key in ("error", "detail", "message"):
        if isinstance(value, dict) and key in value:
            value = value[key]
    if isinstance(value, list):
        value = "; ".join(str(one["msg"]) for one in value if isinstance(one, dict) and "msg" in one)
    if not isinstance(value, str):
        return ""
    text = endpoint.without_key(" ".join(value.split()))
    return str(clean_json(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…", replace=True))


def _retry_after_ms(headers: httpx2.Headers) -> int | None:
    """When to try again at the earliest, where the endpoint says it as a number."""
    for name, unit in (("retry-after-ms", 1), ("retry-after", 1000)):
        try:
            wait = float(headers.get(name, ""))
        except ValueError:
            continue
        if 0 <= wait < 1e9:
            return round(wait * unit)
    return None
