"""`check --deploy`: silent with the settings of docs/howto/production.md, and not with those of one machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.site import ROOT

pytestmark = pytest.mark.processes


def documented() -> dict[str, str]:
    """The settings of the documentation, with keys in place of the dots."""
    page = (ROOT / "docs" / "howto" / "production.md").read_text()
    block = page.partition("/etc/flowsite.env`.")[2].partition("\n- ")[0]
    found = dict(re.findall(r"^    ([A-Z_]+)=(.*)$", block, re.M))
    assert len(found) > 8
    secret = {"FLOWSITE_DOSSIER_KEY": "0123456789abcdef" * 4}
    return {
        name: value.replace("...", secret.get(name, "not-so-secret-but-long-enough-for-a-test-1234567890abcdef"))
        for name, value in found.items()
    }


def check(var: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    known = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env={**known, "FLOWSITE_NO_BOOTSTRAP": "1", **environment, "FLOWSITE_VAR": str(var)},
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_the_documented_settings_leave_nothing_to_say(tmp_path: Path) -> None:
    done = check(tmp_path, **documented())
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "keys").exists()  # all keys came from outside


@pytest.mark.parametrize(
    ("left_out", "told"),
    [
        ("FLOWSITE_ORIGINS", "flowsite.W001"),
        ("FLOWSITE_EVENT_SIGNING_KEY", "flowsite.W002"),
        ("DATABASE_URL", "flowsite.W003"),
        ("FLOWSITE_HTTPS", "security.W008"),
    ],
)
def test_what_is_left_out_is_found(tmp_path: Path, left_out: str, told: str) -> None:
    settings = {name: value for name, value in documented().items() if name != left_out}
    done = check(tmp_path, **settings)
    assert done.returncode == 1 and told in done.stderr, done.stderr
