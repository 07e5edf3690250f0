"""Fills a database as years of use would: flows, people, runs, steps, events, approvals, by a few statements of SQL.

The rows are for lists and pages only: hashes are no hashes, and no run of them can go on. Both databases.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django.contrib.auth.models import Group, User
from django.db import connection, models

from editor.models import AuditEntry, Draft, Flow, FlowVersion
from runner.models import (
    Approval,
    Artifact,
    Blob,
    Decision,
    Event,
    Run,
    RunFact,
    Scope,
    SignedHead,
    StateValue,
    StepRun,
    Timer,
)

FIRST_MS = 1_750_000_000_000
"""When the first run started."""
GAP_MS = 97_000
"""Between the starts of two runs."""
CLERKS = 40
"""People who start runs, in no group: each sees what they started."""
SMALL_GROUP = "treasury"
"""A group of few approvals, beside `reviewer`, which has many."""
_NODES = [f"n{place}" for place in range(8)]
DOCUMENT: dict[str, Any] = {
    "format": 1,
    "inputs": [{"name": "subject", "type": "short_text"}],
    "nodes": [{"id": node, "type": "transform", "config": {"fields": {"made_by": node}}} for node in _NODES],
    "edges": [{"source": one, "target": other} for one, other in pairwise(_NODES)],
}


@dataclass(frozen=True)
class Crowd:
    """How much there is. A run has `steps` step runs and `events` events; one long run has `long` times as many.

    One run of `waiting` (an even number, at most 200) waits for an approval.
    """

    runs: int = 3_000
    steps: int = 6
    events: int = 25
    flows: int = 60
    audits: int = 3_000
    long: int = 40
    waiting: int = 200

    def is_live(self, place: str) -> str:
        """SQL: whether the run of this number goes on."""
        return f"({place} % 200 = 0 OR {place} % {self.waiting} = 1 OR {place} % 997 = 2)"


def run_id(place: str) -> str:
    """SQL for the id of a run, by its number from 0. Ids are spread as random ones are."""
    return f"md5('run-' || CAST({place} AS text))"


def fill(crowd: Crowd, people: Mapping[str, User]) -> None:
    """Make the rows. `people` has at least `analyst`; everything is in proportion to the number of runs."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET statement_timeout = 0")  # the site's own limit is for what people wait for
        _fill(cursor, crowd, people)
        if connection.vendor == "postgresql":
            cursor.execute("RESET statement_timeout")


def _fill(cursor: Any, crowd: Crowd, people: Mapping[str, User]) -> None:
    clerks = _make_clerks()
    _make_flows(crowd, people["analyst"])
    _make_runs(crowd, clerks, people["analyst"].pk)
    _make_steps(crowd)
    _make_events(crowd)
    _make_approvals(crowd)
    _make_values(crowd)
    _insert(
        AuditEntry,
        crowd.audits,
        actor_kind="'user'", actor_id="'1'", actor_name="'analyst'", action="'saved'", object_type="'draft'",
        object_id=f"'crowd-' || CAST(i % {crowd.flows} AS text)", before="NULL", after="NULL", at="CURRENT_TIMESTAMP",
    )  # fmt: skip
    # Without a count of rows the planner guesses, in tests as in a site that nothing has analysed yet.
    cursor.execute("ANALYZE")


def _make_clerks() -> list[int]:
    Group.objects.get_or_create(name=SMALL_GROUP)
    User.objects.bulk_create([User(username=f"clerk-{place:02}", password="!") for place in range(CLERKS)])
    found = list(User.objects.filter(username__startswith="clerk-").order_by("pk").values_list("pk", flat=True))
    assert found == list(range(found[0], found[0] + CLERKS)), "keys of one statement follow one another"
    return found


def _make_flows(crowd: Crowd, owner: User) -> None:
    ids = [f"crowd-{place}" for place in range(crowd.flows)]
    names = {flow: f"Flow of department {place}" for place, flow in enumerate(ids)}
    Flow.objects.bulk_create([Flow(id=flow, name=names[flow], owner=owner, last_number=1) for flow in ids])
    texts = {flow: json.dumps({**DOCUMENT, "id": flow, "name": names[flow]}) for flow in ids}
    Draft.objects.bulk_create([Draft(flow_id=flow, document=texts[flow], updated_by=owner) for flow in ids])
    FlowVersion.objects.bulk_create(
        FlowVersion(
            flow_id=flow, number=1, kind="published", document=texts[flow], content_hash=f"v1:{flow}",
            logic_hash=f"v1:{flow}", structure_hash="v1:crowd", created_by=owner,
        )
        for flow in ids
    )  # fmt: skip


def _make_runs(crowd: Crowd, clerks: list[int], analyst: int) -> None:
    flow = f"'crowd-' || CAST((i * i) % {crowd.flows} AS text)"
    started = f"{FIRST_MS} + i * {GAP_MS}"
    status = (
        "CASE WHEN i % 200 = 0 THEN 'active'"
        f" WHEN i % {crowd.waiting} = 1 THEN 'awaiting_approval' WHEN i % 997 = 2 THEN 'paused'"
        " WHEN i % 12 = 3 THEN 'failed' WHEN i % 40 = 4 THEN 'canceled' ELSE 'succeeded' END"
    )
    live = crowd.is_live("i")
    _insert(
        Run,
        crowd.runs,
        id=run_id("i"),
        flow_id=flow,
        version_id=f"(SELECT v.id FROM editor_flowversion v WHERE v.flow_id = {flow} AND v.number = 1)",
        status=status,
        seq=f"CASE WHEN i = 0 THEN {crowd.events * crowd.long} ELSE {crowd.events} END",
        steps=f"CASE WHEN i = 0 THEN {crowd.steps * crowd.long} ELSE {crowd.steps} END",
        live=f"CASE WHEN {live} THEN 1 ELSE 0 END",
        policy="'{}'",
        inputs="'{\"subject\":\"' || md5(CAST(i AS text)) || '\"}'",
        inputs_size="46",
        result=f"CASE WHEN {live} THEN NULL ELSE '\"{'x' * 400}\"' END",
        result_size="402",
        preset="CASE WHEN i % 50 = 7 THEN 'deep' WHEN i % 4 > 1 THEN 'standard' ELSE NULL END",
        failed_steps="CASE WHEN i % 400 = 5 THEN 1 ELSE 0 END",
        error='CASE WHEN i % 12 = 3 THEN \'{"code":"tool_failed","message":"no","path":"n3"}\' ELSE NULL END',
        started_by_id=f"CASE WHEN i % 3 = 0 THEN {analyst} ELSE {clerks[0]} + i % {CLERKS} END",
        actor='\'{"id":"1","kind":"user","name":"somebody"}\'',
        starter="'user:1'",
        started_at=started,
        ended_at=f"CASE WHEN {live} THEN NULL ELSE {started} + 60000 END",
    )


def _make_steps(crowd: Crowd) -> None:
    def steps(count: int, run: str, place: str, node: str, live: str) -> None:
        ended = f"CASE WHEN {live} THEN NULL ELSE {FIRST_MS} + {place} END"
        failed = f"{place} % 7 = 3 AND i % 3 = 0"
        _insert(
            StepRun,
            count,
            id="md5('step-' || CAST(i AS text) || '-" + str(count) + "')",
            run_id=run,
            node=node,
            type="'transform'",
            path=node,
            visit="1",
            attempt="1",
            scope="1",
            region="1",
            status=f"CASE WHEN {live} THEN 'waiting' WHEN {failed} THEN 'failed' ELSE 'succeeded' END",
            worker="'worker@host:1'",
            created_at=f"{FIRST_MS} + {place}",
            started_at=f"{FIRST_MS} + {place}",
            ended_at=ended,
            restorable=f"({failed})",
            input="'{}'",
            output=f"'\"{'y' * 200}\"'",
            error=f'CASE WHEN {failed} THEN \'{{"code":"tool_failed","message":"no"}}\' ELSE NULL END',
        )

    per, many = crowd.steps, crowd.steps * crowd.long
    run = f"(i / {per} + 1)"
    is_live = f"(i % {per} = {per - 1} AND {crowd.is_live(run)})"
    steps((crowd.runs - 1) * per, run_id(run), f"(i / {per})", f"'n' || CAST(i % {per} AS text)", is_live)
    steps(many, run_id("0"), "i", "'loop[' || CAST(i AS text) || '].n1'", f"(i = {many - 1})")


def _make_events(crowd: Crowd) -> None:
    def events(count: int, run: str, seq: str) -> None:
        text = (
            '\'{"actor":{"kind":"engine"},"attempt":1,"data":{},"level":"public","path":"n1","prev":"","seq":\''
            f' || CAST({seq} AS text) || \',"step":"n1","ts":1750000000000,"type":"step-complete","visit":1}}\''
        )
        _insert(
            Event,
            count,
            run_id=run,
            seq=seq,
            type=f"CASE WHEN {seq} = 1 THEN 'flow-start' ELSE 'step-complete' END",
            level="CASE WHEN i % 3 = 0 THEN 'detail' ELSE 'public' END",
            ts=f"{FIRST_MS} + {seq} * 100",
            actor='\'{"kind":"engine"}\'',
            step="'n1'",
            path="'n1'",
            visit="1",
            attempt="1",
            text=text,
            prev="'v1:0'",
            hash="'v1:1'",
        )

    per = crowd.events
    events((crowd.runs - 1) * per, run_id(f"(i / {per} + 1)"), f"(i % {per} + 1)")
    events(per * crowd.long, run_id("0"), "(i + 1)")


def _make_approvals(crowd: Crowd) -> None:
    """Every other run asked once. Most is decided; a hundredth is for a small group; a few are open (`waiting`)."""
    run = "(i * 2 + 1)"
    step = f"md5('step-' || CAST(({run} - 1) * {crowd.steps} AS text) || '-{(crowd.runs - 1) * crowd.steps}')"
    count = crowd.runs // 2
    status = (
        f"CASE WHEN i % {crowd.waiting // 2} = 0 THEN 'open'"
        " WHEN i % 10 = 1 THEN 'rejected' WHEN i % 50 = 2 THEN 'expired'"
        " WHEN i % 50 = 4 THEN 'canceled' ELSE 'approved' END"
    )
    _insert(
        Approval,
        count,
        id="md5('approval-' || CAST(i AS text))",
        run_id=run_id(run),
        kind="'tool'",
        step_run_id=step,
        node="'n0'",
        path="'n0'",
        visit="1",
        status=status,
        tool="'pay_invoice'",
        arguments="'{\"amount\":12}'",
        arguments_size="13",
        digest="'v1:' || md5(CAST(i AS text))",
        reasons="'[]'",
        group=f"CASE WHEN i % 100 = 50 THEN '{SMALL_GROUP}' WHEN i % 3 = 0 THEN NULL ELSE 'reviewer' END",
        assignees="'[]'",
        title="'Pay ' || CAST(i AS text)",
        created_at=f"{FIRST_MS} + {run} * {GAP_MS} + 1000",
        expires_at=f"{FIRST_MS} + {run} * {GAP_MS} + 604800000",
    )
    decided = f"i % {crowd.waiting // 2} <> 0 AND i % 50 <> 2 AND i % 50 <> 4"
    _insert(
        Decision,
        count,
        where=decided,
        run_id=run_id(run),
        approval_id="md5('approval-' || CAST(i AS text))",
        verdict="CASE WHEN i % 10 = 1 THEN 'rejected' ELSE 'approved' END",
        actor='\'{"id":"1","kind":"user","name":"reviewer"}\'',
        at=f"{FIRST_MS} + {run} * {GAP_MS} + 30000",
        comment="'fine'",
    )


def _make_values(crowd: Crowd) -> None:
    """What else a run leaves, one of each kind: an artifact, a value, a scope, a timer, a signature, some a blob."""
    step = f"md5('step-' || CAST(i * {crowd.steps} AS text) || '-{(crowd.runs - 1) * crowd.steps}')"
    run = run_id("(i + 1)")
    at = f"{FIRST_MS} + (i + 1) * {GAP_MS}"
    count = crowd.runs - 1
    _insert(
        Artifact, count, run_id=run, id="md5('artifact-' || CAST(i AS text))", artifact="'report'", step_run_id=step,
        scope="1", type="'markdown'", filename="'report.md'", content="'\"# Report\"'", created_at=at,
    )  # fmt: skip
    given = {"run_id": run_id("i"), "started_at": f"{FIRST_MS} + i * {GAP_MS}", "kind": "'input'"}
    _insert(RunFact, crowd.runs, key="'subject'", value="md5(CAST(i AS text))", **given)
    _insert(RunFact, crowd.runs, key="'country'", value="CASE WHEN i % 90 = 1 THEN 'li' ELSE 'fr' END", **given)
    given["kind"] = "'error'"
    for word, place in (("tool_failed", "i % 12 = 3"), ("timeout", "i % 24 = 3"), ("step_failed", "i % 400 = 5")):
        _insert(RunFact, crowd.runs, where=place, key="''", value=f"'{word}'", **given)
    _insert(StateValue, count, run_id=run, scope="1", kind="'s'", key="'subject'", value="'\"x\"'", value_size="3")
    _insert(Scope, count, run_id=run, n="1", kind="'root'", status="'open'", entries="'[]'")
    _insert(
        Timer, count, id="md5('timer-' || CAST(i AS text))", run_id=run, kind="'expiry'", due_at=f"{at} + 604800000",
        status="CASE WHEN i % 200 < 2 THEN 'armed' ELSE 'fired' END",
    )  # fmt: skip
    _insert(SignedHead, count, run_id=run, seq=str(crowd.events), hash="'v1:1'", signature="'s'", key_id="'k'", at=at)
    _insert(Blob, count, where="i % 50 = 0", run_id=run, digest="'v1:blob'", text=f"'\"{'z' * 2000}\"'", size="2002")


def _insert(model: type[models.Model], count: int, where: str = "", **given: str) -> None:
    """Insert `count` rows; `given` is SQL of the number `i` for each column, every other column has its default."""
    names, values, literals = [], [], []
    for field in model._meta.concrete_fields:
        if field.primary_key and field.attname not in given:
            continue  # the database counts
        expression = given.pop(field.attname, None)
        if expression is None and field.has_db_default():
            continue
        names.append(connection.ops.quote_name(field.column))
        if expression is None:
            values.append("%s")
            default = None if field.null and not field.has_default() else field.get_default()
            literals.append(field.get_db_prep_save(default, connection))
        else:
            values.append(expression.replace("%", "%%"))
    assert not given, f"{model.__name__} has no columns {', '.join(given)}"
    condition = f" WHERE {where.replace('%', '%%')}" if where else ""
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH RECURSIVE numbers(i) AS (SELECT CAST(0 AS bigint) UNION ALL SELECT i + 1 FROM numbers"
            f" WHERE i + 1 < {count}) INSERT INTO {model._meta.db_table} ({', '.join(names)})"
            f" SELECT {', '.join(values)} FROM numbers{condition}",
            literals,
        )
