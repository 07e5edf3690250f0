"""The process that does the product's workloads: `python -m tests.bench.site_process`, asked by command.py."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tests.bench.talk import answer


def main() -> None:
    """Answer what is asked, in the surroundings that the environment names."""
    import django

    django.setup()
    import logging

    from django.conf import settings
    from django.core.signals import request_finished, request_started
    from django.db import close_old_connections

    from tests.bench.limits import commits_a_second
    from tests.bench.workloads import bottlenecks, crewed, inline, live, pages

    settings.ALLOWED_HOSTS = ["testserver"]
    logging.disable(logging.WARNING)
    request_started.disconnect(close_old_connections)  # as in a site, where a pool keeps connections open
    request_finished.disconnect(close_old_connections)
    url, folder = os.environ["DATABASE_URL"], Path(os.environ["FLOWSITE_VAR"])

    def limit(quick: bool) -> dict[str, Any]:
        return {"per_s": commits_a_second(url, folder, 50 if quick else 300)}

    answer(
        {
            "limit": limit, "count": inline.count,
            "LINEAR": inline.linear, "FANOUT": inline.fan_out, "LONG": inline.long, "LOOP": inline.loop,
            "WIDE_STATE": inline.wide_state, "REAL": inline.real,
            "MANY": crewed.many, "FANOUT_WORKER": crewed.fan_out_by_worker, "START": crewed.start, "LIVE": live.live,
            "fill": pages.fill_database, "INBOX": pages.inbox, "HISTORY": pages.history, "EDITOR": pages.editor,
            "branches": bottlenecks.branches, "take": bottlenecks.take,
            "insert_events": bottlenecks.insert_events, "MESSAGES": bottlenecks.messages,
        }
    )  # fmt: skip


if __name__ == "__main__":
    main()
