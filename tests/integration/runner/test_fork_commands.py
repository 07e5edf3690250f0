"""The commands that fork and move runs, called as an operator calls them."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command

from editor.models import FlowVersion
from editor.services import create_flow, publish_version, save_draft
from runner.catalog import CATALOG
from runner.models import Run
from runner.services.runs import pause_run, start_run
from tests.support.runs import PROGRAM, document, transform, work

pytestmark = pytest.mark.django_db(transaction=True)

WAITS = document([transform("a"), {"id": "w", "type": "wait", "config": {"signal": "go"}}], ["a>w"])


@pytest.fixture
def versions() -> list[FlowVersion]:
    flow = create_flow("waits", by=None, document=WAITS | {"id": "waits"})
    other = document([transform("a"), transform("w")], ["a>w"])
    found = [publish_version(flow, by=None, catalog=CATALOG)]
    for place, written in enumerate((WAITS | {"description": "mended"}, other), start=1):
        save_draft(flow, written | {"id": "waits"}, revision=place, by=None)
        found.append(publish_version(flow, by=None, catalog=CATALOG))
    return found


@pytest.fixture
def run(versions: list[FlowVersion]) -> Run:
    return work(start_run(versions[0], inputs={}, actor=PROGRAM).run_id)


def test_a_fork_from_the_command_line(run: Run, capsys: Any) -> None:
    call_command("fork_run", run.pk, at=2, plan=True)
    call_command("fork_run", run.pk, "--at", "2", "--set", 'note={"n": 1}', "--detach")
    said = capsys.readouterr().out
    fork = Run.objects.get(forked_from=run.pk)
    assert "these steps would start: a." in said and f"Run {fork.pk} started." in said
    assert work(fork.pk).state_values.get(scope=1, kind="v", key="note").value_of("value") == {"n": 1}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"at": 99}, "not_found"),
        ({"at": 2, "set": ["note"]}, "validation_failed"),
        ({"at": 2, "number": 3}, "flow_changed"),
        ({"at": 2, "number": 8}, "not_found"),
    ],
)
def test_what_the_command_refuses(options: dict[str, Any], said: str, run: Run, capsys: Any) -> None:
    with pytest.raises(SystemExit) as left:
        call_command("fork_run", run.pk, **options)
    assert (left.value.code, Run.objects.count()) == (2, 1)
    assert capsys.readouterr().err.startswith(said)


def test_a_move_from_the_command_line(run: Run, versions: list[FlowVersion], capsys: Any) -> None:
    pause_run(run.pk, actor=PROGRAM)
    call_command("move_run", run.pk, number=2)
    run.refresh_from_db()
    assert run.version_id == versions[1].pk
    with pytest.raises(SystemExit):
        call_command("move_run", run.pk, number=3)
    assert "node 'w' changed at /type" in capsys.readouterr().err
