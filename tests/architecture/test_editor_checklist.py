"""The table of what the editor holds names tests that exist, and leaves no point out."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/reference/editor-checklist.md"


def test_every_point_is_there_and_every_test_it_names_exists():
    rows = re.findall(r"^\| (E\d+) \| (.+?) \| (.+) \|$", PAGE.read_text(), re.M)
    assert [point for point, _, _ in rows] == [f"E{number}" for number in range(1, 31)]
    for point, _, shown in rows:
        python = re.findall(r"`(tests/[^`:]+\.py)::(\w+)`", shown)
        script = re.findall(r"`(frontend/[^`]+)`: \"([^\"]+)\"", shown)
        assert python or script or "not there yet" in shown or "measured by hand" in shown, point
        for path, name in python:
            assert re.search(rf"^(async )?def {name}\(", (ROOT / path).read_text(), re.M), (point, path, name)
        for path, name in script:
            assert f'it("{name}"' in (ROOT / path).read_text(), (point, path, name)
