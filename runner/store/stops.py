"""The incident switch in the tables: setting it, reading it, and remembering it as long as its number stands.

Every claim reads that number in the statement that locks its run (`STOPS_VERSION`), so that a stop counts for the
next claim of every worker, and costs none of them a statement of its own.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import connection, transaction

from runner.store.clock import now_sql
from runner.store.codec.stored import from_text, to_text
from runner.store.sql import execute, fetch

#: An SQL expression: the number that changes with each stop and each release; NULL: nothing was ever stopped.
STOPS_VERSION = "(SELECT version FROM runner_stopsversion WHERE id = 1)"

#: An SQL condition on a run `r`: it is stopped as a whole. Stops of tools hold single steps, and are not in it.
RUN_IS_STOPPED = (
    "EXISTS (SELECT 1 FROM runner_stop x WHERE x.released_at IS NULL"
    " AND (x.scope = 'all' OR (x.scope = 'flow' AND x.target = r.flow_id)))"
)

_WAKE_BATCH = 500


@dataclass(frozen=True, slots=True)
class ActiveStop:
    """One stop that nobody has released. `at`: milliseconds since the epoch; `actor`: as events name people."""

    id: int
    scope: str
    target: str
    reason: str
    actor: dict[str, Any]
    at: int

    @property
    def by(self) -> str:
        """Who stopped it."""
        return str(self.actor.get("name") or self.actor.get("kind") or "somebody")


@dataclass(frozen=True, slots=True)
class Stops:
    """All that is stopped, as of one number of the switch."""

    version: int = 0
    everything: ActiveStop | None = None
    flows: Mapping[str, ActiveStop] = field(default_factory=dict)
    tools: Mapping[str, ActiveStop] = field(default_factory=dict)

    def of_flow(self, flow_id: str | None) -> ActiveStop | None:
        """What keeps runs of a flow from starting and going on, or None."""
        return self.everything or self.flows.get(flow_id or "")

    def of_tool(self, name: str) -> ActiveStop | None:
        """What keeps a tool from being called, or None."""
        return self.tools.get(name)

    def __bool__(self) -> bool:
        return bool(self.everything or self.flows or self.tools)


_remembered = Stops()


def stops_at(version: int) -> Stops:
    """What is stopped at this number of the switch; asks the database only where the number is a new one."""
    global _remembered
    if version != _remembered.version:
        _remembered = read_stops() if version else Stops()
    return _remembered


def read_stops() -> Stops:
    """What is stopped now: one statement, so that the number and the rows belong together."""
    rows = fetch(
        "SELECT v.version, s.id, s.scope, s.target, s.reason, s.actor, s.at FROM runner_stopsversion v"
        " LEFT JOIN runner_stop s ON s.released_at IS NULL ORDER BY s.id"
    )
    stops = [
        ActiveStop(id_, scope, target, reason, from_text(actor) or {}, at)
        for _, id_, scope, target, reason, actor, at in rows
        if id_ is not None
    ]
    return Stops(
        rows[0][0] if rows else 0,
        next((one for one in stops if one.scope == "all"), None),
        {one.target: one for one in stops if one.scope == "flow"},
        {one.target: one for one in stops if one.scope == "tool"},
    )


def add_stop(scope: str, target: str, reason: str, actor: Mapping[str, Any]) -> int | None:
    """Stop something; gives the stop's id, or None if it is stopped already. Call it in a transaction."""
    _turn_switch()
    made = fetch(
        "INSERT INTO runner_stop (scope, target, reason, actor, at, release_note)"
        f" VALUES (%s, %s, %s, %s, {now_sql()}, '')"
        " ON CONFLICT (scope, target) WHERE released_at IS NULL DO NOTHING RETURNING id",
        [scope, target, reason, to_text(dict(actor))],
    )
    return int(made[0][0]) if made else None


def end_stop(stop_id: int, note: str, actor: Mapping[str, Any]) -> bool:
    """Release a stop; False if somebody has done so before. Call it in a transaction."""
    _turn_switch()
    ended = execute(
        f"UPDATE runner_stop SET released_at = {now_sql()}, release_note = %s, release_actor = %s"
        " WHERE id = %s AND released_at IS NULL",
        [note, to_text(dict(actor)), stop_id],
    )
    return ended == 1


def _turn_switch() -> None:
    """Take the switch's one row: stops and releases come one after another. It begins at a number of chance, so
    that no process mistakes a new database's for one that it remembers."""
    execute(
        "INSERT INTO runner_stopsversion (id, version) VALUES (1, %s)"
        " ON CONFLICT (id) DO UPDATE SET version = runner_stopsversion.version + 1",
        [1 + secrets.randbits(48)],
    )


def wake_pending_steps() -> int:
    """Let the sweeper hand on at once what it has handed on in vain; gives how many steps.

    In small transactions that wait for nobody: a step that is locked now is about to move by itself.
    """
    lock = " FOR UPDATE SKIP LOCKED" if connection.vendor == "postgresql" else ""
    now, woken = now_sql(), 0
    while True:
        with transaction.atomic():
            found = execute(
                "WITH due AS MATERIALIZED (SELECT id FROM runner_steprun WHERE status = 'pending'"
                f" AND hint_at > {now} AND not_before <= {now} AND dispatch_count > 0 LIMIT %s{lock})"
                f" UPDATE runner_steprun SET hint_at = {now}, dispatch_count = 0"
                " WHERE id IN (SELECT id FROM due) AND status = 'pending'",
                [_WAKE_BATCH],
            )
        woken += found
        if found < _WAKE_BATCH:
            return woken
