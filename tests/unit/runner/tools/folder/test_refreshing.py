"""The index follows its folder, and can be lost, broken, killed and shared."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from runner.tools import Aborted, AbortToken, ToolContext, ToolError
from runner.tools.folder import folder_read, folder_search, refresh_folder
from runner.tools.folder import refreshing as refreshing_module
from tests.unit.runner.tools.folder.conftest import Search


def counts(name: str = "papers") -> tuple[int, int, int, int]:
    found = refresh_folder(name)[1]
    return found.documents, found.added, found.changed, found.removed


def test_only_what_is_new_changed_or_gone_is_touched(folder: Path, search: Search) -> None:
    assert counts() == (4, 4, 0, 0)
    assert counts() == (4, 0, 0, 0)
    (folder / "new.md").write_text("A zebra.")
    (folder / "leases.md").write_text("# Leases\n\nNow about a walrus.\n")
    (folder / "web" / "page.html").unlink()
    assert counts() == (4, 1, 1, 1)
    assert [one["source"] for one in search("zebra")] == ["new.md"]
    assert [one["source"] for one in search("walrus")] == ["leases.md"]
    assert search("renewal") == [] == search("timers")


def test_a_change_that_leaves_size_and_time_as_they_were_is_seen(folder: Path, search: Search) -> None:
    path = folder / "leases.md"
    before = path.stat()
    assert search("attempt")
    path.write_text(path.read_text().replace("attempt", "walruss"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert search("attempt") == []


def test_a_new_time_of_the_same_bytes_is_a_new_date_and_nothing_else(folder: Path, search: Search) -> None:
    counts()
    os.utime(folder / "leases.md", (0, 0))
    assert counts() == (4, 0, 0, 0)
    assert search("renewal")[0]["modified"] == "1970-01-01"


def test_what_cannot_be_read_is_left_out_and_counted(folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("A zebra outside.")
    (folder / "link.md").symlink_to(secret)
    (folder / "linked").symlink_to(tmp_path)
    (folder / ".hidden.md").write_text("A zebra hides.")
    (folder / ".git").mkdir()
    (folder / ".git" / "x.md").write_text("A zebra hides.")
    (folder / "binary.txt").write_bytes(b"zebra\0")
    (folder / "latin.txt").write_bytes("zebra Grüße".encode("latin-1"))
    (folder / "code.py").write_text("zebra = 1")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 zebra")
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(5 * 1024 * 1024)
    os.mkfifo(folder / "pipe.md")
    os.close(os.open(os.fsencode(folder) + b"/odd\xff.md", os.O_CREAT))
    skipped = refresh_folder("papers")[1].skipped
    assert skipped == {
        "binary": 1,
        "encoding": 1,
        "hidden": 2,
        "link": 2,
        "name": 1,
        "other": 2,
        "too_large": 1,
        "unreadable": 1,
    }
    assert folder_search("zebra", ctx=ToolContext()) == {"results": [], "folder": "papers", "documents": 4}
    assert counts() == (4, 0, 0, 0)


REFUSED = {
    "../secret.md": "not_found",
    "/etc/passwd": "not_found",
    "guide/../leases.md": "not_found",
    "guide//notes.txt": "not_found",
    "./leases.md": "not_found",
    ".hidden.md": "not_found",
    "guide\\notes.txt": "not_found",
    "no\0where.md": "not_found",
    "nowhere.md": "not_found",
    "link.md": "document_refused",
    "linked/secret.md": "document_refused",
    "guide": "document_refused",
    "code.py": "document_refused",
    "pipe.md": "document_refused",
    "binary.txt": "document_refused",
    "huge.txt": "document_refused",
}


@pytest.mark.parametrize("source", REFUSED)
def test_nothing_but_a_plain_document_inside_is_read(folder: Path, tmp_path: Path, source: str) -> None:
    (tmp_path / "secret.md").write_text("A secret.")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    (folder / "linked").symlink_to(tmp_path)
    (folder / ".hidden.md").write_text("A secret.")
    (folder / "code.py").write_text("secret = 1")
    (folder / "binary.txt").write_bytes(b"secret\0")
    os.mkfifo(folder / "pipe.md")
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(5 * 1024 * 1024)
    with pytest.raises(ToolError) as refused:
        folder_read(source, ctx=ToolContext())
    assert refused.value.code == REFUSED[source]
    assert str(tmp_path) not in refused.value.message


def test_a_folder_inside_bounds_what_is_read(folder: Path) -> None:
    assert folder_read("guide/notes.txt", "papers/guide", ctx=ToolContext())["title"] == "Notes on the café"
    with pytest.raises(ToolError, match="is no document"):
        folder_read("leases.md", "papers/guide", ctx=ToolContext())


@pytest.mark.parametrize("damage", ["no database", "torn", "emptied", "other tables", "words torn"])
def test_a_broken_index_is_built_anew(folder: Path, index_file: Path, search: Search, damage: str) -> None:
    expected = search("lease")
    if damage == "no database":
        index_file.write_bytes(b"nonsense" * 4_000)
    elif damage == "torn":
        data = index_file.read_bytes()
        index_file.write_bytes(data[:20_000] + b"\xff" * (len(data) - 20_000))
    elif damage == "emptied":
        index_file.write_bytes(b"")
    else:
        with sqlite3.connect(index_file) as connection:
            table = "documents" if damage == "other tables" else "words_data"
            connection.execute(f"DELETE FROM {table}" if damage == "words torn" else f"DROP TABLE {table}")
        connection.close()
    assert search("lease") == expected


def test_an_index_of_another_folder_under_this_name_is_thrown_away(folder: Path, search: Search) -> None:
    counts()
    moved = folder.rename(folder.with_name("elsewhere"))
    folder.mkdir()
    (folder / "only.md").write_text("A zebra.")
    assert [one["source"] for one in search("zebra")] == ["only.md"]
    assert search("lease") == [] and moved.is_dir()


def test_a_folder_that_goes_missing_does_not_empty_its_index(folder: Path, index_file: Path) -> None:
    counts()
    away = folder.rename(folder.with_name("away"))
    with pytest.raises(ToolError, match="is missing"):
        folder_search("lease", ctx=ToolContext())
    away.rename(folder)
    assert counts() == (4, 0, 0, 0)


def test_a_call_that_is_told_to_stop_does_and_what_it_did_stays(
    folder: Path, index_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = AbortToken()
    read = refreshing_module.read_bytes
    taken: list[str] = []

    def read_two(root: Path, source: str) -> object:
        taken.append(source)
        if len(taken) == 2:
            token.abort("timeout")
        return read(root, source)

    monkeypatch.setattr(refreshing_module, "read_bytes", read_two)
    with pytest.raises(Aborted):
        folder_search("lease", ctx=ToolContext(abort=token))
    assert len(taken) == 2
    assert counts() == (4, 2, 0, 0)


KILLED = """
import os, signal, sys
from pathlib import Path
from runner.tools.folder import FOLDERS, refresh_folder, refreshing
from runner.tools.folder.places import read_places
places = read_places({"papers": sys.argv[1]}, "papers", Path(sys.argv[2]))
FOLDERS.use(lambda: places)
refreshing._BATCH_BYTES = 2_000
passages, done = refreshing._passages, []
def die(document):
    done.append(document)
    if len(done) == 25:
        os.kill(os.getpid(), signal.SIGKILL)
    return passages(document)
refreshing._passages = die
refresh_folder("papers")
"""


def test_a_worker_killed_while_it_indexes_breaks_nothing(folder: Path, index_file: Path, search: Search) -> None:
    for number in range(40):
        (folder / f"d{number:02}.md").write_text(f"# Part {number}\n\n" + f"A walrus, and number {number}. " * 20)
    command = [sys.executable, "-c", KILLED, str(folder), str(index_file.parent)]
    ended = subprocess.run(command, check=False, cwd=Path(__file__).parents[5])
    assert ended.returncode == -9
    with sqlite3.connect(index_file) as connection:
        kept = connection.execute("SELECT count(*) FROM documents").fetchone()[0]
    connection.close()
    assert 0 < kept < 25
    documents, added, changed, removed = counts()
    assert (documents, added, changed, removed) == (44, 44 - kept, 0, 0)
    found = search("walrus number", limit=50)
    index_file.unlink()
    assert found == search("walrus number", limit=50) and len(found) == 40


def test_several_workers_may_search_at_once(folder: Path, index_file: Path) -> None:
    for number in range(60):
        (folder / f"d{number:02}.md").write_text(f"# Part {number}\n\nA walrus, and number {number}.")

    def ask(number: int) -> object:
        if number == 5 and index_file.exists():
            index_file.write_bytes(b"broken by somebody")
        (folder / f"new{number}.md").write_text("A walrus that came later.")
        return folder_search("part walrus number", limit=5, ctx=ToolContext())["results"]

    with ThreadPoolExecutor(8) as workers:
        answers = list(workers.map(ask, range(16)))
    assert all(len(one) == 5 for one in answers)  # type: ignore[arg-type]
    assert folder_search("walrus", ctx=ToolContext())["documents"] == 80
