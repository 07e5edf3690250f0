"""The live streams of a run and of the inbox: they read and send. Nothing here changes a run."""

from runner.consumers.inbox_socket import InboxConsumer
from runner.consumers.run_socket import RunConsumer

__all__ = ["InboxConsumer", "RunConsumer"]
