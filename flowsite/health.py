"""Two pages for programs: /healthz tells how the site is, /readyz whether this process can serve requests now."""

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from runner.store.stops import read_stops
from runner.store.sweeping import heartbeat_age_ms, oldest_due_step_ms

#: A sweeper that was not seen for so long, or a step that nobody took for so long, is a reason to look.
LONGEST_SILENCE_MS = 30_000
LONGEST_WAIT_MS = 60_000

_is_migrated = False


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 with the site's state; a database that does not answer gives the usual 500.

    `status` is `ok`, or `degraded` where pages are served but runs may stand still. Ages are milliseconds since
    the last sign of life of a sweeper and of a worker (null: never seen), and since the longest waiting step of
    a run could have been taken (null: none waits; runs that an admin has stopped do not count). `stopped` tells
    what is: everything, and how many flows and tools. By whom and why is not for strangers.
    """
    sweeper, waiting, stops = heartbeat_age_ms("sweeper"), oldest_due_step_ms(), read_stops()
    is_well = sweeper is not None and sweeper <= LONGEST_SILENCE_MS and (waiting or 0) <= LONGEST_WAIT_MS
    return JsonResponse(
        {
            "status": "ok" if is_well else "degraded",
            "sweeper_age_ms": sweeper,
            "worker_age_ms": heartbeat_age_ms("worker"),
            "oldest_due_step_ms": waiting,
            "stopped": {
                "everything": stops.everything is not None,
                "flows": len(stops.flows),
                "tools": len(stops.tools),
            },
        }
    )


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 200 if this process can serve requests, else 503; `problems` says why not, in short.

    It asks for what a request needs, the database with all its tables, and not for Redis, workers or the sweeper:
    pages are served without them.
    """
    problems = _problems()
    return JsonResponse({"ready": not problems, "problems": problems}, status=503 if problems else 200)


def _problems() -> list[str]:
    global _is_migrated
    try:
        connection.ensure_connection()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        if not _is_migrated:  # asked once in the life of a process: what is applied stays applied
            executor = MigrationExecutor(connection)
            _is_migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        connection.close()
        return ["The database does not answer."]
    return [] if _is_migrated else ["The database is not up to date: run manage.py migrate."]
