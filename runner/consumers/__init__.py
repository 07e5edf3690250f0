"""The live stream of a run: it reads events and sends them. Nothing here changes a run."""

from runner.consumers.run_socket import RunConsumer

__all__ = ["RunConsumer"]
