"""Counts statements for tests of what things cost."""

from __future__ import annotations

from typing import Any


class Watch:
    """Counts statements, and adds up what they carry, while it is installed."""

    def __init__(self) -> None:
        self.statements: list[str] = []
        self.whole: list[tuple[str, Any]] = []
        self.bytes = 0

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        words = sql.split()
        self.statements.append(f"{words[0]} {words[2] if words[0] in ('INSERT', 'DELETE') else words[1]}")
        if words[0] in ("SELECT", "UPDATE", "INSERT", "DELETE", "WITH"):
            self.whole += [(sql, row) for row in (params if many else [params])]
        for row in params if many else [params]:
            self.bytes += sum(len(value.encode()) for value in row or () if isinstance(value, str))
        return execute(sql, params, many, context)
