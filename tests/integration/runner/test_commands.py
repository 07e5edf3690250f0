"""The commands around runs: what they print, and how they exit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from runner.models import Run
from runner.services import following
from runner.services.runs import pause_run
from tests.support.runs import PROGRAM, call, chain, document, finish, offer_tool, start, step, transform

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def flow_file(tmp_path: Path) -> Path:
    path = tmp_path / "flow.json"
    nodes = [
        transform("a"),
        {"id": "b", "type": "return", "config": {"value": {"number": "$n", "text": "$t"}}},
    ]
    inputs = [{"name": "n", "type": "integer", "required": True}, {"name": "t", "type": "short_text", "default": "-"}]
    path.write_text(json.dumps(document(nodes, ["a>b"], inputs=inputs, presets=[{"id": "quick", "policy": {}}])))
    return path


@pytest.mark.parametrize(
    "arguments",
    [["no\udcff"], ["flow", "--input", "n=\udcc3"], ["flow", "--preset", "\udce9"], ["flow", "--key", "k\udcff"]],
    ids=["flow", "input", "preset", "key"],
)
def test_an_argument_that_is_no_utf_8_is_refused_and_shown(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        call_command("run_flow", *arguments)
    told = capsys.readouterr().err
    assert ended.value.code == 2 and "is no UTF-8 text: look at character" in told and "\\udc" in told


def test_run_flow_follows_a_file_to_its_result(flow_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("run_flow", str(flow_file), "--input", "n=7", "--input", "t=12", "--preset", "quick", "--work")
    printed = capsys.readouterr().out
    run = Run.objects.get()
    lines = printed.splitlines()
    assert lines[0] == f"Run {run.id} started." and f"Run {run.id} succeeded." in lines
    shown = [line.split()[2] for line in lines[1:] if line[:5].strip().isdigit()]
    assert shown == [row.type for row in run.events.filter(level="public").order_by("seq")]
    assert json.loads(printed[printed.index("{\n") :]) == {"number": 7, "text": "12"}
    assert (run.preset, run.version.number) == ("quick", None)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "'n' is missing"),
        (["--input", "n=x"], "validation_failed"),
        (["--input", "n"], "NAME=VALUE"),
        (["--input", "n=1", "--preset", "none"], "no preset"),
    ],
)
def test_run_flow_says_why_a_run_cannot_start_and_exits_with_2(
    flow_file: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        call_command("run_flow", str(flow_file), *arguments)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
    assert not Run.objects.exists()


def test_run_flow_refuses_a_broken_document_and_an_unknown_flow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"format": 1, "id": "x", "nodes": [{"id": "a", "type": "none"}]}')
    for name, said in ((str(broken), "flow_invalid"), ("no_such_flow", "not_found"), ("gone.json", "not_found")):
        with pytest.raises(SystemExit) as ended:
            call_command("run_flow", name)
        assert ended.value.code == 2
        assert said in capsys.readouterr().err


def test_run_flow_of_a_flow_that_fails_exits_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "flow.json"
    path.write_text(json.dumps(document([{"id": "a", "type": "throw", "config": {"message": "no good"}}])))
    with pytest.raises(SystemExit) as ended:
        call_command("run_flow", str(path), "--work")
    assert ended.value.code == 1
    assert "flow_error: no good" in capsys.readouterr().out


def test_run_flow_says_so_when_no_worker_answers(
    flow_file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "SILENCE_S", 0.3)
    monkeypatch.setattr("runner.management.printing.tell_no_worker", _stop)
    with pytest.raises(_NoWorker):
        call_command("run_flow", str(flow_file), "--input", "n=7")
    assert Run.objects.get().status == "active"


class _NoWorker(Exception):
    pass


def _stop(*_: Any) -> None:
    raise _NoWorker


def test_run_status_shows_what_lives_and_what_failed(capsys: pytest.CaptureFixture[str]) -> None:
    offer_tool("test_gate", lambda: 1, needs_approval=True)
    run = finish(document([call("a", "test_gate")]))
    call_command("run_status", run.pk, "--json")
    told = json.loads(capsys.readouterr().out)
    assert (told["status"], told["steps"][0]["path"], len(told["approvals"])) == ("awaiting_approval", "a", 1)
    call_command("run_status", run.pk)
    assert "waits for a decision" in capsys.readouterr().out


def test_resume_run_resumes_what_is_paused_and_tries_what_failed_again(
    capsys: pytest.CaptureFixture[str], settings: Any
) -> None:
    run_id = start(chain(2))
    pause_run(run_id, actor=PROGRAM)
    call_command("resume_run", run_id, "--work")
    assert f"Run {run_id} succeeded." in capsys.readouterr().out
    with pytest.raises(SystemExit) as ended:
        call_command("resume_run", run_id)
    assert ended.value.code == 2 and "run_finished" in capsys.readouterr().err

    broken = [True]

    def mended() -> str:
        """Works once it is mended."""
        if broken:
            raise RuntimeError("broken")
        return "mended"

    offer_tool("test_mended", mended)
    failed = finish(document([call("a", "test_mended")]))
    broken.clear()
    call_command("resume_run", failed.pk, "--work")
    assert Run.objects.get(pk=failed.pk).value_of("result") == "mended"
    assert step(failed.pk, "a", attempt=2).status == "succeeded"


def test_work_in_this_process_waits_for_timers_too(tmp_path: Path, settings: Any) -> None:
    settings.FLOWSITE = settings.FLOWSITE | {"SWEEP_MS": 50}
    path = tmp_path / "flow.json"
    path.write_text(json.dumps(document([{"id": "w", "type": "wait", "config": {"duration_ms": 300}}])))
    call_command("run_flow", str(path), "--work")
    assert Run.objects.get().status == "succeeded"
