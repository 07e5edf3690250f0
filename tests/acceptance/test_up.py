"""`manage.py up` keeps its promises: it serves, heals, and leaves nothing behind. With real processes."""

import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.site import ROOT, Site, wait_until

pytestmark = pytest.mark.processes
MakeSite = Callable[..., Site]


def assert_nothing_lives(site: Site, within_s: float) -> None:
    wait_until(lambda: not site.living_processes(), within_s, f"no process left of {site.living_processes()}")


def test_a_new_site_serves_pages_and_static_files_and_stops_on_sigterm(database_url: str, make_site: MakeSite) -> None:
    site = make_site(None if database_url.startswith("sqlite") else database_url, is_new=True)
    site.start()
    assert site.get("/healthz") == 200
    assert site.get("/static/admin/css/base.css") == 200
    assert set(site.passwords) == {"analyst", "reviewer", "admin"}
    assert {path: mode for path, mode in _modes(site.var).items() if mode & 0o077} == {}
    assert len(site.living_processes()) >= 7  # supervisor, Valkey, web, worker and its pool of two, sweeper
    assert site.stop(signal.SIGTERM) == 0
    assert_nothing_lives(site, 1)
    assert "Flowsite has stopped." in site.output


def test_ctrl_c_stops_everything(make_site: MakeSite) -> None:
    site = make_site()
    site.start()
    assert site.stop(signal.SIGINT) == 0
    assert_nothing_lives(site, 1)
    last_words = site.output.partition("Stopping ...")[2].strip()
    assert last_words == "Flowsite has stopped."  # an ordinary stop looks like one


def test_a_killed_supervisor_leaves_no_orphan(make_site: MakeSite) -> None:
    site = make_site()
    site.start()
    assert site.stop(signal.SIGKILL) == -signal.SIGKILL
    assert_nothing_lives(site, 3)


def test_a_stop_during_the_start_leaves_nothing(make_site: MakeSite) -> None:
    site = make_site(is_new=True)
    site.launch()
    wait_until(lambda: site.pid("prepare") is not None, 10, "the preparation started")
    assert site.stop(signal.SIGTERM) == 0
    assert_nothing_lives(site, 1)
    assert "Flowsite is ready" not in site.output


@pytest.fixture(scope="module")
def shared_site(tmp_path_factory: pytest.TempPathFactory, prepared_var: Path) -> Iterator[Site]:
    """One running site for all tests after which it is as whole as before."""
    site = Site(tmp_path_factory.mktemp("shared") / "var")
    shutil.copytree(prepared_var, site.var)
    site.start()
    yield site
    site.kill_everything()


@pytest.mark.parametrize("name", ["worker", "web", "valkey", "sweeper"])
def test_a_killed_child_is_started_again(shared_site: Site, name: str) -> None:
    site, old = shared_site, shared_site.kill(name)
    site.wait_for_restart(name, old)
    wait_until(lambda: site.get("/healthz") == 200, 20, "the site serves again")
    wait_until(site.worker_is_ready, 20, "the worker takes messages")
    assert site.process is not None
    assert site.process.poll() is None


def test_a_killed_worker_takes_its_pool_processes_with_it(shared_site: Site) -> None:
    site = shared_site
    wait_until(site.worker_is_ready, 20, "the worker takes messages")
    pool = _pool_of(site)
    old = site.kill("worker")
    wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pool), 3, "the pool has ended")
    site.wait_for_restart("worker", old)


def test_a_killed_pool_process_is_replaced(shared_site: Site) -> None:
    site = shared_site
    wait_until(site.worker_is_ready, 20, "the worker takes messages")
    victim = min(_pool_of(site))
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: len(_pool_of(site) - {victim}) == 2, 20, "two pool processes again")


def test_a_second_site_on_the_same_data_is_refused(shared_site: Site, make_site: MakeSite) -> None:
    second = make_site(FLOWSITE_VAR=str(shared_site.var))
    second.launch()
    assert second.process is not None
    assert second.process.wait(60) == 1
    assert "already runs" in second.output
    assert shared_site.get("/healthz") == 200


def test_a_later_start_prints_no_passwords_and_keeps_keys(make_site: MakeSite) -> None:
    site = make_site()
    key = (site.var / "keys" / "secret_key").read_text()
    site.start()
    assert "prepare" not in site.output
    assert (site.var / "keys" / "secret_key").read_text() == key
    assert site.get("/healthz") == 200


def test_a_taken_port_is_said_clearly(make_site: MakeSite) -> None:
    site = make_site()
    with socket.socket() as other:
        other.bind(("127.0.0.1", site.port))
        other.listen()
        site.launch()
        assert site.process is not None
        assert site.process.wait(60) == 1
    assert f"Port {site.port} cannot be used" in site.output
    assert "--port" in site.output


def test_a_data_folder_that_cannot_be_written_is_said_clearly(make_site: MakeSite, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    site = make_site(FLOWSITE_VAR=str(tmp_path / "file"))
    site.launch()
    assert site.process is not None
    assert site.process.wait(60) == 1
    assert f"The data folder {tmp_path / 'file'} cannot be written to" in site.output
    assert "Traceback" not in site.output


@pytest.mark.parametrize("port", ["0", "65536", "-1", "web", ""])
def test_what_is_no_port_is_said_clearly(port: str) -> None:
    environment = {**os.environ, "FLOWSITE_NO_BOOTSTRAP": "1", "FLOWSITE_PORT": port}
    refused = subprocess.run(
        [sys.executable, "manage.py", "up"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )
    assert refused.returncode == 2
    assert f"{port!r} is no port" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_any_name_of_the_data_folder_will_do(make_site: MakeSite, tmp_path: Path) -> None:
    var = tmp_path / 'C# 50%25 [what]? "so" it\\is' / "var"
    var.parent.mkdir()
    site = make_site(is_new=True, FLOWSITE_VAR=str(var))
    site.start()
    assert site.get("/healthz") == 200
    assert (var / "flowsite.sqlite3").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("C")] == [var.parent.name]


def test_a_database_that_does_not_answer_is_said_clearly(make_site: MakeSite) -> None:
    site = make_site("postgres://nobody@127.0.0.1:1/nothing")
    site.launch()
    assert site.process is not None
    assert site.process.wait(60) == 1
    assert "Check DATABASE_URL" in site.output
    assert "Traceback" not in site.output
    assert_nothing_lives(site, 1)


def test_a_redis_of_its_own_choice_is_used(make_site: MakeSite) -> None:
    site = make_site(REDIS_URL=os.environ["REDIS_URL"])
    site.start()
    assert site.pid("valkey") is None
    assert not (site.var / "run" / "redis_url").exists()


def test_a_worker_can_be_started_by_itself(make_site: MakeSite) -> None:
    site = make_site(REDIS_URL=os.environ["REDIS_URL"], FLOWSITE_WORKER_SOFT_SHUTDOWN_S="1")
    ready = site.var / "ready"
    site.environment["FLOWSITE_READY_FILE"] = str(ready)
    command = [sys.executable, "manage.py", "worker", "--concurrency", "1"]
    with subprocess.Popen(command, cwd=ROOT, env=site.environment) as worker:
        wait_until(ready.exists, 30, "the worker takes messages")
        assert ready.read_text() == str(worker.pid)
        worker.terminate()
        worker.wait(30)
    assert worker.returncode == 0


def _pool_of(site: Site) -> set[int]:
    """The process ids of the pool of the worker that runs now."""
    worker = site.pid("worker")
    try:
        return {int(pid) for pid in Path(f"/proc/{worker}/task/{worker}/children").read_text().split()}
    except OSError:
        return set()


def _modes(var: Path) -> dict[str, int]:
    """The access rights of the data folder and everything in it."""
    return {str(path): stat.S_IMODE(path.lstat().st_mode) for path in (var, *var.rglob("*")) if not path.is_symlink()}
