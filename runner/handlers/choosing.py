"""Which dispatcher a run gets. Only a run that says it is a flow test can get stand-ins."""

from __future__ import annotations

from runner.handlers.base import Dispatcher
from runner.handlers.real import RealDispatcher
from runner.handlers.stand_in import StandInDispatcher


def dispatcher_for(*, is_flow_test: bool, stand_in_url: str | None) -> Dispatcher:
    """Choose who performs the effects of a run.

    `stand_in_url` is the site's setting, empty but in tests: a run cannot bring one of its own.
    Raises ValueError for a flow test where there are no stand-ins: its tools must never be called in earnest.
    """
    if not is_flow_test:
        return RealDispatcher()
    if not stand_in_url:
        raise ValueError("A flow test runs only beside its stand-in server; this process knows of none.")
    return StandInDispatcher(stand_in_url)
