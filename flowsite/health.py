"""The health page: whether this process serves and reaches its database, and who works on what is due."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from runner.store.sweeping import heartbeat_age_ms, oldest_due_step_ms

#: A sweeper that was not seen for so long, or a step that nobody took for so long, is a reason to look.
LONGEST_SILENCE_MS = 30_000
LONGEST_WAIT_MS = 60_000


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 with the site's state; a database that does not answer gives the usual 500.

    `status` is `ok`, or `degraded` where pages are served but runs may stand still. Ages are milliseconds since
    the last sign of life of a sweeper and of a worker (null: never seen), and since the longest waiting step of
    a run could have been taken (null: none waits).
    """
    sweeper, waiting = heartbeat_age_ms("sweeper"), oldest_due_step_ms()
    is_well = sweeper is not None and sweeper <= LONGEST_SILENCE_MS and (waiting or 0) <= LONGEST_WAIT_MS
    return JsonResponse(
        {
            "status": "ok" if is_well else "degraded",
            "sweeper_age_ms": sweeper,
            "worker_age_ms": heartbeat_age_ms("worker"),
            "oldest_due_step_ms": waiting,
        }
    )
