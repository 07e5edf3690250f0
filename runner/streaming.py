"""The only place that publishes news of runs: small hints over the channel layer, after the commit.

News may get lost: whoever follows a run reads the database. One thread with one event loop sends for the whole
process, so that no request and no step ever waits for Redis; news that come close together go out as one.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import threading
import time

from channels.layers import get_channel_layer

log = logging.getLogger(__name__)

#: Messages are sent at most so often: news that come meanwhile are one message of each group. Sending one costs as
#: much as a step, so that a fast run would take twice the time for news of which nobody sees so many.
GATHER_S = 0.02
SEND_TIMEOUT_S = 2.0
#: After trouble with the layer nothing is sent for so long.
REST_S = 5.0
INBOX_GROUP = "inbox"
RUNS_GROUP = "runs"
RIGHTS_GROUP = "rights"


def group_of(run_id: str) -> str:
    """The name of the group that hears of a run's new events."""
    return f"run-{run_id}"


def publish_events(run_id: str, seq: int) -> None:
    """Tell who watches the run that events up to `seq` are committed. Call it after the commit. Never raises."""
    _publisher().put(group_of(run_id), {"type": "run.event", "run": run_id, "seq": seq})


def publish_inbox() -> None:
    """Tell who looks at an inbox that approvals were opened or decided. Never raises."""
    _publisher().put(INBOX_GROUP, {"type": "inbox.changed"})


def publish_runs() -> None:
    """Tell who looks at a list of runs that one has started, or has another status. Never raises."""
    _publisher().put(RUNS_GROUP, {"type": "runs.changed"})


def publish_rights(**_: object) -> None:
    """Tell all open pages to ask again whether their person may see what they show. Never raises."""
    _publisher().put(RIGHTS_GROUP, {"type": "rights.changed"})


def group_of_draft(flow_id: str) -> str:
    """The name of the group that hears who is at a draft, and that something beside it has changed."""
    return f"draft-{flow_id}"


def publish_draft(flow: str, **_: object) -> None:
    """Tell who has the draft open that its comments or its review have changed. Never raises."""
    _publisher().put(group_of_draft(flow), {"type": "draft.changed", "flow": flow})


def publish_draft_saved(flow: str, **_: object) -> None:
    """Tell who has the draft open that a newer one was saved. Never raises."""
    _publisher().put(group_of_draft(flow), {"type": "draft.saved", "flow": flow})


class Publisher:
    """The sending thread of this process: the newest message of each type for each group, soon."""

    def __init__(self) -> None:
        self._pending: dict[tuple[str, object], dict[str, object]] = {}
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._idle = threading.Event()
        self._idle.set()
        self._rest_until = 0.0
        self._thread: threading.Thread | None = None

    def put(self, group: str, message: dict[str, object]) -> None:
        """Send a message to a group soon; it takes the place of an older one of its type that was not sent yet."""
        with self._lock:
            was_empty = not self._pending
            self._pending[group, message["type"]] = message
            self._idle.clear()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="flowsite-news", daemon=True)
                self._thread.start()
        if was_empty:
            self._wake.set()

    def flush(self, seconds: float) -> bool:
        """Wait until everything is sent, but not longer."""
        return self._idle.wait(seconds)

    def _run(self) -> None:
        loop = asyncio.new_event_loop()
        sent = 0.0
        while True:
            self._wake.wait()
            self._wake.clear()
            # What comes alone is sent at once; what comes close behind is gathered.
            time.sleep(max(0.0, sent + GATHER_S - time.monotonic()))
            sent = time.monotonic()
            with self._lock:
                messages, self._pending = self._pending, {}
            loop.run_until_complete(self._send(messages))
            with self._lock:
                if not self._pending:
                    self._idle.set()

    async def _send(self, messages: dict[tuple[str, object], dict[str, object]]) -> None:
        layer = get_channel_layer()
        if layer is None or time.monotonic() < self._rest_until:
            return
        for (group, _), message in messages.items():
            try:
                await asyncio.wait_for(layer.group_send(group, message), SEND_TIMEOUT_S)
            except Exception as error:
                self._rest_until = time.monotonic() + REST_S
                log.warning("News of %s were not sent, watchers will find them later: %r", group, error)
                return


_publishers: dict[int, Publisher] = {}
_publishers_lock = threading.Lock()


def _publisher() -> Publisher:
    """The publisher of this process. A forked process needs its own: threads stay behind."""
    pid = os.getpid()
    found = _publishers.get(pid)
    if found is None:
        with _publishers_lock:
            found = _publishers.setdefault(pid, Publisher())
    return found


@atexit.register
def _send_the_rest() -> None:
    publisher = _publishers.get(os.getpid())
    if publisher is not None:
        publisher.flush(1.0)
