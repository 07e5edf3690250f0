"""The start form: a control for each input, values with their types, faults at the field, one run for one form."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from runner.models import Run
from tests.integration.pages.samples import INPUTS
from tests.support.flows import publish

START = "/flows/inputs/start/"


@pytest.fixture
def client(people: dict[str, User], client_of: Callable[..., Client]) -> Client:
    publish(INPUTS, people["analyst"])
    return client_of("analyst")


def key_of(page: str) -> str:
    found = re.search(r'name="idempotency_key" value="([0-9a-f]{32})"', page)
    assert found
    return found[1]


def sent(client: Client, **values: Any) -> dict[str, Any]:
    """What a browser sends for a form of which these fields were filled in."""
    key = key_of(client.get(START).content.decode())
    named = {f"input-{name}" if name != "preset" else name: value for name, value in values.items()}
    return {"idempotency_key": key, "input-amount": "12.5", **named}


def started(client: Client, **values: Any) -> Run:
    response = client.post(START, sent(client, **values))
    assert response.status_code == 302, response.content.decode()
    return Run.objects.get(pk=response.headers["Location"].split("/")[2])


def test_each_type_of_input_has_its_control(client: Client) -> None:
    page = client.get(START).content.decode()
    assert re.search(r'<input type="text" name="input-title"[^>]* required', page)
    assert re.search(r'<textarea name="input-notes"', page)
    assert re.search(r'<input type="text" name="input-amount" value="12.5"[^>]*inputmode="decimal"', page)
    assert re.search(r'<input type="text" name="input-count"[^>]*inputmode="numeric"', page)
    assert len(re.findall(r'<input type="radio" name="input-urgent"', page)) == 3
    assert re.search(r'<select name="input-colour"', page)
    assert re.search(r'<input type="date" name="input-due"', page)
    assert re.search(r'<textarea name="input-settings"[^>]*class="json"', page)
    assert re.search(r'<input type="password" name="input-secret"', page)
    assert "What it is about" in page
    assert page.count("(required)") == 1
    assert '<option value="quick" selected>Quick</option>' in page


def test_values_arrive_with_their_types(client: Client) -> None:
    run = started(
        client, title=" Spaces stay ", notes="one\r\ntwo", amount="0.5", count=str(2**70), urgent="false",
        colour="green", due="2026-02-28", settings='{"deep": {"n": 9007199254740993}}', tags="[1, 2.0]",
        secret="s3cret", preset="deep",
    )  # fmt: skip
    assert run.preset == "deep"
    assert run.value_of("inputs") == {
        "title": " Spaces stay ", "notes": "one\ntwo", "amount": 0.5, "count": 2**70, "urgent": False,
        "colour": "green", "due": "2026-02-28", "settings": {"deep": {"n": 9007199254740993}}, "tags": [1, 2],
        "secret": "s3cret",
    }  # fmt: skip
    assert (run.started_by and run.started_by.username, run.actor["kind"]) == ("analyst", "user")


def test_what_is_left_empty_is_not_given(client: Client) -> None:
    assert started(client, title="x", amount="").value_of("inputs") == {"title": "x", "amount": 12.5}, "the default"


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("title", "", "This input is required"),
        ("amount", "12,5", "Give a number"),
        ("amount", "NaN", "Give a number"),
        ("amount", "1e999", "Give a number"),
        ("count", "1.5", "Give a whole number"),
        ("count", "many", "Give a whole number"),
        ("colour", "blue", "Select a valid choice"),
        ("due", "2026-02-30", "Enter a valid date"),
        ("settings", "{broken", "line 1, column 2"),
        ("settings", "[1]", "must be an object"),
        ("settings", '{"a": NaN}', "NaN"),
        ("settings", "[" * 100_000, "nested"),
        ("tags", '{"a": 1}', "must be a list"),
    ],
)
def test_a_fault_is_told_at_its_field_and_nothing_starts(client: Client, field: str, value: str, fault: str) -> None:
    response = client.post(START, sent(client, **({"title": "x"} | {field: value})))
    page = response.content.decode()
    assert response.status_code == 400
    error = re.search(rf'<ul class="errors" id="id_input-{field}_error">(.*?)</ul>', page, re.S)
    assert error and fault in error[1], error and error[1]
    assert not Run.objects.exists()


def test_what_was_typed_stays_in_a_refused_form(client: Client) -> None:
    page = client.post(START, sent(client, title="kept <b>", count="x")).content.decode()
    assert 'value="kept &lt;b&gt;"' in page and 'value="x"' in page


def test_a_doubled_submit_gives_one_run(client: Client) -> None:
    data = sent(client, title="once")
    places = {client.post(START, data).headers["Location"] for _ in range(3)}
    assert len(places) == 1
    assert Run.objects.count() == 1


def test_a_form_sent_again_with_other_inputs_asks_before_it_starts_another_run(client: Client) -> None:
    data = sent(client, title="once")
    client.post(START, data)
    response = client.post(START, data | {"input-title": "twice"})
    page = response.content.decode()
    assert response.status_code == 400
    assert "This form has started run" in page
    assert key_of(page) != data["idempotency_key"]
    assert Run.objects.count() == 1
    assert client.post(START, data | {"input-title": "twice", "idempotency_key": key_of(page)}).status_code == 302
    assert Run.objects.count() == 2


def test_a_preset_that_is_not_there_is_refused(client: Client) -> None:
    assert client.post(START, sent(client, title="x", preset="huge")).status_code == 400
    assert not Run.objects.exists()


def test_sensitive_inputs_stay_covered_on_the_run_page(client: Client) -> None:
    run = started(client, title="x", secret="s3cret")
    for path in (reverse("run", args=[run.pk]), reverse("run-parts", args=[run.pk])):
        page = client.get(path).content.decode()
        assert "covered: sensitive" in page and "s3cret" not in page
    assert client.get(reverse("run-value", args=[run.pk, "inputs"])).status_code == 404


def test_only_published_versions_can_be_started(client: Client) -> None:
    assert client.get(f"{START}?version=1").status_code == 200
    for version in ("2", "0", "-1", "x", "9" * 30):
        assert client.get(f"{START}?version={version}").status_code == 404


def test_a_file_is_the_input_in_place_of_what_would_be_typed(client: Client) -> None:
    page = client.get(START).content.decode()
    assert re.search(r'<input type="file" name="file-notes" accept="[^"]*\.csv', page)
    assert 'enctype="multipart/form-data"' in page and "file-title" not in page
    files = {
        "file-notes": SimpleUploadedFile("notes.csv", "\ufeffa;b\r\nä;1\r\n".encode()),
        "file-settings": SimpleUploadedFile("settings.json", b'{"deep": [1]}'),
    }
    response = client.post(START, sent(client, title="t") | files)
    assert response.status_code == 302, response.content.decode()
    inputs = Run.objects.get().value_of("inputs")
    assert (inputs["notes"], inputs["settings"]) == ("a;b\nä;1\n", {"deep": [1]})


@pytest.mark.parametrize(
    ("data", "told"), [(b"%PDF-1.4", "a PDF"), (b"\xe4", "not UTF-8 at byte 0"), (b"x" * 5_000_000, "larger than")]
)
def test_a_file_that_does_not_fit_is_told_at_its_field(client: Client, data: bytes, told: str) -> None:
    response = client.post(START, sent(client, title="t") | {"file-notes": SimpleUploadedFile("n.csv", data)})
    page = response.content.decode()
    assert response.status_code == 400
    found = re.search(r'id="id_file-notes_error">(.*?)</ul>', page, re.DOTALL)
    assert found and told in found[1]
    assert not Run.objects.exists()


def test_a_file_and_typed_text_at_once_are_refused(client: Client) -> None:
    response = client.post(
        START, sent(client, title="t", notes="typed") | {"file-notes": SimpleUploadedFile("n.csv", b"file")}
    )
    assert response.status_code == 400 and "typed as well" in response.content.decode()
    assert not Run.objects.exists()
