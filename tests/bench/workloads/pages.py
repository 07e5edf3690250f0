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
from runner.models import Approval, Event, Run
from tests.bench import flows
from tests.bench.workloads.inline import Figures
from tests.support.flows import begin, make_person, publish
from tests.support.runs import document

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
    """Fill the empty database as years of use would; of twenty runs one waits for an approval."""
    from tests.support.crowd import Crowd, fill
    from tests.support.crowd_pages import make_crowds_people

    settings.ALLOWED_HOSTS = ["testserver"]
    began = time.perf_counter()
    fill(Crowd(runs=runs, events=events, audits=runs, waiting=20), make_crowds_people())
    seconds = time.perf_counter() - began
    counted = {"runs": Run.objects.count(), "open_approvals": Approval.objects.filter(status="open").count()}
    return {**counted, "events": Event.objects.count(), "seconds": seconds}


INBOX = (
    "/inbox/", "/inbox/?after={open}", "/inbox/team/", "/inbox/team/?after={open}", "/inbox/decided/",
    "/inbox/decided/?after={decided}", "/inbox/count/", "/inbox/{open}/", "/api/approvals/",
    "/api/approvals/?status=approved", "/api/approvals/?status=expired", "/api/approvals/?run={run}",
)  # fmt: skip


def inbox(quick: bool) -> dict[str, float]:
    """INBOX: the open approvals of a reviewer and of a small group, page and API; ms of work by person and address."""
    asked_ones = Approval.objects.order_by("created_at")
    middle = {status: asked_ones.filter(status=status)[5] for status in ("open", "approved")}
    places = {"open": middle["open"].pk, "decided": middle["approved"].pk, "run": middle["open"].run_id}
    found: dict[str, float] = {}
    for name in ("reviewer", "treasurer"):
        client = Client()
        client.force_login(User.objects.get(username=name))
        for path in INBOX:
            address = path.format(**places)
            found[f"{name} {path}"] = asked(client, address)
    return found | {"reviewer decides": decide(2 if quick else 10)}


def decide(times: int) -> float:
    """Milliseconds of work for the form of a card that approves, beside everybody else's approvals."""
    node = {"id": "ask", "type": "approval", "config": {"title": "May it go on?"}}
    author = User.objects.get(username="analyst")
    version = publish(document([node]) | {"id": "bench_asks"}, author)
    client = Client()
    client.force_login(User.objects.get(username="reviewer"))
    found = []
    for _ in range(times + 1):
        approval = Approval.objects.get(run=begin(version, author), status="open")
        sent = {"verdict": "approved", "digest": approval.digest, "comment": "yes"}
        began = processor_ms()
        answer = client.post(f"/inbox/{approval.pk}/decide/", sent)
        found.append(processor_ms() - began)
        if answer.status_code != 302:
            raise RuntimeError(f"The decision of the benchmark was answered with {answer.status_code}.")
    return statistics.median(found[1:])


def history(quick: bool) -> dict[str, float]:
    """HISTORY: every list and filter as an admin and an analyst; ms of work by person and address."""
    from tests.support.crowd_pages import pages_of

    pages = pages_of(Run.objects.count())
    found: dict[str, float] = {}
    for name in ("admin", "analyst"):
        client = Client()
        client.force_login(User.objects.get(username=name))
        paths = [*pages.site, *pages.api]
        for path in paths[::12] if quick else paths:
            found[f"{name} {path}"] = asked(client, path)
    return found


def editor(quick: bool) -> Figures:
    """EDITOR: opening, all checks, and a save, of a document of 500 nodes; ms of processor time, medians."""
    nodes = 20 if quick else 500
    person = User.objects.filter(username="bench").first() or make_person("bench", "analyst")
    flow_id = f"bench_large_{nodes}"
    written: dict[str, Any] = flows.large(nodes) | {"id": flow_id, "name": "Large"}
    flow = Flow.objects.filter(pk=flow_id).first() or import_flow(written, by=person)
    client = Client()
    client.force_login(person)
    page, draft, names = (f"/flows/{flow_id}/edit/", f"/api/flows/{flow_id}/draft/", f"/api/flows/{flow_id}/names/")
    times = {"open_ms": [asked(client, page) + asked(client, draft)], "names_ms": [asked(client, names)]}
    times |= {"checks_ms": [], "save_ms": []}
    for number in range(ROUNDS):
        began = processor_ms()
        if problems := [one for one in check_draft(flow, CATALOG) if one.severity == "error"]:
            raise RuntimeError(f"The document of the benchmark has problems: {problems[0]}")
        times["checks_ms"].append(processor_ms() - began)
        began = processor_ms()
        revision = Draft.objects.get(flow=flow).revision
        save_draft(flow, written | {"description": f"saved {number}"}, revision=revision, by=person)
        times["save_ms"].append(processor_ms() - began)
    return {name: statistics.median(found) for name, found in times.items()}
