"""The live streams of a run, of the list of runs and of the inbox: they read and send. Nothing here changes a run."""

from runner.consumers.draft_socket import DraftConsumer
from runner.consumers.inbox_socket import InboxConsumer
from runner.consumers.run_socket import RunConsumer
from runner.consumers.runs_socket import RunsConsumer

__all__ = ["DraftConsumer", "InboxConsumer", "RunConsumer", "RunsConsumer"]
