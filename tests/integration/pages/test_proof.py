"""The page that proves a run, its dossier, and that whoever sees something sensitive is kept in the audit."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from editor.models import AuditEntry
from runner.models import Approval, Run, StepRun
from runner.services.runs import actor_of, start_run
from runner.triggers import drop_triggers
from tests.support.flows import publish
from tests.support.runs import call, document, offer_tool, open_approval, work

pytestmark = pytest.mark.django_db(transaction=True)

ASKS = document(
    [call("tell", "tell_for_proof", {"word": "{{ word }}"})],
    inputs=[{"name": "word", "type": "short_text", "required": True, "sensitive": True}],
) | {"id": "tells"}


def tell(word: str) -> str:
    """Tells."""
    return word


@pytest.fixture
def run(people: dict[str, User]) -> Run:
    offer_tool("tell_for_proof", tell, needs_approval=True)
    analyst = people["analyst"]
    version = publish(ASKS, analyst)
    return work(start_run(version, inputs={"word": "hush"}, actor=actor_of(analyst), user=analyst).run_id)


def seen() -> list[tuple[str, Any]]:
    rows = AuditEntry.objects.filter(action="secret-see").order_by("pk")
    return [(entry.actor_name, entry.after) for entry in rows]


def test_an_admin_checks_a_run_and_takes_its_dossier(run: Run, client_of: Callable[..., Client]) -> None:
    admin = client_of("admin")
    place = f"/runs/{run.pk}/proof/"
    page = admin.get(place).content.decode()
    assert "Nobody has checked this run yet." in page and "With what is sealed: word" in page
    page = admin.post(f"{place}check/", follow=True).content.decode()
    assert "The run is whole" in page and "Checked before" in page
    file: Any = admin.post(f"{place}dossier/")
    data = b"".join(file.streaming_content)
    assert "verify.py" in zipfile.ZipFile(io.BytesIO(data)).namelist() and b"hush" not in data
    refused = admin.post(f"{place}dossier/", {"reveal": "yes"}, follow=True).content.decode()
    assert "Say why sealed values are shown" in refused
    open_file: Any = admin.post(f"{place}dossier/", {"reveal": "yes", "reason": "asked"})
    assert b"hush" in b"".join(open_file.streaming_content)
    assert AuditEntry.objects.filter(action="run-dossier").count() == 2
    drop_triggers()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE runner_steprun SET input = '{}' WHERE run_id = %s", [run.pk])
    page = admin.post(f"{place}check/", follow=True).content.decode()
    assert "The run was altered" in page and "hush" not in page
    answer = admin.post(f"/api/runs/{run.pk}/verify/").json()
    assert (answer["result"], answer["fault"]["table"]) == ("altered", "runner_steprun")


def test_others_do_what_they_may(run: Run, client_of: Callable[..., Client]) -> None:
    analyst = client_of("analyst")
    place = f"/runs/{run.pk}/proof/"
    page = analyst.get(place).content.decode()
    assert "Download the dossier" in page and "With what is sealed" not in page and "Check now" not in page
    assert analyst.post(f"{place}check/").status_code == 403
    assert analyst.post(f"{place}dossier/", {"reveal": "yes", "reason": "curious"}).status_code == 403
    file: Any = analyst.post(f"{place}dossier/")
    assert file.headers["Content-Type"] == "application/zip"
    file.close()
    reviewer = client_of("reviewer")
    assert reviewer.post(f"{place}dossier/").status_code == 403
    assert client_of("outsider").get(place).status_code == 404


def test_whoever_sees_something_sensitive_is_in_the_audit_once(run: Run, client_of: Callable[..., Client]) -> None:
    asked: Approval = open_approval(run.pk)
    reviewer, admin = client_of("reviewer"), client_of("admin")
    for _ in range(2):
        assert "hush" in reviewer.get(f"/inbox/{asked.pk}/").content.decode()
    told = {"where": "approval", "what": asked.pk}
    assert [after for _, after in seen()] == [told]
    assert reviewer.get(f"/api/approvals/{asked.pk}/").status_code == 200
    assert len(seen()) == 1
    step = StepRun.objects.get(run=run)
    assert "hush" in admin.get(f"/admin/runner/steprun/{step.pk}/change/").content.decode()
    assert seen()[1][1] == {"where": "admin", "what": f"steprun {step.pk}"}
    page = admin.get("/operations/audit/?action=secret-see").content.decode()
    assert f"/runs/{run.pk}/" in page
