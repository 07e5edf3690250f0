"""How values lie in the shared cache: as numbers and JSON, never as pickles. What is cached is not known here."""

from __future__ import annotations

import json
from typing import Any


class JsonSerializer:
    """Whole numbers as they are, so that Redis can count them; everything else as JSON."""

    def dumps(self, value: Any) -> int | bytes:
        """The value for Redis. Raises TypeError for what is no JSON."""
        return value if type(value) is int else json.dumps(value).encode()

    def loads(self, data: bytes) -> Any:
        """The value from Redis."""
        return json.loads(data)
