"""Searching a folder: what is found, in which order, with what; and the same bytes for the same folder."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runner.tools import ToolContext, ToolError
from runner.tools.folder import folder_search, refresh_folder
from tests.unit.runner.tools.folder.conftest import Search


def test_a_passage_is_found_with_its_source_headings_and_date(folder: Path, search: Search) -> None:
    os.utime(folder / "leases.md", (1_700_000_000, 1_700_000_000))
    first = search("who renews a lease?")[0]
    score, digest = first.pop("score"), first.pop("digest")
    assert score > 0 and len(digest) == 64
    assert first == {
        "source": "leases.md",
        "title": "Leases",
        "heading": "Leases › Renewal",
        "modified": "2023-11-14",
        "modified_from": "file",
        "passage": "## Renewal\n\nA worker renews its lease.",
        "start": 59,
        "end": 97,
        "coverage": 1.0,
    }


@pytest.mark.parametrize("asked", ["cafe", "CAFÉ", "cafe\u0301", "naive", "resume", "run", "runs"])
def test_accents_case_and_endings_make_no_difference(search: Search, asked: str) -> None:
    assert [one["source"] for one in search(asked)] == ["guide/notes.txt"]


def test_what_only_a_script_says_is_not_found(search: Search) -> None:
    assert "web/page.html" not in [one["source"] for one in search("lease")]


def test_headings_and_titles_count_more_than_words_in_passing(search: Search) -> None:
    assert [one["source"] for one in search("lease")] == ["leases.md", "leases.md", "guide/approvals.md"]


def test_coverage_says_how_much_of_the_question_is_met(search: Search) -> None:
    found = {one["heading"]: one["coverage"] for one in search("lease renewal chromodynamics")}
    assert 0 < found["Approvals"] < found["Leases › Renewal"] < 1


def test_what_no_document_says_finds_nothing(search: Search) -> None:
    assert search("quantum chromodynamics") == [] == search("?!") == search("")


def test_a_quoted_phrase_comes_first(folder: Path, search: Search) -> None:
    (folder / "a.md").write_text("The order of words: once exactly, and exactly not once.")
    (folder / "b.md").write_text("Here it says that it happens exactly once, and that is it.")
    assert [one["source"] for one in search('"exactly once"')] == ["b.md", "a.md"]


def test_chinese_and_japanese_are_found_without_spaces(folder: Path, search: Search) -> None:
    (folder / "zh.md").write_text("# 流程\n\n每个步骤都需要身份验证和批准。")
    assert [one["source"] for one in search("身份验证")] == ["zh.md"]
    assert [one["source"] for one in search("批")] == ["zh.md"]


def test_a_folder_inside_and_a_day_narrow_the_search(folder: Path, search: Search) -> None:
    (folder / "old.md").write_text("---\ndate: 2001-02-03\n---\nAn old lease.")
    assert "old.md" in [one["source"] for one in search("lease")]
    assert "old.md" not in [one["source"] for one in search("lease", since=date(2001, 2, 4))]
    answer = folder_search("lease", folder="papers/guide", ctx=ToolContext())
    assert [one["source"] for one in answer["results"]] == ["guide/approvals.md"]
    assert (answer["folder"], answer["documents"]) == ("papers", 2)


def test_a_text_in_several_documents_is_given_once(folder: Path, search: Search) -> None:
    for name in ("z.md", "y.md", "x.md"):
        (folder / name).write_text("Permission is hereby granted to whoever asks.")
    assert [one["source"] for one in search("permission granted")] == ["x.md"]


def test_one_document_does_not_fill_the_answer(folder: Path, search: Search) -> None:
    (folder / "much.md").write_text("".join(f"## Part {n}\n\nThe harbour, harbour {n}.\n\n" for n in range(30)))
    (folder / "little.md").write_text("A short note that mentions the harbour of the town in passing, no more.")
    assert "little.md" in [one["source"] for one in search("harbour", limit=8)]


def test_equal_passages_come_in_the_order_of_source_and_place_whatever_came_first(
    folder: Path, index_file: Path
) -> None:
    for number in (7, 3, 9, 1):
        (folder / f"n{number}.md").write_text(f"The tide is high at noon {number}00.")
        refresh_folder("papers")
    for number in range(200):
        (folder / f"m{number:03}.md").write_text(f"The tide is low at dusk {number:03}.")
    answers = []
    for _ in range(2):
        answers.append(json.dumps(folder_search("tide", limit=50, ctx=ToolContext())))
        index_file.unlink()
    assert answers[0] == answers[1]
    found = [one["source"] for one in json.loads(answers[0])["results"]]
    assert len(found) == 50 and found == sorted(found)


def test_a_question_of_common_words_alone_finds_what_has_them_all(
    folder: Path, search: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runner.tools.folder.searching._MATCHES", 3)
    for number in range(5):
        (folder / f"a{number}.md").write_text(f"Harbour {number}.")
        (folder / f"b{number}.md").write_text(f"Town {number}.")
    (folder / "c.md").write_text("The harbour of that town.")
    assert [one["source"] for one in search("harbour town")] == ["c.md"]
    assert search("harbour")


@pytest.mark.parametrize(
    "named", ["nope", "papers/../..", "papers/.git", "/etc", "papers/guide\\x", "papers/none", "../x", "a\0"]
)
def test_a_folder_that_is_not_named_in_the_settings_cannot_be_searched(folder: Path, named: str) -> None:
    with pytest.raises(ToolError) as refused:
        folder_search("lease", folder=named, ctx=ToolContext())
    assert refused.value.code == "unknown_folder"
    assert str(folder) not in refused.value.message


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(min_size=1, max_size=4_000), suffix=st.sampled_from(["md", "txt", "html", "rst"]))
def test_any_text_is_found_where_it_stands(folder: Path, search: Search, text: str, suffix: str) -> None:
    for other in folder.glob("any.*"):
        other.unlink()
    (folder / f"any.{suffix}").write_bytes(f"zebra crossing {text} zebra".encode("utf-8", "replace"))
    found = search("zebra", limit=50)
    assert "\0" in text or any(one["source"] == f"any.{suffix}" for one in found)
