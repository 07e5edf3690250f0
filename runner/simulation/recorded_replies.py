"""Recorded replies that stand in for calls: each call gets what the like of it got, and nothing is ever called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from editor.language.canonical import digest
from runner.simulation.flow_test_file import Reply
from runner.simulation.recorded import RecordedCall
from runner.simulation.standins import Call, Identity, Ledger

#: What an agent is told besides its own input: it grows from turn to turn.
_GROWING = ("turns", "tools")


class RecordedReplies(Ledger):
    """Stands in with the replies of a past run. A call without a counterpart hangs, and is noted in `unmatched`.

    `by_input`: a call gets the reply of one with the same input; else that of the same attempt, whatever it is called
    with: for the flow that ran, whose calls were what they were.
    """

    def __init__(self, calls: Sequence[RecordedCall], *, by_input: bool) -> None:
        super().__init__()
        self._recorded = list(calls)
        self._by_input = by_input
        self._used: set[int] = set()
        self._alike: dict[tuple[str, object], list[int]] = {}
        for place, call in enumerate(calls):
            key = key_of(call.given) if by_input else call.identity
            self._alike.setdefault((call.queue, key), []).append(place)
        self.unmatched: list[Call] = []

    def begin(self, queue: str, identity: Identity, given: Any, now: int, *, whole: Any = None) -> Call:
        """The recorded reply for this call."""
        call = self.resumed(queue, identity, given)
        if call is not None:
            return call
        alike = self._alike.get((queue, key_of(whole) if self._by_input else identity), ())
        place = next(iter(self._in_order(alike, identity)), None)
        if place is None:
            call = self.enter(queue, identity, given, Reply(hang=True), now)
            self.unmatched.append(call)
            return call
        self._used.add(place)
        return self.enter(queue, identity, given, self._recorded[place].reply, now)

    def _in_order(self, alike: Sequence[int], identity: Identity) -> Iterable[int]:
        """One that has not been given before others, the same attempt first; else the last: the same call again."""
        unused = [place for place in alike if place not in self._used]
        yield from (place for place in unused if self._recorded[place].identity == identity)
        yield from unused
        yield from reversed(alike)


def key_of(given: Any) -> str:
    """What makes two calls the same: all that they are given, but for what grows while they go on."""
    if isinstance(given, dict):
        given = {name: value for name, value in given.items() if name not in _GROWING}
    return digest(given)
