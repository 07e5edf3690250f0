"""FLOWSITE_LOG_FORMAT=json: every line of web server, worker and sweeper is one JSON object."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable

import pytest

from tests.support.site import Site, wait_until

pytestmark = pytest.mark.processes


def test_every_line_of_every_process_is_json(make_site: Callable[..., Site]) -> None:
    site = make_site(FLOWSITE_LOG_FORMAT="json", FLOWSITE_LOG_LEVEL="INFO")
    site.start()
    assert site.get("/healthz") == 200
    wait_until(lambda: '"route": "healthz"' in site.output, 20, "the request has its line")
    site.stop(signal.SIGTERM)
    own = ("Flowsite ", "Stopping")  # what the supervisor says to whoever started it
    lines = [line for line in site.output.splitlines() if line.strip() and not line.startswith(own)]
    told = [json.loads(line) for line in lines if line.startswith("{")]
    others = [line for line in lines if not line.startswith("{") and not line.startswith(("prepare", "valkey"))]
    assert told and not others, others
    assert {"timestamp", "level", "logger", "message"} <= set(told[0])
