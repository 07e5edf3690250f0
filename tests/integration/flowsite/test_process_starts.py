"""What the processes of a site load when they start, and what a pool process of a worker keeps between messages."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from celery.fixups.django import DjangoWorkerFixup
from django.db import connection, connections

from flowsite import worker_pool
from flowsite.celery import app
from tests.support.site import ROOT

HEAVY = ("httpx2", "pypdf", "celery.bin", "uvicorn", "pytest", "schemathesis")
PAGES = ("flowsite.urls", "runner.urls", "runner.views", "runner.api", "editor.urls", "editor.views", "editor.api")
OF_WORKERS = "import flowsite.celery as c; c.app.loader.import_default_modules(); c.app.finalize()"
OF_WEB = "import flowsite.asgi; from django.urls import get_resolver; get_resolver().url_patterns"


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh process has loaded after this code."""
    told = f"{code}; import sys; print(*sorted(sys.modules), sep='\\n')"
    done = subprocess.run([sys.executable, "-c", told], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def below(names: tuple[str, ...], loaded: set[str]) -> list[str]:
    return sorted(one for one in loaded if one.startswith(tuple(f"{name}." for name in names)) or one in names)


def test_a_worker_starts_without_the_pages_and_what_only_they_need() -> None:
    loaded = loaded_by(OF_WORKERS)
    assert "runner.tasks" in loaded and "runner.services.steps" in loaded
    assert below((*HEAVY, *PAGES, "drf_spectacular", "rest_framework.views", "markdown_it", "nh3"), loaded) == []


def test_a_web_process_starts_without_what_only_workers_and_single_steps_need() -> None:
    loaded = loaded_by(OF_WEB)
    assert "runner.urls" in loaded
    of_workers = ("celery.worker.consumer", "celery.concurrency.prefork", "kombu.transport.redis")
    assert below((*HEAVY, *of_workers), loaded) == []


@pytest.fixture
def pool_process() -> Iterator[DjangoWorkerFixup]:
    """The state of a pool process, as far as connections go; afterwards as before."""
    before = {alias: {**one, "OPTIONS": dict(one["OPTIONS"])} for alias, one in connections.settings.items()}
    connection.close()
    connection.settings_dict["OPTIONS"]["pool"] = {"min_size": 1}  # as where somebody sets it for all processes
    worker_pool.keep_connections()
    yield DjangoWorkerFixup(app)
    for alias, options in before.items():
        connections.settings[alias].update(options)
    connection.close()


@pytest.mark.django_db(transaction=True)
def test_a_connection_lasts_from_message_to_message(pool_process: DjangoWorkerFixup) -> None:
    message = SimpleNamespace(request=SimpleNamespace(is_eager=False))
    connection.ensure_connection()
    opened = connection.connection
    for _ in range(3):
        pool_process.on_task_prerun(message)
        worker_pool.look_after_connections()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        pool_process.on_task_postrun(message)
    assert connection.connection is opened
    assert "pool" not in connection.settings_dict["OPTIONS"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.only_on("postgres")
def test_a_connection_that_died_between_two_messages_is_opened_anew(pool_process: DjangoWorkerFixup) -> None:
    connection.ensure_connection()
    dead = connection.connection
    dead.close()  # as the server does when it restarts
    worker_pool.look_after_connections()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    assert connection.connection is not dead
