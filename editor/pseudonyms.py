"""What people whose data was erased are called from then on. Hashed histories keep the name that stood there."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any

from editor.models import Erasure

_KEPT_S = 10.0
_known: tuple[float, dict[str, str]] | None = None
#: An actor as the canonical text of an event has it.
_ACTOR = re.compile(r'"actor":\{"id":"(\d+)","kind":"user","name":"(?:[^"\\]|\\.)*"\}')


def pseudonyms() -> dict[str, str]:
    """Id of the account -> pseudonym, of everybody who was erased; another process hears of it within seconds."""
    global _known
    now = time.monotonic()
    if _known is None or now - _known[0] > _KEPT_S:
        _known = (now, dict(Erasure.objects.values_list("person", "pseudonym")))
    return _known[1]


def forget() -> None:
    """Ask the database anew next time."""
    global _known
    _known = None


def shown(actor: Mapping[str, Any]) -> dict[str, Any]:
    """An actor as people may see it."""
    found = pseudonyms().get(str(actor.get("id"))) if actor.get("kind") == "user" else None
    return {**actor, "name": found} if found is not None else dict(actor)


def shown_text(text: str) -> str:
    """The text of an event as people may see it; most are given back as they are."""
    known = pseudonyms()
    if not known:
        return text

    def named(found: re.Match[str]) -> str:
        pseudonym = known.get(found.group(1))
        if pseudonym is None:
            return found.group(0)
        return f'"actor":{{"id":"{found.group(1)}","kind":"user","name":"{pseudonym}"}}'

    return _ACTOR.sub(named, text, count=1)
