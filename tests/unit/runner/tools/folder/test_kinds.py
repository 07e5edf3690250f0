"""Documents of each kind as text: title, headings, date; and what is refused."""

from __future__ import annotations

import pytest

from runner.tools.folder.documents import Document, as_document, kind_of
from runner.tools.folder.extract import MAX_CHARACTERS, NotReadableError
from tests.support.pdf import make_pdf

DAY = 1_700_000_000 * 10**9
"""2023-11-14, as a file's time."""


def read(name: str, text: str | bytes) -> Document:
    return as_document(name, text if isinstance(text, bytes) else text.encode(), DAY)


def said(document: Document) -> tuple[str, str, str]:
    return document.title, document.modified, document.modified_from


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.md", "# Use [the API](x) `now`\n\nText.", ("Use the API now", "2023-11-14", "file")),
        ("a.md", "---\ntitle: 'Given'\ndate: 2020-01-02\n---\n# Other", ("Given", "2020-01-02", "front_matter")),
        ("a.md", "---\ndate: 2020-01-02\nlastmod: 2021-03-04T05:06\n---\nText", ("a.md", "2021-03-04", "front_matter")),
        ("a.md", "---\ndate: 2020-02-31\n---\nText", ("a.md", "2023-11-14", "file")),
        ("a.md", "Set\n===\n\ntext", ("Set", "2023-11-14", "file")),
        (
            "METADATA",
            "Metadata-Version: 2.1\nName: left-pad\nVersion: 1.0\n\n# README",
            ("left-pad 1.0", "2023-11-14", "file"),
        ),
        ("a.rst", "=====\nTitle\n=====\n\n:Date: 2019-05-06\n\ntext", ("Title", "2019-05-06", "front_matter")),
        ("a.txt", "Subject: not a title\n\ntext", ("a.txt", "2023-11-14", "file")),
        (
            "rfc.txt",
            "Group           A. Author\n\n" + " " * 23 + "The Protocol of Things\n\nText",
            ("The Protocol of Things", "2023-11-14", "file"),
        ),
        (
            "a.html",
            "<title>T &amp; U</title><meta name=date content=2018-07-08><p>x",
            ("T & U", "2018-07-08", "html_meta"),
        ),
        ("a.html", "<h1>Only <b>this</b></h1>", ("Only this", "2023-11-14", "file")),
    ],
)
def test_a_document_says_its_title_and_date(name: str, text: str, expected: tuple[str, str, str]) -> None:
    assert said(read(name, text)) == expected


def test_html_is_what_a_reader_sees() -> None:
    page = (
        "<head><style>p{}</style></head><body><nav>menu</nav><main><h2>Big <em>title</em></h2>"
        "<p>Some  text\nwith <b>bold</b>, and <a href=x>a link</a>.<script>evil()</script></p>"
        "<ul><li>one</li><li>two</li></ul><pre>code  x\n  y</pre><table><tr><td>a<td>b</table></main>footer</body>"
    )
    document = read("a.html", page)
    assert document.extract.text == ("Big title\n\nSome text with bold, and a link.\n\none\ntwo\n\ncode  x\n  y\n\na b")
    assert [(one.start, one.level, one.text) for one in document.extract.headings] == [(0, 2, "Big title")]


def test_html_in_an_encoding_that_it_names_is_read() -> None:
    assert read("a.html", '<meta charset="iso-8859-1"><p>Grüße'.encode("latin-1")).extract.text == "Grüße"


def test_pages_of_an_rfc_are_joined() -> None:
    text = "1. Start\n\n   The words go\n\nAuthor        [Page 1]\n\f\nRFC 1      Title     May 1999\n\n   on here.\n"
    assert read("rfc1.txt", text).extract.text == "1. Start\n\n   The words go\n   on here.\n"


def test_sections_of_a_plain_text_are_known_by_number_or_capitals() -> None:
    text = "Intro.\n\n1. Start\n\ntext\n\n1.2 More of it\n\ntext\n\nTHE END\n\ntext\n"
    found = read("a.txt", text).extract.headings
    assert [(one.level, one.text) for one in found] == [(1, "1. Start"), (2, "1.2 More of it"), (1, "THE END")]


def test_a_pdf_is_read_page_by_page() -> None:
    document = read("a.pdf", make_pdf(["Hello pages", "Second one"], title="A report", modified="D:20220304050607Z"))
    assert said(document) == ("A report", "2022-03-04", "pdf_info")
    assert document.extract.text == "Hello pages\n\nSecond one"
    assert [(one.start, one.text) for one in document.extract.headings] == [(0, "page 1"), (13, "page 2")]


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.txt", b"text\0more", "binary"),
        ("a.md", "Grüße".encode("latin-1"), "encoding"),
        ("a.html", b"<meta charset=zip><p>\xff", "encoding"),
        ("a.html", b"<div>" * 5_000, "unreadable"),
        ("a.txt", b"\xff\xfeodd", "encoding"),
        ("a.pdf", b"no pdf at all", "unreadable"),
        ("a.pdf", b"%PDF-1.4\n1 0 obj<</Type/Catalog", "unreadable"),
        ("a.pdf", make_pdf([""]), "no_text"),
    ],
)
def test_what_is_no_text_is_refused(name: str, data: bytes, reason: str) -> None:
    with pytest.raises(NotReadableError) as refused:
        read(name, data)
    assert refused.value.reason == reason and refused.value.message.endswith(".")


def test_a_pdf_that_takes_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runner.tools.folder.paged_text.MAX_SECONDS", -1.0)
    with pytest.raises(NotReadableError) as refused:
        read("a.pdf", make_pdf(["Hello"]))
    assert refused.value.reason == "too_slow"


def test_a_long_text_is_cut_and_says_so() -> None:
    document = read("a.txt", "word " * 100_000)
    assert (len(document.extract.text), document.characters, document.truncated) == (MAX_CHARACTERS, 500_000, True)


def test_letters_that_json_cannot_carry_do_not_get_through() -> None:
    text = read("a.txt", "one\r\ntwo\x1b[1m bo\bold\x85end\r").extract.text
    assert text == "one\ntwo[1m bold\nend\n"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.MD", "markdown"),
        ("b.htm", "html"),
        ("copyright", "text"),
        ("README.Debian", "text"),
        ("a.py", None),
        ("a.tar.gz", None),
        ("RECORD", None),
        ("PKG-INFO", "markdown"),
    ],
)
def test_the_kind_of_a_file_is_known_by_its_name(name: str, kind: str | None) -> None:
    assert kind_of(name) == kind
