"""The editor's scripts: style, types and unit tests pass, and what is committed as built is what their source gives."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.support import node

BUILT = node.FRONTEND.parent / "static" / "editor"
FIRST_LOAD_BYTES = 250 * 1024
"""What the first picture of the editor may load as scripts, compressed."""


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    node.install()


def passes(*arguments: str) -> None:
    result = node.run_npm(*arguments)
    assert result.returncode == 0, result.stdout[-8_000:]


def test_style_and_types_are_as_agreed():
    passes("run", "check")


def test_the_unit_tests_pass():
    passes("test")


def test_what_is_committed_as_built_is_what_the_source_gives(tmp_path: Path):
    passes("exec", "--", "vite", "build", "--outDir", str(tmp_path / "built"), "--logLevel", "error")
    fresh = {path.relative_to(tmp_path / "built"): path.read_bytes() for path in files_of(tmp_path / "built")}
    kept = {path.relative_to(BUILT): path.read_bytes() for path in files_of(BUILT)}
    assert sorted(fresh) == sorted(kept), "Run `npm run build` in frontend/ and commit static/editor."
    stale = [str(path) for path, content in fresh.items() if kept[path] != content]
    assert not stale, f"Run `npm run build` in frontend/ and commit static/editor: {stale} differ."


def test_the_first_load_of_the_editor_is_small():
    files = loaded_with(BUILT / "editor.js", *BUILT.glob("chunks/EditorPage.js"))
    total = sum(len(gzip.compress(path.read_bytes(), 9)) for path in files)
    assert total <= FIRST_LOAD_BYTES, f"{[path.name for path in files]} have {total} bytes compressed: load more later."


def loaded_with(*entries: Path) -> list[Path]:
    """These scripts and all that they import at once, not only when it is needed."""
    found, new = set[Path](), set(entries)
    while new:
        path = new.pop()
        found.add(path)
        imports = re.findall(r"""(?:from|import)\s*["'](\.[^"']+\.js)["']""", path.read_text(encoding="utf-8"))
        new |= {(path.parent / one).resolve() for one in imports} - found
    return sorted(found)


def test_the_schema_of_documents_and_the_types_made_of_it_are_current(tmp_path: Path):
    call_command("frontend_schemas", "--check")
    types = node.FRONTEND / "src" / "graph" / "document.gen.ts"
    before = types.read_bytes()
    try:
        passes("run", "types")
        assert types.read_bytes() == before, "Run `npm run types` in frontend/ and commit document.gen.ts."
    finally:
        types.write_bytes(before)


def files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]
