"""The tool that reads files: only plain files of one folder, whatever name a run gives it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import runner.samples
from runner.engine.errors import RunError
from runner.samples.input_files import MAX_BYTES
from runner.tools import TOOLS, ToolContext
from runner.tools.calling import call_tool

EXAMPLE = Path(runner.samples.__file__).parent / "inputs" / "invoices-example.csv"


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.INPUTS_FOLDER = tmp_path / "inputs"
    settings.INPUTS_FOLDER.mkdir()
    (tmp_path / "secret.csv").write_text("secret")
    return Path(settings.INPUTS_FOLDER)


def read(**arguments: Any) -> Any:
    tool = TOOLS.get("read_invoices_csv")
    assert tool is not None
    return call_tool(tool, arguments, ToolContext())


def refusal(**arguments: Any) -> RunError:
    with pytest.raises(RunError) as caught:
        read(**arguments)
    return caught.value


def test_a_file_is_read_and_named_as_the_source(folder: Path) -> None:
    (folder / "a.csv").write_bytes(EXAMPLE.read_bytes())
    found = read(file="a.csv", text="")
    assert found["source"] == "a.csv" and len(found["invoices"]) == 6


def test_a_given_text_is_read_in_place_of_the_file() -> None:
    found = read(file="nowhere.csv", text=EXAMPLE.read_text())
    assert found["source"] == "the given text" and len(found["invoices"]) == 6


@pytest.mark.parametrize(
    "name",
    ["../secret.csv", "..", ".", "/etc/passwd", "a/../../secret.csv", "..\\secret.csv", "C:secret.csv",
     "a.csv\x00.png", "./a.csv", "inputs/a.csv", "~/a.csv"],
)  # fmt: skip
def test_a_name_that_is_more_than_a_name_is_refused(folder: Path, name: str) -> None:
    (folder / "a.csv").write_text("x")
    error = refusal(file=name)
    assert error.code == "tool_failed" and "bare name" in error.message


def test_a_link_out_of_the_folder_is_refused(folder: Path) -> None:
    (folder / "link.csv").symlink_to(folder.parent / "secret.csv")
    error = refusal(file="link.csv")
    assert "leads out" in error.message and "secret" not in error.message


def test_a_folder_a_pipe_and_a_missing_file_are_no_files(folder: Path) -> None:
    (folder / "folder.csv").mkdir()
    os.mkfifo(folder / "pipe.csv")
    for name in ("folder.csv", "pipe.csv", "missing.csv"):
        assert refusal(file=name).code == "file_not_found"


def test_what_is_too_large_or_no_utf8_is_refused(folder: Path) -> None:
    (folder / "large.csv").write_bytes(b"x" * (MAX_BYTES + 1))
    (folder / "latin.csv").write_bytes("number,vendor\nA-1,Müller\n".encode("latin-1"))
    assert "larger than" in refusal(file="large.csv").message
    assert "not UTF-8 at byte 19" in refusal(file="latin.csv").message


def test_a_text_that_is_no_invoice_file_says_what_to_do(folder: Path) -> None:
    (folder / "empty.csv").write_text("")
    assert "The file is empty" in refusal(file="empty.csv").message
    assert "lacks the columns" in refusal(text="a,b\n1,2\n").message
    assert "nothing to read" in refusal().message
