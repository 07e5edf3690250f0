"""The how-to pages on tools and models say what is so: their example is written out, run and tested as they tell."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from editor.language.expressions import compile_expression
from editor.language.policy import Rule
from runner.tools.folder.places import read_places
from runner.tools.llm.endpoint import read_endpoint

ROOT = Path(__file__).resolve().parents[2]
TOOLS = (ROOT / "docs" / "howto" / "tools.md").read_text()
MODELS = (ROOT / "docs" / "howto" / "models.md").read_text()
FOLDERS = (ROOT / "docs" / "howto" / "folders.md").read_text()
FILE = re.compile(r"^`(rooms/[\w./]+)`[^\n]*\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
VARIABLE = re.compile(r"^    (FLOWSITE_\w+)=(.*)$", re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder in which a reader of the page on tools has written its files."""
    for name, text in FILE.findall(TOOLS):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def told_commands() -> list[list[str]]:
    """The commands of the page, each as a list of words, after the variable that it says to export."""
    block = TOOLS[TOOLS.index("    export FLOWSITE_APPS=rooms") :].split("\n\n")[0]
    first, *rest = (line.strip() for line in block.splitlines())
    assert first == "export FLOWSITE_APPS=rooms"
    return [shlex.split(line) for line in rest]


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    environment |= {"FLOWSITE_APPS": "rooms", "FLOWSITE_VAR": str(folder / "var"), "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.slow
def test_the_example_of_a_tool_works_as_the_page_tells(folder: Path) -> None:
    *before, run_flow = told_commands()
    assert [command[2] for command in before] == ["makemigrations", "migrate"]
    for command in before:
        done = run(folder, str(ROOT / "manage.py"), *command[2:])
        assert done.returncode == 0, done.stderr
    assert (folder / "rooms" / "migrations" / "0001_initial.py").is_file()
    first = run(folder, str(ROOT / "manage.py"), *run_flow[2:])
    assert first.returncode == 0, first.stdout + first.stderr
    assert '"room": "garden"' in first.stdout
    second = run(folder, str(ROOT / "manage.py"), *run_flow[2:])
    assert second.returncode == 0, second.stdout + second.stderr
    assert "The room garden is taken on 2026-12-24. Choose another." in second.stdout
    assert '"library",\n' in second.stdout and '"tower"\n' in second.stdout


@pytest.mark.slow
def test_the_test_of_the_example_passes(folder: Path) -> None:
    (folder / "rooms" / "migrations").mkdir()
    (folder / "rooms" / "migrations" / "__init__.py").touch()
    made = run(folder, str(ROOT / "manage.py"), "makemigrations", "rooms")
    assert made.returncode == 0, made.stderr
    options = ["-c", str(ROOT / "pyproject.toml"), "--rootdir", str(ROOT), "-p", "no:cacheprovider"]
    done = run(folder, "-m", "pytest", *options, "rooms/test_rooms.py")
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr


def test_the_settings_that_the_pages_name_are_the_settings_that_there_are() -> None:
    known = (ROOT / "flowsite" / "settings.py").read_text()
    named = set(re.findall(r"FLOWSITE_[A-Z_]+", TOOLS + MODELS + FOLDERS))
    assert len(named) >= 6
    assert [name for name in sorted(named) if f'"{name}"' not in known] == []


def test_the_settings_of_the_page_on_models_can_be_used() -> None:
    blocks = MODELS.split("A model on the same machine")
    for block, models in zip(blocks, (("gpt-4o-mini", "gpt-4o"), ("llama3.2",)), strict=True):
        given = dict(VARIABLE.findall(block))
        prices = json.loads(given.get("FLOWSITE_OPENAI_PRICES", "{}"))
        endpoint = read_endpoint(
            given["FLOWSITE_OPENAI_URL"],
            given.get("FLOWSITE_OPENAI_KEY", ""),
            given["FLOWSITE_OPENAI_MODELS"].split(","),
            prices,
        )
        assert endpoint.models == models
        assert not set(prices) - set(models)


def test_the_settings_of_the_page_on_folders_can_be_used(tmp_path: Path) -> None:
    given = dict(VARIABLE.findall(FOLDERS))
    places = read_places(json.loads(given["FLOWSITE_FOLDERS"]), given["FLOWSITE_DEFAULT_FOLDER"], tmp_path)
    assert sorted(places.folders) == ["contracts", "handbook"]
    assert places.folders["contracts"].holds("signed/a.md") and not places.folders["contracts"].holds("draft.md")
    rules = re.search(r"^    (\[\{.*\}\])$", FOLDERS, re.MULTILINE)
    assert rules is not None
    rule = Rule.model_validate(json.loads(rules[1])[0])
    when = compile_expression(rule.when or "")
    asked = ({"folder": "contracts/signed"}, {"folder": "handbook"}, {"folder": None}, {})
    assert [when.evaluate_condition({"args": one}) for one in asked] == [
        (True, None),
        (False, None),
        (False, None),
        (False, None),
    ]
