"""Makes docs/reference/patterns.md out of tests/conformance/patterns: `python -m tests.support.patterns_page`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests" / "conformance" / "patterns"
PAGE = ROOT / "docs" / "reference" / "patterns.md"

HEAD = """# The workflow control-flow patterns

The 43 control-flow patterns of N. Russell, A. H. M. ter Hofstede, W. M. P. van der Aalst and N. Mulyar (*Workflow
Control-Flow Patterns: A Revised View*, 2006) are the usual yardstick of workflow languages. Each has a flow test here
that shows how a flow says it, in the simulator, killed at every boundary, and by the real runner:

```sh
python3 manage.py test_flow tests/conformance/patterns
python3 manage.py test_flow --crash tests/conformance/patterns
python3 manage.py test_flow --real tests/conformance/patterns
```

This page is made from the tests (`python -m tests.support.patterns_page`).

| | Pattern | How a flow says it | Flow test |
| --- | --- | --- | --- |
"""


def patterns() -> list[tuple[Path, dict[str, Any]]]:
    """The files with what they say of their pattern, by its number."""
    found = [(path, json.loads(path.read_text(encoding="utf-8"))["x-pattern"]) for path in FOLDER.glob("*.json")]
    return sorted(found, key=lambda one: int(one[1]["number"]))


def page() -> str:
    """The text of the page as it has to be now."""
    rows = [
        f"| {about['number']} | {about['name']} | {about['how']} | [{path.stem}](../../{path.relative_to(ROOT)}) |"
        for path, about in patterns()
    ]
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
