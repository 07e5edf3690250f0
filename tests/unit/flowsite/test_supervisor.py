"""The supervisor passes output on, gives up on a hopeless child, and stops what ignores a polite request."""

import os
import sys
import time
from pathlib import Path

import pytest

from flowsite.supervisor import restarts
from flowsite.supervisor.child import ChildPlan
from flowsite.supervisor.console import Console
from flowsite.supervisor.supervisor import GivingUp, Supervisor
from tests.support.site import wait_until


@pytest.fixture
def supervisor(tmp_path: Path) -> Supervisor:
    return Supervisor(Console(), tmp_path)


def plan(tmp_path: Path, name: str, code: str, **options: object) -> ChildPlan:
    return ChildPlan(name, [sys.executable, "-c", code], dict(os.environ), tmp_path, **options)  # type: ignore[arg-type]


def test_each_line_of_a_child_has_its_name_and_none_is_lost(
    supervisor: Supervisor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "for i in range(5000): print('line', i)\nprint('the end', end='')\nraise SystemExit(3)"
    assert supervisor.run_once(plan(tmp_path, "talker", code, runs_once=True)) == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"talker   | line {number}" for number in range(5000)] + ["talker   | the end"]


def test_a_child_that_keeps_dying_is_given_up(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(restarts, "FIRST_DELAY_S", 0.001)
    supervisor.start(plan(tmp_path, "hopeless", "raise SystemExit(4)"))
    with pytest.raises(GivingUp, match=r"hopeless process keeps ending .*exit code 4"):
        supervisor.watch(lambda: False, 30)
    assert capsys.readouterr().out.count("starting it again") == restarts.MOST_QUICK_DEATHS


def test_a_child_that_ignores_sigterm_is_killed_with_its_own_children(supervisor: Supervisor, tmp_path: Path) -> None:
    code = (
        "import os, signal, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "grandchild = os.fork()\n"
        "if grandchild: open('grandchild', 'w').write(str(grandchild))\n"
        "time.sleep(60)\n"
    )
    child = supervisor.start(plan(tmp_path, "stubborn", code, stop_s=0.3))
    supervisor.watch((tmp_path / "grandchild").exists, 10)
    time.sleep(0.1)
    grandchild = int((tmp_path / "grandchild").read_text())
    assert os.path.exists(f"/proc/{grandchild}")
    supervisor.stop_all()
    assert not child.is_alive
    wait_until(lambda: _is_gone(grandchild), 3, "the grandchild has ended")


def test_those_that_others_need_stop_last(supervisor: Supervisor, tmp_path: Path) -> None:
    code = (
        "import signal, sys, time\n"
        "def stop(*_):\n    open('order', 'a').write(sys.argv[1] + ' ')\n    sys.exit()\n"
        "signal.signal(signal.SIGTERM, stop)\n"
        "open(sys.argv[1], 'w')\n"
        "time.sleep(60)\n"
    )
    for name, stops_last in (("server", True), ("client", False)):
        argv = [sys.executable, "-c", code, name]
        supervisor.start(ChildPlan(name, argv, dict(os.environ), tmp_path, stops_last=stops_last))
    supervisor.watch(lambda: (tmp_path / "server").exists() and (tmp_path / "client").exists(), 10)
    supervisor.stop_all()
    assert (tmp_path / "order").read_text() == "client server "


def _is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True
