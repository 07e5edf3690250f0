"""The how-to page on the API says what is so: its examples are run in their order against a real site."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.site import ROOT, Site

PAGE = (ROOT / "docs" / "howto" / "api.md").read_text()
EXAMPLES = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
MAKE_TOKENS = """
from django.contrib.auth.models import User
from editor.tokens import make_token
for name, scopes in (("analyst", ("read", "run", "edit")), ("reviewer", ("read", "decide"))):
    print(name, make_token(User.objects.get(username=name), name="the page", scopes=scopes).text)
"""

pytestmark = pytest.mark.processes


@pytest.fixture
def answers(make_site: Callable[..., Site], tmp_path: Path) -> list[str]:
    """What each example prints."""
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed. On Debian: apt-get install curl")
    site = make_site()
    site.start()
    made = site.manage("shell", "-v", "0", "-c", MAKE_TOKENS)
    tokens = dict(re.findall(r"^(analyst|reviewer) (fst_\S+)$", made.stdout, re.MULTILINE))
    assert set(tokens) == {"analyst", "reviewer"}, made.stdout + made.stderr
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "FLOWSITE": site.url,
        "FLOWSITE_TOKEN": tokens["analyst"],
        "REVIEWER_TOKEN": tokens["reviewer"],
    }
    mark = "--- the next example ---"
    script = f"\necho; echo '{mark}'\n".join(EXAMPLES)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stdout + done.stderr + site.output
    return done.stdout.split(mark)


@pytest.mark.slow
def test_the_examples_of_the_page_do_what_it_tells(answers: list[str], tmp_path: Path) -> None:
    flows, _, with_files, events, decided, result, published, refused, listed = answers
    assert "invoice_approval" in {flow["id"] for flow in json.loads(flows)["items"]}
    assert with_files.strip() == "active"
    assert json.loads(events.strip())["items"][0]["type"] == "flow-start"
    assert decided.count('"status":"approved"') == 2
    assert result.strip() and (tmp_path / "report.md").read_text().startswith("#")
    assert published.rstrip().endswith("True\n1\nTrue")
    error = json.loads(refused)
    assert error["code"] == "validation_failed" and "limit" in error["details"]["problems"][0]
    assert listed.strip()


def test_the_page_names_addresses_settings_and_scopes_that_there_are() -> None:
    settings = (ROOT / "flowsite" / "settings.py").read_text()
    for name in re.findall(r"FLOWSITE_RATE_\w+", PAGE):
        assert f'"{name}"' in settings
    assert len(EXAMPLES) == 9
