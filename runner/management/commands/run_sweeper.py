"""`manage.py run_sweeper`: the sweeper process. What a round does is runner.sweeper's."""

from __future__ import annotations

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand

from runner.sweeper import sweep_on


class Command(BaseCommand):
    help = "Sees to what nobody does: steps nobody claimed, lost claims, due timers. Any number of copies may run."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        sweep_on(stop)
