"""The Celery app: carries hints to the workers. Tasks live in runner.tasks, settings in flowsite.settings."""

import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flowsite.settings")
# A worker would import all pages to check them, and throw away what it finds. `manage.py check` says it.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")

from celery import Celery, signals

from flowsite.supervisor.parent_death import die_with_parent

app = Celery("flowsite")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.CELERY_DB_REUSE_MAX = sys.maxsize  # Celery never closes connections by itself: worker_pool.py does
app.autodiscover_tasks()

_worker_pid = os.getpid()


@signals.setup_logging.connect
def _keep_our_logging(**_: object) -> None:
    """Settings say how lines are logged, in workers as everywhere: with this here, Celery sets up none of its own."""


@signals.worker_init.connect
def _stop_without_words(**_: object) -> None:
    """Celery tells whoever may sit at its terminal that another Ctrl+C would end all tasks. Nobody sits there: a
    supervisor stops the worker, and to whoever reads its lines an ordinary stop would look like an accident."""
    from celery.apps import worker as program

    program.safe_say = lambda *_, **__: None


@signals.worker_init.connect
def _remember_worker(**_: object) -> None:
    global _worker_pid
    _worker_pid = os.getpid()


@signals.worker_init.connect
def _prepare_pool(**_: object) -> None:
    """Pool processes are forked after this."""
    from flowsite.worker_pool import share_what_is_loaded

    # Connected here, and so called after Celery's own receiver, which closes what a process has inherited.
    signals.worker_process_init.connect(_keep_connections)
    share_what_is_loaded()


def _keep_connections(**_: object) -> None:
    from flowsite.worker_pool import keep_connections

    keep_connections()
    signals.task_prerun.connect(_look_after_connections)


def _look_after_connections(**_: object) -> None:
    from flowsite.worker_pool import look_after_connections

    look_after_connections()


@signals.worker_process_init.connect
def _die_with_the_worker(**_: object) -> None:
    """A pool process must not outlive its worker: nobody could stop it, and it would go on with its step."""
    die_with_parent(_worker_pid)


@signals.worker_ready.connect
def _tell_the_supervisor(sender: Any, **_: object) -> None:
    """Write our process id into the file that `manage.py up` waits for.

    The worker's timer does it, so that its loop is running by then: before, a stop would end in a traceback.
    """
    if ready_file := os.environ.get("FLOWSITE_READY_FILE"):
        sender.timer.call_after(0.0, Path(ready_file).write_text, (str(os.getpid()),))
