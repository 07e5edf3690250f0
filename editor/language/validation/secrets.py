"""Checks that no credential is typed into a document. Where secrets belong is the runner's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from editor.language.json_gate import Path, pointer
from editor.language.validation.subject import Subject

_LOOKS_LIKE = re.compile(
    r"""
      \b sk-(?:[A-Za-z]+-)?[A-Za-z0-9_-]{20,}
    | \b (?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}
    | \b gh[pousr]_[A-Za-z0-9]{36,} | \b github_pat_[A-Za-z0-9_]{22,}
    | \b glpat-[A-Za-z0-9_-]{20,}
    | \b (?:AKIA|ASIA)[0-9A-Z]{16} \b
    | \b AIza[0-9A-Za-z_-]{35}
    | \b xox[abeprs]-[0-9A-Za-z-]{10,}
    | \b eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}
    | -----BEGIN\ [A-Z\ ]*PRIVATE\ KEY-----
    | \b [Bb]earer\ +[A-Za-z0-9._~+/-]{20,}
    | \b [a-z][a-z0-9+.-]{1,20}://[^/\s:@{}]{1,100}:[^/\s:@{}]{3,100}@
    """,
    re.VERBOSE,
)
"""Forms in which services write their credentials, and addresses with a password in them."""

_NAMED_LIKE = re.compile(
    r"(?:^|[_-])(?:password|passwd|passphrase|secret|api[_-]?key|apikey|access[_-]?key|private[_-]?key"
    r"|(?:access|auth|refresh|bearer|api)[_-]?token|client[_-]?secret|credentials?)$",
    re.IGNORECASE,
)
_KINDS = (re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]"), re.compile("[^A-Za-z0-9]"))


def check_secrets(subject: Subject) -> None:
    """`secret_literal`: a text that has the form of a credential, or stands where one belongs and looks like it."""
    raw = subject.parsed.raw
    by_place = {place: node_id for node_id, place in subject.parsed.node_places.items()}
    for path, text in _texts(raw, ()):
        if _LOOKS_LIKE.search(text) or (_is_named_like(path) and _is_random(text)):
            node = by_place.get(path[1]) if len(path) > 1 and path[0] == "nodes" and isinstance(path[1], int) else None
            told = (
                "This text looks like a credential. Everyone who can read the flow would see it: store it as a "
                "secret of the site, let a tool use it, and remove it here."
            )
            subject.report("secret_literal", pointer(path), told, node=node)


def _texts(value: object, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, (*path, key))
    elif isinstance(value, (list, tuple)):
        for place, item in enumerate(value):
            yield from _texts(item, (*path, place))


def _is_named_like(path: Path) -> bool:
    key = next((part for part in reversed(path) if isinstance(part, str)), "")
    return _NAMED_LIKE.search(key) is not None


def _is_random(text: str) -> bool:
    """Whether a text is one word of several kinds of characters, and nothing that is filled in at run time."""
    if len(text) < 8 or any(character.isspace() for character in text) or "{{" in text or text.startswith("$"):
        return False
    return sum(kind.search(text) is not None for kind in _KINDS) >= 2
