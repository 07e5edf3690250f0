"""`manage.py test_flow` in the simulator: what it prints, and how it exits."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

FLOW: dict[str, Any] = {
    "format": 1,
    "id": "t",
    "nodes": [{"id": "a", "type": "set_variable", "config": {"variable": "x", "value": 1}}],
}
GOOD: dict[str, Any] = {"name": "sets x", "flow": FLOW, "expect": {"state": {"x": 1}}}
BAD: dict[str, Any] = {"name": "sets y", "flow": FLOW, "expect": {"state": {"y": 1}}}


def write(folder: Path, **files: Any) -> Path:
    for name, content in files.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder


def run(*paths: Path, **options: Any) -> tuple[list[str], int]:
    out = io.StringIO()
    code = 0
    try:
        call_command("test_flow", *map(str, paths), stdout=out, no_color=True, **options)
    except SystemExit as end:
        code = int(end.code or 0)
    return out.getvalue().splitlines(), code


def test_one_line_each_and_a_summary_at_the_end(tmp_path: Path) -> None:
    lines, code = run(write(tmp_path, good=GOOD, better=GOOD))
    assert [line.split(": ")[-1] for line in lines] == ["sets x", "sets x", "2 passed, 0 failed"]
    assert code == 0


def test_a_failure_is_explained_and_the_exit_code_is_one(tmp_path: Path) -> None:
    lines, code = run(write(tmp_path, bad=BAD, good=GOOD))
    assert 'state: expected {"y":1}, came {"x":1}' in "\n".join(lines)
    assert (lines[-1], code) == ("1 passed, 1 failed", 1)


def test_a_file_that_is_no_test_fails_with_its_faults(tmp_path: Path) -> None:
    lines, code = run(write(tmp_path, odd={"name": "odd", "flow": FLOW}))
    assert "expect: Field required" in "\n".join(lines)
    assert (lines[-1], code) == ("0 passed, 1 failed", 1)


def test_a_flow_document_beside_its_tests_is_no_test(tmp_path: Path) -> None:
    lines, code = run(write(tmp_path, flow=FLOW, good=GOOD))
    assert (lines[-1], code) == ("1 passed, 0 failed", 0)
    lines, code = run(tmp_path / "flow.json")
    assert "is a flow document" in lines[1]
    assert code == 1


def test_crashes_are_counted(tmp_path: Path) -> None:
    lines, code = run(write(tmp_path, good=GOOD), crash=True)
    assert lines[0].endswith("sets x (killed at 9 boundaries)")
    assert code == 0


def test_random_flows_may_come_along_or_alone() -> None:
    lines, code = run(random=1, seed=7)
    assert (lines, code) == (["ok     seed 7: a random flow", "1 passed, 0 failed"], 0)


def test_what_names_no_test_is_refused(tmp_path: Path) -> None:
    for paths in ([], [tmp_path], [tmp_path / "missing.json"]):
        with pytest.raises(CommandError):
            run(*paths)
    with pytest.raises(CommandError, match="Choose --crash or --real"):
        run(write(tmp_path, good=GOOD), crash=True, real=True)
