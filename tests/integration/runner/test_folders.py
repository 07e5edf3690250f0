"""Runs that search and read a folder by role, the command that indexes, the check, and what the settings may say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command

from flowsite import settings as shipped
from runner.catalog import CATALOG, folder_places
from runner.checks import check_folders
from runner.tools.errors import ToolError
from runner.tools.folder import FOLDERS
from tests.support.runs import document, finish, offer_tool, step

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    root = tmp_path / "papers"
    root.mkdir()
    (root / "lease.md").write_text("# Leases\n\nA lease is a time-limited right to one attempt.\n")
    (root / "timer.md").write_text("# Timers\n\nA timer fires once, whoever has the lease.\n")
    settings.FOLDERS = {"papers": str(root)}
    settings.DEFAULT_FOLDER = "papers"
    settings.FOLDER_INDEXES = tmp_path / "indexes"
    return root


def group(node_id: str, role: str, arguments: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": node_id, "type": "tool_group", "config": {"role": role, "arguments": arguments, **more}}


RESEARCH = document(
    [
        group("search", "search", {"query": "{{topic}}", "limit": 5, "folder": "{{folder}}"}),
        group("read", "reader", {"source": "{{steps.search.output[0].results[0].source}}", "folder": "{{folder}}"}),
        {
            "id": "end",
            "type": "return",
            "config": {
                "value": {"found": "{{steps.search.output[0].results[0]}}", "document": "{{steps.read.output[0]}}"}
            },
        },
    ],
    ["search>read", "read>end"],
    inputs=[
        {"name": "topic", "type": "short_text", "required": True},
        {"name": "folder", "type": "short_text", "default": "papers"},
    ],
)


def test_a_run_searches_and_reads_by_role() -> None:
    run = finish(RESEARCH, inputs={"topic": "What is a lease?"})
    assert run.status == "succeeded", run.error
    value = run.value_of("result")
    found, read = value["found"], value["document"]
    assert found["source"] == "lease.md" and found["digest"] == read["digest"]
    assert read["text"][found["start"] : found["end"]] == found["passage"]
    member = step(run.id, "search[0]")
    assert member.notes["call"]["tool"] == "folder_search"


def test_a_path_from_outside_is_no_folder(folder: Path) -> None:
    for named in (str(folder), "..", "papers/../papers"):
        run = finish(RESEARCH, inputs={"topic": "lease", "folder": named})
        assert run.status == "failed" and run.error["code"] == "unknown_folder"


def test_another_provider_takes_the_role(settings: Any) -> None:
    def clippings(query: str, limit: int = 10, folder: str | None = None) -> dict[str, Any]:
        """Search clippings."""
        return {"results": [{"source": "clip:1", "passage": query}], "folder": "clippings", "documents": 1}

    offer_tool("clippings", clippings, read_only=True)
    settings.TOOL_ROLES = settings.TOOL_ROLES | {"search": ["folder_search", "clippings"]}
    flow = document([group("search", "search", {"query": "lease"})])
    run = finish(flow)
    assert run.status == "succeeded", run.error
    assert step(run.id, "search[1]").status == "succeeded"
    assert CATALOG.role("reader") == ("folder_read",)


def test_the_command_says_what_it_found_and_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "tool.py").write_text("pass")
    call_command("index_folder")
    assert capsys.readouterr().out == (
        "papers: 2 documents, 2 passages; 2 added, 0 changed, 0 removed\n  left out, other: 1\n"
    )
    with pytest.raises(SystemExit) as ended:
        call_command("index_folder", "nope")
    assert ended.value.code == 2 and "unknown_folder" in capsys.readouterr().err


def test_a_missing_folder_is_warned_of(settings: Any, tmp_path: Path) -> None:
    assert check_folders() == []
    settings.FOLDERS = settings.FOLDERS | {"gone": str(tmp_path / "gone")}
    (warning,) = check_folders()
    assert warning.id == "runner.W003" and "'gone'" in warning.msg


@pytest.mark.parametrize(
    ("folders", "default"),
    [
        ({"Big Name": "/srv"}, "Big Name"),
        ({"a/b": "/srv"}, "a/b"),
        ({"docs": ""}, "docs"),
        ({"docs": {"path": "/srv", "onyl": []}}, "docs"),
        ({"docs": {"path": "/srv", "only": ["../etc"]}}, "docs"),
        ({"docs": {"path": "/srv", "only": "docs"}}, "docs"),
        ({"docs": "/srv"}, "other"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings: Any, folders: Any, default: str) -> None:
    settings.FOLDERS = folders
    settings.DEFAULT_FOLDER = default
    with pytest.raises(ImproperlyConfigured, match="FLOWSITE_FOLDERS"):
        folder_places()


def test_a_folder_that_is_none_is_named_as_it_was_asked_for() -> None:
    for named in ("/etc", "nowhere", "nowhere/at/all"):
        with pytest.raises(ToolError, match=f"There is no folder '{named}'"):
            FOLDERS.find(named)


@pytest.mark.parametrize("named", ["docs", "docs/howto"])
def test_a_part_of_the_products_own_docs_is_named_as_the_hints_say(settings: Any, named: str) -> None:
    settings.FOLDERS, settings.DEFAULT_FOLDER = shipped.FOLDERS, shipped.DEFAULT_FOLDER
    run = finish(RESEARCH, inputs={"topic": "How are folders searched?", "folder": named})
    assert run.status == "succeeded", run.error
    sources = [one["source"] for one in step(run.id, "search[0]").value_of("output")["results"]]
    assert "howto/folders.md" in sources
    assert named == "docs" or all(source.startswith("howto/") for source in sources)


def test_the_products_own_docs_are_the_default_folder(settings: Any) -> None:
    settings.FOLDERS, settings.DEFAULT_FOLDER = shipped.FOLDERS, shipped.DEFAULT_FOLDER
    run = finish(document([group("search", "search", {"query": "How does a run survive when its worker dies?"})]))
    results = step(run.id, "search[0]").value_of("output")["results"]
    sources = [one["source"] for one in results]
    assert "discussions/durability.md" in sources
