"""Starting runs with files over the API: the whole file arrives or nothing does."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from editor.tokens import make_token
from runner.models import Blob, Event, Run
from tests.integration.pages.samples import INPUTS
from tests.support.flows import publish

PATH = "/api/runs/with-files/"
LINE = "name;amount;Größe\n"


@pytest.fixture
def send(people: dict[str, User]) -> Callable[..., Any]:
    """A function that sends a request with files, as a program with a token; gives the answer."""
    publish(INPUTS, people["analyst"])
    token = make_token(people["analyst"], name="a test", scopes=["run"]).text

    def post(request: Any = None, *, key: str | None = None, **files: bytes) -> Any:
        asked = {"flow": "inputs", "inputs": {"title": "t"}} if request is None else request
        parts: dict[str, Any] = {"request": asked if isinstance(asked, str) else json.dumps(asked)}
        parts |= {name: SimpleUploadedFile(f"{name}.csv", data) for name, data in files.items()}
        headers = {"Authorization": f"Bearer {token}"} | ({"Idempotency-Key": key} if key else {})
        return Client().post(PATH, parts, headers=headers)

    return post


def test_a_large_file_is_an_input_and_lies_in_the_blobs_of_the_run(send: Callable[..., Any]) -> None:
    text = LINE * 50_000
    answer = send(notes=b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(), settings=b'{"a": [1, 2]}')
    assert answer.status_code == 201, answer.content
    run = Run.objects.get(pk=answer.json()["id"])
    assert run.inputs_ref is not None and Blob.objects.filter(run=run, digest=run.inputs_ref).exists()
    assert run.value_of("inputs") | {"amount": 0} == {
        "title": "t", "notes": text, "settings": {"a": [1, 2]}, "amount": 0,
    }  # fmt: skip


def test_utf16_with_its_mark_is_read(send: Callable[..., Any]) -> None:
    answer = send(notes=LINE.encode("utf-16"))
    assert Run.objects.get(pk=answer.json()["id"]).value_of("inputs")["notes"] == LINE


@pytest.mark.parametrize(
    ("files", "status", "code", "told"),
    [
        ({"notes": b"%PDF-1.7 ..."}, 400, "validation_failed", "a PDF"),
        ({"notes": b"PK\x03\x04..."}, 400, "validation_failed", "office document"),
        ({"notes": b"caf\xe9"}, 400, "validation_failed", "not UTF-8 at byte 3"),
        ({"notes": b"a\0b"}, 400, "validation_failed", "zero bytes"),
        ({"notes": b"\xff\xfea"}, 400, "validation_failed", "cannot be read as text"),
        ({"notes": b"x" * (4 * 1024 * 1024 + 1)}, 413, "value_too_large", "larger than 4.0 MiB"),
        ({"settings": b'{"a": '}, 400, "validation_failed", "settings.csv"),
        ({"settings": b"[1]"}, 400, "validation_failed", "must be an object"),
        ({"settings": b"[" * 100_000}, 400, "limit_exceeded", ""),
        ({"amount": b"12"}, 400, "validation_failed", "takes no file"),
        ({"nothing": b"12"}, 400, "validation_failed", "no input of this name"),
        ({"title": b"12"}, 400, "validation_failed", "in the request as well"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_left(
    send: Callable[..., Any], files: dict[str, bytes], status: int, code: str, told: str
) -> None:
    answer = send(**files)
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.content
    assert told in answer.json()["message"]
    assert (Run.objects.count(), Blob.objects.count(), Event.objects.count()) == (0, 0, 0)


@pytest.mark.parametrize("request_part", ["", "{", "[]", '{"flow": 1}', '{"flow": "inputs", "more": 1}'])
def test_the_part_of_json_is_checked_like_a_body(send: Callable[..., Any], request_part: str) -> None:
    assert send(request_part, notes=b"x").status_code == 400
    assert not Run.objects.exists()


def test_the_same_key_and_files_are_one_run(send: Callable[..., Any]) -> None:
    first, second = send(key="k", notes=b"x"), send(key="k", notes=b"x")
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json()["id"] == second.json()["id"]
    assert send(key="k", notes=b"y").status_code == 409


def test_who_may_not_start_a_run_may_not_with_files(people: dict[str, User]) -> None:
    publish(INPUTS, people["analyst"])
    for name, status in (("reviewer", 403), ("outsider", 404)):
        client = Client()
        client.force_login(people[name])
        assert client.post(PATH, {"request": '{"flow": "inputs"}'}).status_code == status
    assert Client().post(PATH, {"request": '{"flow": "inputs"}'}).status_code == 401
