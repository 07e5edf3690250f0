"""What every answer of the site carries, and what every database of a site holds from the start."""

import pytest
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from flowsite.asgi import application
from flowsite.sockets import UNKNOWN_PATH
from runner.services.stops import stop
from tests.support.flows import make_person

OWN_ORIGIN = [(b"origin", b"http://127.0.0.1:8000")]


@pytest.mark.django_db
def test_the_health_page_answers_anybody_but_only_reads(client: Client) -> None:
    assert client.get("/healthz").json()["status"] == "degraded"  # no sweeper runs beside this test
    assert client.post("/healthz").status_code == 405


@pytest.mark.django_db
def test_the_health_page_tells_strangers_that_something_is_stopped_but_not_what(client: Client) -> None:
    nothing = {"everything": False, "flows": 0, "tools": 0}
    assert client.get("/healthz").json()["stopped"] == nothing
    admin = make_person("ada", "admin")
    stop("all", reason="a secret reason", user=admin)
    stop("tool", "pay_invoice", reason="a secret reason", user=admin)
    answer = client.get("/healthz")
    assert answer.json()["stopped"] == {"everything": True, "flows": 0, "tools": 1}
    assert b"secret" not in answer.content and b"ada" not in answer.content and b"pay_invoice" not in answer.content


@pytest.mark.django_db
def test_a_site_is_ready_once_its_tables_are_up_to_date(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flowsite.health._is_migrated", False)
    assert (client.get("/readyz").status_code, client.get("/readyz").json()) == (200, {"ready": True, "problems": []})
    monkeypatch.setattr("flowsite.health._is_migrated", False)
    newest = next(name for app, name in MigrationLoader(connection).graph.leaf_nodes() if app == "runner")
    MigrationRecorder(connection).record_unapplied("runner", newest)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["problems"] == ["The database is not up to date: run manage.py migrate."]
    assert client.post("/readyz").status_code == 405


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/admin/login/", "/no-such-page/"])
def test_each_answer_has_the_security_headers(client: Client, path: str) -> None:
    headers = client.get(path).headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"


@pytest.mark.django_db
def test_the_groups_are_there_from_the_first_migration() -> None:
    assert set(Group.objects.values_list("name", flat=True)) == {"analyst", "reviewer", "admin"}


@pytest.mark.django_db
def test_demo_people_are_made_only_on_a_site_without_people(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("create_demo_people")
    printed = capsys.readouterr().out
    for name in ("analyst", "reviewer", "admin"):
        person = User.objects.get(username=name)
        assert [group.name for group in person.groups.all()] == [name]
        assert person.is_staff == (name == "admin")
        password = next(line.split()[1] for line in printed.splitlines() if line.split()[:1] == [name])
        assert person.check_password(password)

    User.objects.filter(username="reviewer").delete()
    call_command("create_demo_people")
    assert capsys.readouterr().out == ""
    assert not User.objects.filter(username="reviewer").exists()


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [(b"origin", b"null")],
        [(b"origin", b"http://evil.example")],
        [(b"origin", b"http://127.0.0.1:8001")],
        [(b"origin", b"https://127.0.0.1:8000")],
        [(b"origin", b"http://127.0.0.1.evil.example:8000")],
    ],
)
async def test_a_socket_from_another_origin_is_refused(headers: list[tuple[bytes, bytes]]) -> None:
    communicator = WebsocketCommunicator(application, "/ws/nowhere/", headers=headers)
    connected, code = await communicator.connect()
    assert not connected
    assert code != UNKNOWN_PATH


@pytest.mark.django_db(transaction=True)
async def test_a_socket_on_an_unknown_path_is_told_so() -> None:
    communicator = WebsocketCommunicator(application, "/ws/nowhere/", headers=OWN_ORIGIN)
    connected, _ = await communicator.connect()
    assert connected
    assert await communicator.receive_output() == {"type": "websocket.close", "code": UNKNOWN_PATH}
