"""The tables of runs, a file for each aggregate. Anyone reads them; `runner.store` alone writes them."""

from runner.models.approvals import Approval, ApprovalQuerySet, Decision
from runner.models.facts import RunFact
from runner.models.fields import InstantField, JsonTextField, to_instant, to_ms
from runner.models.history import Event, PurgeTicket, SignedHead, Snapshot
from runner.models.logs import StepLog
from runner.models.routing import MailBox, Notice, ReviewNotice, Routing
from runner.models.runs import Run, RunQuerySet
from runner.models.saved_views import SavedView
from runner.models.site import ClockOffset, Heartbeat
from runner.models.steps import Arrival, Artifact, Blob, OfRunQuerySet, Scope, StateValue, StepRun
from runner.models.stops import Stop, StopsVersion
from runner.models.waits import Signal, Timer
from runner.models.words import RunWord

__all__ = [
    "Approval",
    "ApprovalQuerySet",
    "Arrival",
    "Artifact",
    "Blob",
    "ClockOffset",
    "Decision",
    "Event",
    "Heartbeat",
    "InstantField",
    "JsonTextField",
    "MailBox",
    "Notice",
    "OfRunQuerySet",
    "PurgeTicket",
    "ReviewNotice",
    "Routing",
    "Run",
    "RunFact",
    "RunQuerySet",
    "RunWord",
    "SavedView",
    "Scope",
    "Signal",
    "SignedHead",
    "Snapshot",
    "StateValue",
    "StepLog",
    "StepRun",
    "Stop",
    "StopsVersion",
    "Timer",
    "to_instant",
    "to_ms",
]
