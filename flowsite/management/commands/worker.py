"""Starts a worker by itself, for sites whose processes a service manager owns. `up` starts its own."""

import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from flowsite.supervisor.plans import QUEUES, WORKER_ENVIRONMENT, worker_arguments


class Command(BaseCommand):
    help = "Take steps from the queues and do them, until SIGTERM; this process becomes the worker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--concurrency", type=int, default=2, metavar="N", help="steps at the same time")
        parser.add_argument("--queues", default=QUEUES, help=f"separated by commas; left out: {QUEUES}")

    def handle(self, *args: Any, concurrency: int, queues: str, **options: Any) -> None:
        unknown = set(queues.split(",")) - set(QUEUES.split(","))
        if unknown:
            raise CommandError(f"There is no queue {', '.join(sorted(unknown)) or '(none)'}. There are: {QUEUES}.")
        command = [sys.executable, *worker_arguments(str(concurrency), queues)]
        os.execve(sys.executable, command, {**os.environ, **WORKER_ENVIRONMENT})
