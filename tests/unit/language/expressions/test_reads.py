"""What an expression is known to read before it runs."""

from __future__ import annotations

import pytest

from editor.language.expressions import Read, compile_expression


def name(root: str, *path: str | int) -> Read:
    return Read(root, path, "name")


def hole(root: str, *path: str | int) -> Read:
    return Read(root, path, "placeholder")


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("1 + 'a'", ()),
        ("a", (name("a"),)),
        ("a.b['c d'][0].e", (name("a", "b", "c d", 0, "e"),)),
        ("a[i].b", (name("a"), name("i"))),
        ("a.b[i.j].c", (name("a", "b"), name("i", "j"))),
        ("a[-1].b", (name("a"),)),
        ("a && a || b && a", (name("a"), name("b"))),
        ("(a || b).c", (name("a"), name("b"))),
        ("(a.b).c", (name("a", "b", "c"),)),
        ("(a + b)['c']", (name("a"), name("b"))),
        ("a.b.includes(c.d)", (name("a", "b"), name("c", "d"))),
        ("a.length > list[0].length", (name("a", "length"), name("list", 0, "length"))),
        ("{{a.b}} > 1 && '{{c[0]}} {{d}}' == x", (hole("a", "b"), hole("c", 0), hole("d"), name("x"))),
        ("{{a}}.b[0]", (hole("a", "b", 0),)),
        ("steps.x.output.id == inputs.id", (name("steps", "x", "output", "id"), name("inputs", "id"))),
        ("a[1.5]", (name("a", "1.5"),)),
    ],
)
def test_reads(text: str, reads: tuple[Read, ...]) -> None:
    assert compile_expression(text).reads == reads
