"""What the processes of a worker's pool share and keep: the memory of what is imported, and their connections."""

from __future__ import annotations

import gc
import logging
from importlib import import_module

from django.db import Error, close_old_connections, connections

log = logging.getLogger(__name__)

#: A pool process keeps its connection to the database for so many seconds. Celery would close it before and after
#: each message, and opening one costs more than a step.
KEEP_CONNECTION_S = 600


def share_what_is_loaded() -> None:
    """In the worker, before it forks: import what pool processes need, so that all of them share one copy of it.

    The collector of a forked process would write into every object that it looks at, and so copy all their pages.
    """
    for name in ("channels_redis.core", "django.db.models.sql.compiler"):
        import_module(name)
    gc.collect()
    gc.freeze()


def keep_connections() -> None:
    """In a pool process: let connections last from message to message, and open the first one before there is any."""
    for alias in connections:
        connections.settings[alias]["CONN_MAX_AGE"] = KEEP_CONNECTION_S
        connections.settings[alias]["CONN_HEALTH_CHECKS"] = True
        # FLOWSITE_DB_POOL is for web processes, whoever sets it: a pool must not be forked.
        connections.settings[alias].get("OPTIONS", {}).pop("pool", None)
    try:
        connections["default"].ensure_connection()
    except Error as error:  # steps will find it back, or say so
        log.warning("The database cannot be reached yet: %s", error)


def look_after_connections() -> None:
    """Before a message: close what is too old or has failed. What went dead unseen is found when it is used."""
    close_old_connections()
