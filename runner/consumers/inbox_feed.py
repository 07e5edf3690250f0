"""One watcher of the inbox for each process: it rings all its sockets when approvals or reviews were asked or decided.

It asks a few small questions that are the same for everybody; what each person may see is asked once for each person,
however many pages they have open, and not more often than every two seconds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from time import monotonic
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from editor.models import VersionReview
from runner.consumers.access import waiting_of
from runner.consumers.mark_feed import Mark, MarkFeed
from runner.deciding import Waiting
from runner.models import Approval, Decision, Routing
from runner.streaming import INBOX_GROUP

POLL_S = 15.0
"""How often the database is asked although nobody said anything."""
REST_S = 2.0
"""Shortest time between two answers to one person."""
COUNTED = 1_000


class InboxFeed(MarkFeed):
    """Rings the bells of one event loop's sockets, and answers each person once for all their pages."""

    group: ClassVar[str] = INBOX_GROUP
    about: ClassVar[str] = "the inbox"

    def __init__(self) -> None:
        super().__init__()
        self._answers: dict[int, tuple[float, Waiting]] = {}
        self._asking: dict[int, asyncio.Task[Waiting]] = {}

    def read_mark(self) -> Mark:
        """What changes whenever an approval is opened, decided, expired or withdrawn, or goes to somebody else; and the
        same of reviews."""
        newest = Approval.objects.open().order_by("-created_at", "-pk").values_list("created_at", "pk").first()
        decided = Decision.objects.order_by("-pk").values_list("pk", flat=True).first()
        routed = Routing.objects.order_by("-pk").values_list("pk", flat=True).first()
        some = Approval.objects.open().order_by("created_at", "pk").values_list("approved_by", flat=True)[:COUNTED]
        approved = [len(people) for people in some]  # of several who have to
        return (newest, decided, routed, len(approved), sum(approved), tuple(self._reviews()))

    def _reviews(self) -> Iterable[tuple[Any, ...]]:
        """The newest reviews that wait for somebody: how they stand, for whom, and about which draft."""
        rows = VersionReview.objects.filter(closed_at__isnull=True).order_by("-pk")
        return rows.values_list(
            "pk", "status", "flow__draft__revision", "flow__review_person", "flow__review_group", "flow__needs_review"
        )[:COUNTED]

    @property
    def poll_s(self) -> float:
        return POLL_S

    @property
    def gather_s(self) -> float:
        return REST_S / 4  # decisions that come close together are one change

    def leave(self, bell: asyncio.Event) -> None:
        super().leave(bell)
        if not self.bells:
            self._answers.clear()

    async def open_for(self, user_id: int) -> Waiting:
        """How much waits for a person. One question to the database for all who ask it at the same time."""
        asked = self._asking.get(user_id)
        if asked is None:
            asked = self._asking[user_id] = asyncio.create_task(self._ask(user_id))
            asked.add_done_callback(lambda _: self._asking.pop(user_id, None))
        return await asyncio.shield(asked)

    async def _ask(self, user_id: int) -> Waiting:
        at, answer = self._answers.get(user_id, (0.0, None))
        if answer is not None and at >= self._changed_at:
            return answer
        if at and monotonic() < at + REST_S:
            await asyncio.sleep(at + REST_S - monotonic())
        at = monotonic()
        found = await waiting_of(user_id)
        self._answers[user_id] = (at, found)
        return found


_feeds: WeakKeyDictionary[asyncio.AbstractEventLoop, InboxFeed] = WeakKeyDictionary()


def inbox_feed() -> InboxFeed:
    """The watcher of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _feeds:
        _feeds[loop] = InboxFeed()
    return _feeds[loop]
