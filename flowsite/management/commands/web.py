"""Starts a web server by itself, for sites whose processes a service manager owns. `up` starts its own."""

import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from flowsite.supervisor.plans import web_arguments


class Command(BaseCommand):
    help = "Serve pages, API and sockets, until SIGTERM; this process becomes the web server."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="the address to listen at (127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, metavar="N", help="(8000)")

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        os.execv(sys.executable, [sys.executable, *web_arguments(host, port)])
