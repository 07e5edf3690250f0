"""What pages show of artifacts and values: the right way for each, within bounds, and nothing that could act."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from runner.serializers.json_tree import MOST_CHILDREN
from runner.serializers.previews import CSV_COLUMNS, CSV_ROWS, kind_of, preview_of

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<style>body{display:none}</style>",
    "<a href='javascript:alert(1)'>x</a>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java&#115;cript:alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:msgbox)",
    "<javascript:alert(1)>",
    "![x](https://tracker.example/pixel.gif)",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    "[x]: javascript:alert(1)\n\n[x]",
    "<iframe src=https://evil.example></iframe>",
    '<form action=/sign-out/ method=post><button style="position:fixed">x</button></form>',
    "`</code><script>alert(1)</script>`",
    "```html\n</pre><script>alert(1)</script>\n```",
    "| a |\n| - |\n| <script>alert(1)</script> |",
    '"><script>alert(1)</script>',
    "<!-- --><script>alert(1)</script>",
    '[a](<https://e.example/" onmouseover="alert(1)>)',
]
TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "h6", "hr", "li",
    "ol", "p", "pre", "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {"href", "title", "rel", "start"}


class Acting(HTMLParser):
    """Collects what a browser would make of HTML beyond harmless text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.found.append(tag)
        for name, value in attrs:
            if name not in ATTRIBUTES:
                self.found.append(f"{tag} {name}")
            elif name == "href" and not re.match(r"(https?:|mailto:)", value or ""):
                self.found.append(f"{tag} {name}={value}")

    def handle_comment(self, data: str) -> None:
        self.found.append("a comment")


def drawn(content: Any, declared: str) -> str:
    """The HTML of a preview that is put into a page as it is; what else a preview holds is escaped by templates."""
    shown = preview_of(content, declared)
    return str(shown.html) + (str(shown.tree.html) if shown.tree else "")


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_markdown_can_act(text: str) -> None:
    html = drawn(text, "markdown")
    assert not Acting(html).found, html


def test_this_would_notice_what_acts() -> None:
    for html in ("<script>", '<a href="javascript:x">', "<p onclick=x>", "<img>", "<a href=x>", "<!-- x -->"):
        assert Acting(html).found, html
    assert not Acting('<a href="https://e.example/" rel="noopener">&lt;script&gt;</a>').found


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_json_can_act(text: str) -> None:
    html = drawn({text: [text, {"deep": text}]}, "")
    assert "<script" not in html and "<img" not in html and "<svg" not in html
    assert set(re.findall(r"<([a-z]+)", html)) <= {"details", "summary", "span", "div"}
    assert not re.findall(r"<[a-z][^>]*\s(?!class=|title=|open)[a-z]+=", html)


def test_markdown_is_drawn_with_headings_below_those_of_the_page() -> None:
    html = drawn("# Report\n\n## Paid\n\n| a | b |\n|---|---|\n| 1 | *2* |\n\n[more](https://e.example/x)", "markdown")
    assert "<h3>Report</h3>" in html and "<h4>Paid</h4>" in html
    assert "<td><em>2</em></td>" in html
    assert '<a href="https://e.example/x" rel="noopener noreferrer nofollow">more</a>' in html
    assert "[picture: a cat]" in drawn("![a cat](https://e.example/cat.png)", "markdown")


def test_characters_that_deceive_are_named() -> None:
    assert "U+202E" in drawn("pay \u202eevil", "markdown")
    assert "U+200B" in drawn({"a\u200bb": "x"}, "")
    assert any(piece.hidden for piece in preview_of("a\u202eb", "text").pieces)
    assert "U+202E" in preview_of("a,b\n1,\u202e2", "csv").rows[0][1]


@pytest.mark.parametrize("text", ["> " * 5_000 + "x", "[" * 20_000, "*a " * 20_000, "- " * 3_000 + "x", "`" * 30_001])
def test_markdown_made_to_be_slow_or_deep_is_shown_all_the_same(text: str) -> None:
    assert preview_of(text, "markdown").kind in ("markdown", "text")


def test_a_table_is_shown_within_bounds() -> None:
    wide = ",".join(f"c{place}" for place in range(CSV_COLUMNS * 3))
    text = "\n".join([wide, *(wide for _ in range(CSV_ROWS * 5))])
    shown = preview_of(text, "csv")
    assert (len(shown.header), len(shown.rows), len(shown.rows[0])) == (CSV_COLUMNS, CSV_ROWS, CSV_COLUMNS)
    assert f"the first {CSV_ROWS} of 1,000 rows" in shown.note and "columns" in shown.note


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_is_read_with_its_delimiter(delimiter: str) -> None:
    shown = preview_of("\ufeff" + "\n".join(delimiter.join(row) for row in (["a", "b"], ["1"], ["3", "4"])), "csv")
    assert (shown.header, shown.rows) == (["a", "b"], [["1", ""], ["3", "4"]])


def test_what_is_no_table_is_shown_as_text_with_the_reason() -> None:
    shown = preview_of('a,b\n"' + "x" * 150_000, "csv")
    assert shown.kind == "text" and "cannot be read" in shown.note
    assert preview_of("", "csv").kind == "text"


def test_what_is_no_json_is_shown_as_text_with_the_reason() -> None:
    shown = preview_of('{"a": ', "json")
    assert shown.kind == "text" and "cannot be read" in shown.note
    assert preview_of("[" * 100_000, "json").kind == "text"


def test_a_tree_is_shown_within_bounds() -> None:
    wide = preview_of(list(range(MOST_CHILDREN * 2)))
    assert wide.note and wide.tree is not None and f"… and {MOST_CHILDREN} more" in wide.tree.html
    deep: Any = "end"
    for _ in range(60):
        deep = [deep]
    shown = preview_of(deep)
    assert shown.note and shown.tree is not None and "too deep" in shown.tree.html
    many = preview_of([[[place] * 50] * 50 for place in range(100)])
    assert many.tree is not None and many.tree.html.count("<div") < 10_000


@pytest.mark.parametrize(
    ("content", "declared"),
    [
        ("data:image/png;base64,iVBORw0KGgo=", "text"),
        ("iVBORw0KGgo=", "image/png"),
        ("%PDF-1.7", "application/pdf"),
        ("\ufffd\ufffd\x01\x02PK" * 50, "text"),
        ("\ufffdPNG\ufffd" * 50, "markdown"),
    ],
)
def test_what_is_no_text_is_told_by_its_measures(content: str, declared: str) -> None:
    shown = preview_of(content, declared)
    assert shown.kind == "binary" and not shown.pieces and not shown.html
    assert {name for name, _ in shown.facts} >= {"Size", "SHA-256"}


@pytest.mark.parametrize(
    ("content", "declared", "filename", "expected"),
    [
        ("# x", "markdown", "", "markdown"),
        ("# x", "report", "report.md", "markdown"),
        ("a,b", "", "rows.csv", "csv"),
        ("{}", "application/json", "", "json"),
        ({"a": 1}, "markdown", "x.md", "json"),
        ("x", "", "", "text"),
        ("x", "something else", "README", "text"),
    ],
)
def test_the_way_of_showing_follows_type_name_and_content(
    content: Any, declared: str, filename: str, expected: str
) -> None:
    assert kind_of(content, declared, filename) == expected
