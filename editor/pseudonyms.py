"""What people whose data was erased are called from then on. Hashed histories keep the name that stood there."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any

from editor.models import Erasure

Account = tuple[str, str]
"""Kind (`user` or `token`) and id of an actor."""

_KEPT_S = 10.0
_known: tuple[float, dict[Account, str]] | None = None
#: An actor as the canonical text of an event has it.
_ACTOR = re.compile(r'"actor":\{"id":"(\d+)","kind":"(user|token)","name":"(?:[^"\\]|\\.)*"\}')


def pseudonyms() -> dict[Account, str]:
    """Who was erased, by account and by each token it had; another process hears of it within seconds."""
    global _known
    now = time.monotonic()
    if _known is None or now - _known[0] > _KEPT_S:
        found: dict[Account, str] = {}
        for person, pseudonym, tokens in Erasure.objects.values_list("person", "pseudonym", "tokens"):
            found[("user", person)] = pseudonym
            found |= {("token", str(token)): pseudonym for token in tokens or ()}
        _known = (now, found)
    return _known[1]


def forget() -> None:
    """Ask the database anew next time."""
    global _known
    _known = None


def shown(actor: Mapping[str, Any]) -> dict[str, Any]:
    """An actor as people may see it."""
    found = pseudonyms().get((str(actor.get("kind")), str(actor.get("id"))))
    return {**actor, "name": found} if found is not None else dict(actor)


def shown_text(text: str) -> str:
    """The text of an event as people may see it; most are given back as they are."""
    known = pseudonyms()
    if not known:
        return text

    def named(found: re.Match[str]) -> str:
        pseudonym = known.get((found.group(2), found.group(1)))
        if pseudonym is None:
            return found.group(0)
        return f'"actor":{{"id":"{found.group(1)}","kind":"{found.group(2)}","name":"{pseudonym}"}}'

    return _ACTOR.sub(named, text, count=1)
