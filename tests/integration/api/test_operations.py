"""Programs of whoever looks after the site: stop, release, list what is stopped, and see what stands still."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.models import User

from runner.models import Run
from tests.integration.api.conftest import Program, refusal
from tests.integration.pages.samples import ASKS
from tests.support.flows import begin, publish


def test_a_program_stops_a_flow_and_releases_it(people: dict[str, User], as_person: Callable[[str], Program]) -> None:
    publish(ASKS, people["analyst"])
    admin, analyst = as_person("admin"), as_person("analyst")
    answer = admin.post("stops/", {"scope": "flow", "target": "asks", "reason": "it pays twice"})
    assert answer.status_code == 201
    made = answer.json()
    assert (made["scope"], made["target"], made["by"], made["released_at"]) == ("flow", "asks", "admin", None)
    refused = refusal(analyst.post("runs/", {"flow": "asks"}), 403)
    assert refused["code"] == "permission_denied" and refused["details"]["stop"]["reason"] == "it pays twice"
    assert [one["id"] for one in analyst.read("stops/")["items"]] == [made["id"]]
    assert analyst.read("stops/?active=false")["items"] == []
    released = admin.post(f"stops/{made['id']}/release/", {"note": "mended"}).json()
    assert (released["released_by"], released["release_note"]) == ("admin", "mended")
    assert analyst.read("stops/")["items"] == [] and len(analyst.read("stops/?active=false")["items"]) == 1
    assert analyst.post("runs/", {"flow": "asks"}).status_code == 201


def test_what_cannot_be_stopped_or_released_is_refused(as_person: Callable[[str], Program]) -> None:
    admin = as_person("admin")
    bodies = (
        {"scope": "flow", "target": "nowhere", "reason": "x"},
        {"scope": "world", "reason": "x"},
        {"scope": "all", "reason": "  "},
        {"scope": "all"},
        {"scope": "all", "reason": "x", "more": 1},
    )
    for body in bodies:
        assert refusal(admin.post("stops/", body), 400)["code"] == "validation_failed", body
    stop_id = admin.post("stops/", {"scope": "all", "reason": "alarm"}).json()["id"]
    assert (
        "stopped already, by admin: alarm"
        in refusal(admin.post("stops/", {"scope": "all", "reason": "alarm"}), 400)["message"]
    )
    assert admin.post(f"stops/{stop_id}/release/", {"note": "over"}).status_code == 200
    refusal(admin.post(f"stops/{stop_id}/release/", {"note": "over"}), 400)
    refusal(admin.post("stops/9223372036854775807/release/", {"note": "over"}), 404)
    refusal(admin.post("stops/99999999999999999999/release/", {"note": "over"}), 404)


def test_a_token_stops_only_with_its_scope(with_token: Callable[..., Program]) -> None:
    body = {"scope": "all", "reason": "alarm"}
    assert "needs the scope “admin”" in refusal(with_token("admin", "read", "run").post("stops/", body), 403)["message"]
    assert with_token("admin", "admin").post("stops/", body).json()["by"].startswith("a test of admin")


def test_what_stands_still_is_told_with_its_run(people: dict[str, User], as_person: Callable[[str], Program]) -> None:
    run = begin(publish(ASKS, people["analyst"]), people["analyst"])
    Run.objects.filter(pk=run.pk).update(status="active", last_ts=1)
    told = as_person("admin").read("stuck/")
    still = next(section for section in told["sections"] if section["key"] == "still")
    assert told["count"] == 1 and still["more"] is False
    row = still["rows"][0]
    assert (row["run"], row["flow"], row["step"], row["approval"]) == (run.pk, "asks", None, None)
    assert row["age_ms"] > 0 and row["advice"]
    refusal(as_person("admin").get("stuck/?still_ms=0"), 400)
    Run.objects.filter(pk=run.pk).update(last_ts=run.last_ts)
    assert as_person("admin").read("stuck/")["count"] == 0
