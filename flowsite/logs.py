"""Log lines as JSON, one object a line: what happened, and to which run, step, request and person.

Only the keys of KEPT come out, whatever code or libraries attach to a record: no request, no arguments, no values.
"""

from __future__ import annotations

import logging
from typing import Any

from django.core.exceptions import PermissionDenied
from pythonjsonlogger.json import JsonFormatter

from editor.log_context import FIELDS, bound_fields
from flowsite.requests import request_fields

REQUEST_FIELDS = ("request_id", "user_id", "method", "route", "status", "duration_ms")
KEPT = ("timestamp", "level", "logger", "message", *FIELDS, *REQUEST_FIELDS, "exc_info", "stack_info")


class AddContext(logging.Filter):
    """Puts what is known about the work at hand onto each record. It never refuses one."""

    def filter(self, record: logging.LogRecord) -> bool:
        about = getattr(record, "request", None)  # Django attaches it to what it says about a finished request
        for name, value in {**request_fields(about), **bound_fields()}.items():
            if not hasattr(record, name):
                setattr(record, name, value)
        return True


class RefusalsInOneLine(logging.Filter):
    """Takes the traceback off what Django says about a refused request: the rules worked. It never refuses a record."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and isinstance(record.exc_info[1], PermissionDenied):
            record.exc_info = record.exc_text = None
        return True


class OneLine(JsonFormatter):
    """A record as one JSON object with the keys of KEPT, those that it has."""

    def __init__(self, *_: Any, **__: Any) -> None:
        renamed = {"levelname": "level", "name": "logger"}
        super().__init__("%(levelname)s %(name)s %(message)s", rename_fields=renamed, timestamp=True)

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        return {name: log_data[name] for name in KEPT if log_data.get(name) is not None}
