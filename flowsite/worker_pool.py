"""What the processes of a worker's pool share and keep: the memory of what is imported, and their connections."""

from __future__ import annotations

import gc
import logging

from django.db import Error, close_old_connections, connections

log = logging.getLogger(__name__)

#: A pool process keeps its connection to the database for so many seconds. Celery would close it before and after
#: each message, and opening one costs more than a step.
KEEP_CONNECTION_S = 600


def share_what_is_loaded() -> None:
    """Import in the worker what its pool processes need, and let them share it: each begins with it, in one copy.

    The collector of a forked process would write into every object that it looks at, and so copy all their pages.
    """
    import channels_redis.core
    import django.db.models.sql.compiler  # noqa: F401

    gc.collect()
    gc.freeze()


def keep_connections() -> None:
    """In a pool process: connections last from message to message, and one that has gone dead is opened anew."""
    for alias in connections:
        connections.settings[alias]["CONN_MAX_AGE"] = KEEP_CONNECTION_S
        connections.settings[alias]["CONN_HEALTH_CHECKS"] = True
    try:
        connections["default"].ensure_connection()
    except Error as error:  # the first step will say so, or find it back
        log.warning("The database cannot be reached yet: %s", error)


def look_after_connections() -> None:
    """Between two messages: close what is too old or has failed; the next use checks whether the rest is alive."""
    close_old_connections()
