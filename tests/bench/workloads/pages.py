"""INBOX, HISTORY and EDITOR: what people look at and do in a browser, asked of this process without a network."""

from __future__ import annotations

import statistics
import time
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from editor.models import Draft, Flow
from editor.services import check_draft, import_flow, save_draft
from runner.catalog import CATALOG
from runner.models import Run
from tests.bench import flows
from tests.bench.workloads.inline import Figures
from tests.support.flows import make_person

ROUNDS = 3


def processor_ms() -> float:
    """Milliseconds of work of this process and of its Postgres backend, if there is one on this machine."""
    used = time.process_time() * 1000
    if connection.vendor == "postgresql" and connection.connection is not None:
        with open(f"/proc/{connection.connection.info.backend_pid}/schedstat") as file:
            used += int(file.read().split()[0]) / 1_000_000
    return used


def asked(client: Client, path: str) -> float:
    """Milliseconds of work for a page, the middle of a few; the first answer, which compiles templates, is left out."""
    answer = client.get(path)
    if answer.status_code >= 500:
        raise RuntimeError(f"{path} answered {answer.status_code}.")
    found = []
    for _ in range(ROUNDS):
        began = processor_ms()
        client.get(path)
        found.append(processor_ms() - began)
    return statistics.median(found)


def fill_database(runs: int, events: int) -> Figures:
    """Fill the empty database as years of use would, with approvals enough for a long inbox."""
    from tests.support.crowd import Crowd, fill
    from tests.support.crowd_pages import make_crowds_people

    settings.ALLOWED_HOSTS = ["testserver"]
    began = time.perf_counter()
    fill(Crowd(runs=runs, events=events, audits=runs), make_crowds_people())
    return {"runs": Run.objects.count(), "seconds": time.perf_counter() - began}


def inbox(quick: bool) -> dict[str, float]:
    """INBOX: the open approvals of a reviewer, page and API, in a filled database; ms of work by address."""
    client = Client()
    client.force_login(User.objects.get(username="reviewer"))
    return {path: asked(client, path) for path in ("/inbox/", "/inbox/team/", "/inbox/decided/", "/api/approvals/")}


def history(quick: bool) -> dict[str, float]:
    """HISTORY: every list and filter as an admin and an analyst; ms of work by person and address."""
    from tests.support.crowd_pages import pages_of

    pages = pages_of(Run.objects.count())
    found: dict[str, float] = {}
    for name in ("admin", "analyst"):
        client = Client()
        client.force_login(User.objects.get(username=name))
        paths = [*pages.site, *pages.api]
        for path in paths[:6] if quick else paths:
            found[f"{name} {path}"] = asked(client, path)
    return found


def editor(quick: bool) -> Figures:
    """EDITOR: all checks, and a save, of a document of 500 nodes; ms of processor time."""
    nodes = 20 if quick else 500
    person = User.objects.filter(username="bench").first() or make_person("bench", "analyst")
    flow_id = f"bench_large_{nodes}"
    document: dict[str, Any] = flows.large(nodes) | {"id": flow_id, "name": "Large"}
    flow = Flow.objects.filter(pk=flow_id).first() or import_flow(document, by=person)
    times: dict[str, list[float]] = {"checks_ms": [], "save_ms": []}
    for number in range(ROUNDS):
        began = processor_ms()
        if problems := [one for one in check_draft(flow, CATALOG) if one.severity == "error"]:
            raise RuntimeError(f"The document of the benchmark has problems: {problems[0]}")
        times["checks_ms"].append(processor_ms() - began)
        began = processor_ms()
        revision = Draft.objects.get(flow=flow).revision
        save_draft(flow, document | {"description": f"saved {number}"}, revision=revision, by=person)
        times["save_ms"].append(processor_ms() - began)
    return {name: statistics.median(found) for name, found in times.items()}
