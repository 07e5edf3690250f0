"""The reference page of all checks, made of the explanations: `python -m editor.language.explanations.page`."""

from __future__ import annotations

import json
import sys

from editor.language.explanations.all import CHAPTERS
from editor.language.explanations.explanation import Explanation, Json, told
from editor.language.problems import CODES

HEAD = """# What the checks say, and why

Errors keep a flow from being published; warnings want a tick. Every example shows just its problem, and the same flow
mended. This page is made of `editor/language/explanations`; the editor shows the same beside each problem.
"""


def reference_page() -> str:
    """Write the page, in Markdown."""
    parts = [HEAD]
    for title, chapter in CHAPTERS:
        parts.append(f"## {title}\n")
        parts.extend(_entry(one) for one in chapter)
    return "\n".join(parts)


def _entry(one: Explanation) -> str:
    return (
        f"### `{one.code}` ({CODES[one.code]})\n\n{one.reason}\n\nWrong:\n\n{_code(one.wrong)}\n\n"
        f"Right:\n\n{_code(one.right)}\n"
    )


def _code(document: Json) -> str:
    """A line for each node and edge; of very many the first few."""
    lines = []
    for key, value in told(document).items():
        if key not in ("nodes", "edges"):
            lines.append(f"{key}: {json.dumps(value)}")
            continue
        shown = [f"  {json.dumps(item)}" for item in value]
        lines += [f"{key}:", *(shown if len(shown) <= 8 else [*shown[:3], f"  … and {len(shown) - 3} more"])]
    return "\n".join(["```text", *lines, "```"])


if __name__ == "__main__":
    sys.stdout.write(reference_page())
