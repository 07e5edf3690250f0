"""The search: each kind by what it is known by, and nobody finds what they may not see."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.test import Client

from runner.models import Approval, Run
from runner.models.words import RunWord
from runner.services.finding import MOST_WORDS
from runner.store.purge import purge_run
from runner.store.words import words_in
from tests.integration.pages.samples import ASKS, INPUTS, SECRET
from tests.support.flows import begin, make_person, publish


@pytest.fixture
def run(people: dict[str, User]) -> Run:
    """A run of the analyst's, with inputs to be found by."""
    inputs = {"title": "Invoice INV-2026/17 of Müller", "notes": "zweite Mahnung", "secret": "hush"}
    return begin(publish(INPUTS, people["analyst"]), people["analyst"], inputs=inputs)


@pytest.fixture
def search(client_of: Callable[..., Client]) -> Callable[..., str]:
    """A function that searches as somebody; gives the main part of the page."""

    def found(text: str, name: str = "analyst") -> str:
        response = client_of(name).get(f"/search/?{urlencode({'q': text})}")
        assert response.status_code == 200
        return response.content.decode().partition('<main id="main"')[2]

    return found


@pytest.mark.parametrize(
    "text", ["inv-2026", "INV-2026 17", "müller", "MÜLLER invoice", "mahn", "zweite müller", "Invoice INV-2026/17 of M"]
)
def test_a_run_is_found_by_the_words_of_its_inputs(run: Run, search: Callable[..., str], text: str) -> None:
    assert f"/runs/{run.pk}/" in search(text)


@pytest.mark.parametrize("text", ["hush", "müller zwölf", "nvoice", "x", "%", "_", "\0", "' OR 1=1 --", "/" * 300])
def test_a_run_is_not_found_by_anything_else(run: Run, search: Callable[..., str], text: str) -> None:
    assert f"/runs/{run.pk}/" not in search(text)


def test_what_is_sensitive_leaves_no_words(people: dict[str, User]) -> None:
    begin(publish(SECRET, people["analyst"]), people["analyst"], inputs={"token": "hush"})
    assert not RunWord.objects.exists()


def test_a_run_is_found_by_the_beginning_of_its_id(run: Run, search: Callable[..., str]) -> None:
    for text in (run.pk, run.pk[:8], run.pk[:4].upper()):
        assert f"/runs/{run.pk}/" in search(text)
    assert f"/runs/{run.pk}/" not in search(run.pk[:3])


def test_a_run_is_found_by_who_started_it(
    run: Run, search: Callable[..., str], client_of: Callable[..., Client]
) -> None:
    assert "/runs/?started_by=analyst" in search("analyst", "admin")
    assert "/runs/?started_by=analyst" not in search("analyst", "reviewer"), "a reviewer sees no run of theirs"
    listed = client_of("admin").get("/runs/?started_by=analyst").content.decode()
    assert run.pk in listed
    assert run.pk not in client_of("admin").get("/runs/?started_by=reviewer").content.decode()


def test_a_flow_is_found_by_name_and_description(people: dict[str, User], search: Callable[..., str]) -> None:
    publish({**ASKS, "name": "Größere Frage", "description": "Asks the treasury."}, people["analyst"])
    for text in ("größere", "GRÖSSERE FRAGE", "treasury", "frage treasury", "asks"):
        assert 'href="/flows/asks/"' in search(text), text
    assert 'href="/flows/asks/"' not in search("frage nothing")


def test_an_approval_is_found_by_its_title_and_id(people: dict[str, User], search: Callable[..., str]) -> None:
    asking = begin(publish(ASKS, people["analyst"]), people["analyst"], inputs={"title": "Buy the bridge?"})
    approval = Approval.objects.get(run=asking)
    for text in ("bridge", approval.pk, approval.pk[:6]):
        assert f"/inbox/{approval.pk}/" in search(text, "reviewer"), text


def test_people_are_found_by_admins_only(people: dict[str, User], search: Callable[..., str]) -> None:
    somebody = make_person("zoe")
    somebody.last_name = "Quist"
    somebody.save()
    assert "Quist" in search("quist", "admin") and "Quist" in search("zo", "admin")
    for name in ("analyst", "reviewer", "outsider"):
        assert "Quist" not in search("zo", name)


def test_nobody_finds_what_they_may_not_see(run: Run, search: Callable[..., str]) -> None:
    for name in ("reviewer", "outsider"):
        for text in (run.pk, "müller"):
            assert f"/runs/{run.pk}/" not in search(text, name)
    assert "/flows/inputs/" not in search("all inputs", "outsider")
    assert "Nothing that you may see was found" in search("müller", "outsider")


def test_the_words_of_a_run_are_few_and_go_with_it(people: dict[str, User]) -> None:
    many = " ".join(f"word{place}" for place in range(100))
    run = begin(publish(INPUTS, people["analyst"]), people["analyst"], inputs={"title": many})
    assert RunWord.objects.filter(run=run).count() == MOST_WORDS
    purge_run(run.pk, actor={"kind": "user", "id": "1"}, reason="a test")
    assert not RunWord.objects.exists()


def test_words_are_cut_where_people_would_cut_them() -> None:
    assert words_in("A-17, foo_bar (x) jo@example.org. Ünïcode 2026-01-02") == [
        "a-17", "foo_bar", "jo@example.org", "ünïcode", "2026-01-02",
    ]  # fmt: skip
    assert words_in("x" * 100) == ["x" * 40] and words_in("...") == []


def test_the_box_is_on_every_page_and_keeps_what_was_asked(run: Run, client_of: Callable[..., Client]) -> None:
    page = client_of("analyst").get('/search/?q="><script>').content.decode()
    assert 'role="search"' in page and 'value="&quot;&gt;&lt;script&gt;"' in page
    assert 'role="search"' in client_of("analyst").get("/flows/").content.decode()
    assert "Write into the box above" in client_of("analyst").get("/search/").content.decode()
