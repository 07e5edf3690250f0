"""A folder of documents of a test's own, with an index of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from runner.tools import ToolContext
from runner.tools.folder import FOLDERS, folder_read, folder_search
from runner.tools.folder.places import read_places

PASSAGES = {
    "leases.md": (
        "# Leases\n\nA lease is a time-limited right to one attempt.\n\n## Renewal\n\nA worker renews its lease.\n"
    ),
    "guide/approvals.md": "# Approvals\n\nA person decides an approval. The lease plays no part.\n",
    "guide/notes.txt": "Notes on the café\n\nThe naïve résumé was running late.\n",
    "web/page.html": "<title>Timers</title><h1>Timers</h1><p>A timer fires once.</p><script>lease()</script>",
}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    root = tmp_path / "documents"
    for source, text in PASSAGES.items():
        path = root / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    places = read_places({"papers": str(root)}, "papers", tmp_path / "indexes")
    before = FOLDERS._given
    FOLDERS.use(lambda: places)
    yield root
    FOLDERS.use(before)


@pytest.fixture
def index_file(folder: Path) -> Path:
    return folder.parent / "indexes" / "papers.sqlite3"


Search = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def search(folder: Path) -> Search:
    """Search, and see to it that every passage stands where it is said to stand."""

    def ask(query: str, **arguments: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = folder_search(query, ctx=ToolContext(), **arguments)["results"]
        for one in found:
            document = folder_read(one["source"], ctx=ToolContext())
            assert document["text"][one["start"] : one["end"]] == one["passage"]
            assert document["digest"] == one["digest"] and document["title"] == one["title"]
        return found

    return ask
