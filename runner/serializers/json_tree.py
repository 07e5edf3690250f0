"""A JSON value as a tree that a page can fold: lines and groups, within bounds. Drawing it is the template's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from runner.serializers.texts import pieces, pretty
from runner.serializers.words import count_of

MOST_LINES, MOST_CHILDREN, DEEPEST, LINE_CHARS = 2_000, 200, 24, 2_000
OPEN_LEVELS, OPEN_CHILDREN = 2, 30
"""Groups so near the root, and with so few children, are shown unfolded."""

_KINDS = {str: "text", bool: "word", int: "number", float: "number", type(None): "word"}


@dataclass(frozen=True)
class Tree:
    """The drawn tree, and whether something of the value was left out."""

    html: SafeString
    is_cut: bool


class _Drawer:
    """Draws one value, line by line, until there are enough lines."""

    def __init__(self) -> None:
        self.left = MOST_LINES
        self.is_cut = False

    def draw(self, label: SafeString, value: Any, depth: int) -> SafeString:
        """One line, or a group with its own lines."""
        self.left -= 1
        if isinstance(value, (dict, list)) and value:
            return self._group(label, value, depth)
        return format_html('<div class="leaf">{}{}</div>', label, self._leaf(value))

    def _leaf(self, value: Any) -> SafeString:
        text = value if isinstance(value, str) else pretty(value)
        cut = len(text) > LINE_CHARS
        self.is_cut = self.is_cut or cut
        kind = _KINDS.get(type(value), "word")
        shown = _with_hidden_named(text[:LINE_CHARS] if cut else text)
        return format_html('<span class="json-{}">{}{}</span>', kind, shown, "…" if cut else "")

    def _group(self, label: SafeString, value: dict[str, Any] | list[Any], depth: int) -> SafeString:
        size = count_of(len(value), "key" if isinstance(value, dict) else "item")
        if depth >= DEEPEST:
            self.is_cut = True
            return format_html('<div class="leaf">{}<span class="quiet">{}, too deep</span></div>', label, size)
        is_open = depth < OPEN_LEVELS and len(value) <= OPEN_CHILDREN
        inside = format_html_join("", "{}", ((line,) for line in self._children(value, depth + 1)))
        return format_html(
            '<details{}><summary>{}<span class="quiet">{}</span></summary><div class="inside">{}</div></details>',
            mark_safe(" open") if is_open else "",
            label,
            size,
            inside,
        )

    def _children(self, value: dict[str, Any] | list[Any], depth: int) -> Iterator[SafeString]:
        entries: Iterable[tuple[Any, Any]] = value.items() if isinstance(value, dict) else enumerate(value)
        for place, (key, child) in enumerate(entries):
            if place >= MOST_CHILDREN or self.left <= 0:
                self.is_cut = True
                left_out = f"… and {len(value) - place:,} more"
                yield format_html('<div class="leaf quiet">{}</div>', left_out)
                return
            yield self.draw(format_html('<span class="key">{}</span> ', _with_hidden_named(str(key))), child, depth)


def _with_hidden_named(text: str) -> SafeString:
    """A text in which every character that draws nothing is named."""
    return format_html_join(
        "",
        "{}",
        (
            (
                format_html('<span class="hidden-char" title="{}">{}</span>', one.title, one.text)
                if one.hidden
                else one.text,
            )
            for one in pieces(text)
        ),
    )


def json_tree(value: Any) -> Tree:
    """Draw a JSON value. At most MOST_LINES lines, MOST_CHILDREN of a group, DEEPEST levels."""
    drawer = _Drawer()
    html = drawer.draw(SafeString(""), value, 0)
    return Tree(html, drawer.is_cut)
