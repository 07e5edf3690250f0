"""The virtual environment is made once, made again when half-made, and brought up to date. With real pip."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from flowsite.supervisor.bootstrap import NEW, BootstrapError, Environment
from tests.support.site import wait_until

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose requirements pip can meet without a network, with its environment made once."""
    folder = tmp_path_factory.mktemp("template")
    for name in ("first", "second"):
        package = folder / name
        package.mkdir()
        (package / "pyproject.toml").write_text(
            '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        )
        (package / "backend.py").write_text(BACKEND.replace("NAME", name))
    (folder / "requirements.txt").write_text("./first\n")
    (folder / "requirements-dev.txt").write_text("-r requirements.txt\n./second\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)  # pip takes the ./ in requirements from here
        Environment(folder).make("run")
    return folder


@pytest.fixture
def project(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that project, the environment included."""
    folder = tmp_path / "project"
    shutil.copytree(template, folder, symlinks=True)
    monkeypatch.chdir(folder)
    return folder


BACKEND = """
import zipfile

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    info, name = "NAME-1.0.dist-info", "NAME-1.0-py3-none-any.whl"
    with zipfile.ZipFile(f"{wheel_directory}/{name}", "w") as wheel:
        wheel.writestr("NAME_module.py", "")
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\\nName: NAME\\nVersion: 1.0\\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{info}/RECORD", "")
    return name
"""


def can_import(environment: Environment, module: str) -> bool:
    return subprocess.run([environment.python, "-c", f"import {module}"], check=False).returncode == 0


def test_a_made_environment_is_left_alone(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    environment = Environment(project)
    assert environment.is_ready("run")
    assert can_import(environment, "first_module")
    environment.make("run")
    assert capfd.readouterr().out == ""


def test_the_packages_of_the_tests_come_on_top_of_it(project: Path) -> None:
    environment = Environment(project)
    assert not environment.is_ready("test")
    made = environment.python.lstat().st_ctime_ns
    environment.make("test")
    assert environment.is_ready("test")
    assert can_import(environment, "second_module")
    assert environment.python.lstat().st_ctime_ns == made


def test_changed_requirements_are_noticed(project: Path) -> None:
    (project / "requirements.txt").write_text("./first\n# another line\n")
    assert not Environment(project).is_ready("run")


def test_a_half_made_environment_is_made_again(project: Path) -> None:
    environment = Environment(project)
    environment.marker.write_text(NEW)
    (environment.folder / "left-over").touch()
    environment.make("run")
    assert environment.is_ready("run")
    assert not (environment.folder / "left-over").exists()


def test_packages_lost_while_an_update_was_interrupted_come_back(project: Path) -> None:
    environment = Environment(project)
    module = next(environment.folder.glob("lib/*/site-packages/first_module.py"))
    module.unlink()
    environment.marker.write_text("update")
    assert not environment.is_ready("run")
    environment.make("run")
    assert environment.is_ready("run")
    assert module.exists()


def test_a_failed_installation_keeps_the_old_environment_and_says_what_to_do(project: Path) -> None:
    environment = Environment(project)
    (project / "requirements.txt").write_text("./first\n./no-such-package\n")
    with pytest.raises(BootstrapError, match="run this command again"):
        environment.make("run")
    assert not environment.is_ready("run")
    assert can_import(environment, "first_module")


def test_manage_py_goes_on_inside_the_environment(project: Path) -> None:
    shutil.copytree(ROOT / "flowsite" / "supervisor", project / "flowsite" / "supervisor")
    shutil.copy(ROOT / "manage.py", project)
    (project / "flowsite" / "__init__.py").touch()
    (project / "flowsite" / "supervisor" / "up.py").write_text(
        "import sys, first_module\ndef main(root, arguments):\n    print(sys.prefix, arguments)\n    return 7\n"
    )
    environment = {name: value for name, value in os.environ.items() if name != "FLOWSITE_NO_BOOTSTRAP"}
    command = [getattr(sys, "_base_executable", sys.executable), "manage.py", "up", "--port", "9"]
    for _ in range(2):
        result = subprocess.run(command, cwd=project, env=environment, check=False, capture_output=True, text=True)
        assert result.returncode == 7, result.stderr
        assert result.stdout.splitlines()[-1] == f"{project / '.venv'} ['--port', '9']"
    assert "Making" not in result.stdout


def test_a_killed_start_leaves_no_pip_behind(tmp_path: Path) -> None:
    environment = Environment(tmp_path)
    (tmp_path / "requirements.txt").write_text("")
    environment.python.parent.mkdir(parents=True)
    environment.python.write_text(
        '#!/bin/sh\n[ "$1" = -c ] && exit 0\necho $$ > pid.new && mv pid.new pid\nexec sleep 60\n'
    )
    environment.python.chmod(0o755)
    code = "import sys; from pathlib import Path; from flowsite.supervisor.bootstrap import Environment; "
    code += "Environment(Path(sys.argv[1])).make('run')"
    path = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], cwd=tmp_path, env=path) as start:
        wait_until((tmp_path / "pid").exists, 20, "pip was started")
        start.kill()
    pip = Path("/proc") / (tmp_path / "pid").read_text().strip()
    wait_until(lambda: not pip.exists() or ") Z " in (pip / "stat").read_text(), 5, "pip has ended")
