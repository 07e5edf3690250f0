"""Pages follow sharing: who is not listed finds none of a flow's pages, who is listed sees and does what they may."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, reverse

from editor.models import AuditEntry, Flow, FlowGrant
from editor.services import archive_flow
from editor.sharing import Grant, grants_of, share_flow
from runner.models import Approval, Artifact, Run, StepRun
from runner.urls import urlpatterns
from tests.integration.pages.samples import ASKS, LARGE, WAITS
from tests.support.flows import begin, make_person, publish

KEYS = {"flow_id", "run_id", "approval_id"}
OF_FLOWS: list[URLPattern] = [one for one in urlpatterns if KEYS & set(one.pattern.converters)]
CONTROLS = {"cancel-run", "pause-run", "resume-run", "send-signal", "retry-step", "fork-run", "move-run", "run-again"}


@pytest.fixture
def paths(people: dict[str, User]) -> dict[str, str]:
    """The path of each page about a flow that is for its owner alone, or about its run and approval."""
    people["second"] = make_person("second", "analyst")
    run = begin(publish(ASKS, people["analyst"]), people["analyst"])
    known = {
        "flow_id": "asks",
        "run_id": run.pk,
        "step_id": StepRun.objects.get(run=run, path="before").pk,
        "approval_id": Approval.objects.get(run=run).pk,
        "artifact_id": "0" * 32,
        "seq": "3",
        "number": "1",
        "other_id": run.pk,
    }
    share_flow(Flow.objects.get(), restricted=True, grants=[], by=people["admin"])
    found = {}
    for pattern in OF_FLOWS:
        name = str(pattern.name)
        values = {**known, "name": "inputs" if name.startswith("run-value") else "output"}
        found[name] = reverse(name, kwargs={key: values[key] for key in pattern.pattern.converters})
    return found


def test_who_is_not_listed_finds_no_page(paths: dict[str, str], client_of: Callable[..., Client]) -> None:
    for person in ("second", "reviewer", "outsider"):
        client = client_of(person)
        for name, path in paths.items():
            answers = {client.get(path).status_code, client.post(path, {}).status_code}
            assert answers <= {404, 405} and 404 in answers, (person, name)
        for path in ("/", "/flows/", "/runs/", "/inbox/", "/inbox/decided/", "/runs/?flow=asks", "/search/?q=question"):
            page = client.get(path).content.decode()
            assert "A question" not in page and "/runs/" + paths["run"].split("/")[2] not in page, (person, path)


def test_who_may_only_see_changes_nothing(
    paths: dict[str, str], people: dict[str, User], client_of: Callable[..., Client]
) -> None:
    share_flow(Flow.objects.get(), restricted=True, grants=[Grant("outsider", False, ())], by=people["admin"])
    client = client_of("outsider")
    for name in ("flow", "flow-sharing", "run", "run-parts", "run-events", "step", "approval"):
        assert client.get(paths[name]).status_code == 200, name
    for name in CONTROLS | {"start-run", "flow-sharing", "decide"}:
        assert client.post(paths[name], {"verdict": "approved"}).status_code in (400, 403), name
    for name in CONTROLS | {"start-run", "flow-sharing"}:
        assert client.post(paths[name], {}).status_code == 403, name
    assert client.get(paths["start-run"]).status_code == 403
    page = client.get(paths["flow"]).content.decode()
    assert paths["start-run"] not in page and "Restricted" in page
    assert "Cancel the run" not in client.get(paths["run"]).content.decode()
    assert Run.objects.get().status == "awaiting_approval"


def test_the_owner_shares_on_a_page(
    paths: dict[str, str], people: dict[str, User], client_of: Callable[..., Client]
) -> None:
    Group.objects.create(name="crew")
    owner, path = client_of("analyst"), paths["flow-sharing"]
    assert "shared with nobody in particular" in owner.get(path).content.decode()
    owner.post(path, {"restricted": "yes", "who": ["group:crew"], "rights-0": ["run", "decide"]})
    assert grants_of(Flow.objects.get()) == [Grant("crew", True, ["view", "run", "decide"])]
    sent = {"restricted": "no", "who": ["group:crew", "person:outsider"], "rights-0": ["edit"]}
    assert owner.post(path, sent).status_code == 302
    assert grants_of(Flow.objects.get()) == [Grant("crew", True, ["view", "edit"]), Grant("outsider", False, ["view"])]
    assert not Flow.objects.get().is_restricted
    page = owner.get(path).content.decode()
    assert re.search(r'name="rights-0" value="edit" checked', page)
    assert not re.search(r'name="rights-1" value="\w+" checked', page)
    owner.post(path, {**sent, "remove-1": "on"})
    assert [grant.name for grant in grants_of(Flow.objects.get())] == ["crew"]
    refused = owner.post(path, {"who": ["person:ghost"]})
    assert refused.status_code == 400 and "no person &#x27;ghost&#x27;" in refused.content.decode()
    assert [grant.name for grant in grants_of(Flow.objects.get())] == ["crew"]
    assert client_of("second").post(path, {}).status_code == 403  # sees it again, but it is not theirs


def test_an_artifact_follows_its_flow(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    people["second"] = make_person("second", "analyst")
    run = begin(publish(LARGE, people["analyst"]), people["analyst"])
    path = reverse("artifact", args=[run.pk, Artifact.objects.get().pk])
    assert client_of("second").get(path).status_code == 200
    share_flow(Flow.objects.get(), restricted=True, grants=[], by=people["admin"])
    assert client_of("second").get(path).status_code == 404


def test_an_archived_flow_offers_no_start(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    publish(ASKS, people["analyst"])
    archive_flow(Flow.objects.get(), by=people["admin"])
    client = client_of("analyst")
    page = client.get("/flows/asks/").content.decode()
    assert "Archived" in page and "/flows/asks/start/" not in page
    form = client.get("/flows/asks/start/").content.decode()
    key = re.search(r'name="idempotency_key" value="([^"]*)"', form)
    assert key is not None
    answer = client.post("/flows/asks/start/", {"idempotency_key": key[1], "title": "x"})
    assert answer.status_code == 400 and "is archived" in answer.content.decode()
    assert not Run.objects.exists()


def test_an_admin_puts_a_flow_away_and_brings_it_back(
    people: dict[str, User], client_of: Callable[..., Client]
) -> None:
    publish(ASKS, people["analyst"])
    for other, status in (("analyst", 403), ("reviewer", 403), ("outsider", 404)):
        for deed in ("archive", "restore"):
            assert client_of(other).post(f"/flows/asks/{deed}/").status_code == status
    assert "Archive the flow" not in client_of("analyst").get("/flows/asks/").content.decode()
    admin = client_of("admin")
    assert "A question" not in admin.get("/flows/?archived").content.decode()
    for _ in range(2):
        assert admin.post("/flows/asks/archive/", {"reason": "replaced"}).headers["Location"] == "/flows/asks/"
    assert "Bring it back" in admin.get("/flows/asks/").content.decode()
    assert "A question" in client_of("analyst").get("/flows/?archived").content.decode()
    assert "A question" not in admin.get("/flows/").content.decode()
    admin.post("/flows/asks/restore/")
    assert "A question" in admin.get("/flows/").content.decode()
    entries = AuditEntry.objects.filter(object_type="flow").order_by("pk").values_list("action", "reason")
    assert list(entries)[-2:] == [("flow-archive", "replaced"), ("flow-restore", "")]


@pytest.mark.parametrize("name", ["analyst", "reviewer", "outsider"])
def test_lists_ask_as_often_for_many_shared_flows_as_for_few(
    name: str, people: dict[str, User], client_of: Callable[..., Client]
) -> None:
    version = publish(WAITS, people["admin"])
    begin(version, people["admin"])
    paths = ("/runs/", "/inbox/", "/flows/waits/", "/flows/waits/sharing/")
    share_flow(Flow.objects.get(), restricted=True, grants=[Grant(name, False, {"run"})], by=people["admin"])
    client = client_of(name)
    few = [queries(client, path) for path in paths]
    flows = Flow.objects.bulk_create(Flow(id=f"flow-{number}", is_restricted=True) for number in range(200))
    FlowGrant.objects.bulk_create(FlowGrant(flow=flow, person=people[name], rights=["run"]) for flow in flows)
    for _ in range(5):
        begin(version, people["admin"])
    assert [queries(client, path) for path in paths] == few


def queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return len(captured)
