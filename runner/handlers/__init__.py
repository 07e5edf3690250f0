"""Handlers: the code that performs each effectful node type's work. They see values, never rows.

`run_step(command, context)` is the way in; `@handler` offers an app's own code to `handler` nodes.
"""

from runner.handlers.base import Dispatcher, StepContext, StepFailure, StepResult
from runner.handlers.choosing import dispatcher_for
from runner.handlers.registry import HANDLERS, Handler, HandlerRegistry, handler
from runner.handlers.running import has_work, register_work, run_step

__all__ = [
    "HANDLERS",
    "Dispatcher",
    "Handler",
    "HandlerRegistry",
    "StepContext",
    "StepFailure",
    "StepResult",
    "dispatcher_for",
    "handler",
    "has_work",
    "register_work",
    "run_step",
]
