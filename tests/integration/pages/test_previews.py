"""Pages that show artifacts and values: within bounds, for who sees the run. The download beside them stays a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from runner.models import Artifact, Run, StepRun
from tests.integration.pages.samples import LARGE, SECRET
from tests.support.flows import begin, publish

WRITES: dict[str, Any] = {
    "id": "writes",
    "inputs": [{"name": "text", "type": "long_text"}, {"name": "more", "type": "object", "default": {}}],
    "nodes": [
        {
            "id": "write",
            "type": "artifact",
            "config": {"artifact": "report", "content": "{{text}}", "filename": "report.md"},
        },
        {"id": "data", "type": "artifact", "config": {"artifact": "data", "content": "{{more}}"}},
    ],
    "edges": [{"source": "write", "target": "data"}],
    "artifacts": [{"id": "report", "type": "markdown"}, {"id": "data", "type": "json"}],
}


@pytest.fixture
def client(people: dict[str, User], client_of: Callable[..., Client]) -> Client:
    return client_of("analyst")


def written(people: dict[str, User], text: str, **more: Any) -> Run:
    return begin(publish(WRITES, people["analyst"]), people["analyst"], inputs={"text": text, "more": more})


def preview(client: Client, run: Run, artifact: str = "report") -> str:
    found = Artifact.objects.get(run=run, artifact=artifact)
    response = client.get(reverse("artifact-preview", args=[run.pk, found.pk]))
    assert response.status_code == 200
    return response.content.decode()


def test_a_report_is_drawn_and_cannot_act(people: dict[str, User], client: Client) -> None:
    run = written(
        people, "# Report\n\n<script>alert(1)</script> [x](javascript:alert(1)) ![y](https://e.example/p.gif)"
    )
    page = preview(client, run)
    assert "<h3>Report</h3>" in page
    body = page.partition('<div class="prose"')[2].partition("</section>")[0]
    assert "<script" not in body and "href" not in body and "<img" not in body
    assert "&lt;script&gt;" in body
    assert reverse("artifact-preview", args=[run.pk, Artifact.objects.get(run=run, artifact="report").pk]) in (
        client.get(reverse("run", args=[run.pk])).content.decode()
    )


def test_the_download_stays_a_file(people: dict[str, User], client: Client) -> None:
    run = written(people, "<script>alert(1)</script>")
    response = client.get(reverse("artifact", args=[run.pk, Artifact.objects.get(run=run, artifact="report").pk]))
    assert response.headers["Content-Disposition"] == 'attachment; filename="report.md"'
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"


def test_json_is_a_tree_that_folds(people: dict[str, User], client: Client) -> None:
    page = preview(client, written(people, "x", deep={"list": [1, "<b>"]}), "data")
    assert "<details open><summary>" in page and "&lt;b&gt;" in page and "<b>" not in page.partition("json-tree")[2]


def test_what_is_too_large_is_not_even_read(
    people: dict[str, User], client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = written(people, "x" * 3_000_000)

    def unread(*_: Any) -> None:
        raise AssertionError("it was read")

    monkeypatch.setattr(Artifact, "value_of", unread)
    assert "larger than 2.0 MiB" in preview(client, run)


def test_values_have_pages_too(people: dict[str, User], client: Client) -> None:
    items = [f"item {number}" for number in range(2_000)]
    run = begin(publish(LARGE, people["analyst"]), people["analyst"], inputs={"items": items})
    step = StepRun.objects.get(run=run, path="keep")
    for path in (
        reverse("run-value-preview", args=[run.pk, "inputs"]),
        reverse("step-value-preview", args=[run.pk, step.pk, "output"]),
    ):
        page = client.get(path).content.decode()
        assert "item 1" in page and "and 1,800 more" in page and "Download as JSON" in page
    assert client.get(reverse("run-value-preview", args=[run.pk, "salt"])).status_code == 404
    assert client.get(reverse("step-value-preview", args=[run.pk, step.pk, "error"])).status_code == 404


def test_what_is_sensitive_has_no_page(people: dict[str, User], client: Client) -> None:
    run = begin(publish(SECRET, people["analyst"]), people["analyst"], inputs={"token": "hush"})
    step = StepRun.objects.get(run=run, path="use")
    assert client.get(reverse("run-value-preview", args=[run.pk, "inputs"])).status_code == 404
    assert client.get(reverse("step-value-preview", args=[run.pk, step.pk, "output"])).status_code == 404


def test_who_does_not_see_the_run_sees_no_preview(people: dict[str, User], client_of: Callable[..., Client]) -> None:
    run = written(people, "x")
    artifact = Artifact.objects.get(run=run, artifact="report")
    for name in ("reviewer", "outsider"):
        assert client_of(name).get(reverse("artifact-preview", args=[run.pk, artifact.pk])).status_code == 404
