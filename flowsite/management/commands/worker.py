"""Starts a worker by itself, for sites whose processes a service manager owns. `up` starts its own."""

import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from flowsite.supervisor.plans import WORKER_ENVIRONMENT, worker_arguments


class Command(BaseCommand):
    help = "Take steps from the queues and do them, until SIGTERM; this process becomes the worker."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--concurrency", type=int, default=2, metavar="N", help="steps at the same time")

    def handle(self, *args: Any, concurrency: int, **options: Any) -> None:
        command = [sys.executable, *worker_arguments(str(concurrency))]
        os.execve(sys.executable, command, {**os.environ, **WORKER_ENVIRONMENT})
