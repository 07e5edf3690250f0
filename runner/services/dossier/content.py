"""What a dossier says of a run, from its rows: facts, approvals, artifacts, large values. Writing it is making.py's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from editor.language.canonical import canonical_text, digest_of_text
from editor.models import FlowVersion
from runner.engine.events import Event
from runner.engine.retry import step_run_id
from runner.models import Approval, Artifact, Decision, Run, StepRun, to_ms
from runner.services.sensitive import Covers, sensitive_inputs
from runner.store.history import events_until

SEALED = {"sealed": True}
_VALUES = ("input", "output", "delta")
ROWS_AT_ONCE = 100


@dataclass
class Followed:
    """What is kept of a history while it is written down."""

    asked: list[Event] = field(default_factory=list)
    decided: dict[str, list[Event]] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    named: set[str] = field(default_factory=set)
    """Digests by which events name values."""
    public: list[Event] = field(default_factory=list)

    def take(self, event: Event, most_shown: int) -> None:
        """Keep what other files need of an event."""
        data = event.data
        if event.type in ("flow-start", "run-forked"):
            self.documents.append(data.get("content_hash", ""))
        elif event.type == "run-moved":
            self.documents.append(data["to"]["content_hash"])
        elif event.type == "approval-requested":
            self.asked.append(event)
        elif event.type == "approval-decided":
            self.decided.setdefault(data["approval"], []).append(event)
        elif event.type == "artifact-created":
            self.made.append(data["artifact"]["id"])
        for name in (*_VALUES, "result", "value"):
            told = data.get(name)
            if isinstance(told, dict) and isinstance(told.get("digest"), str):
                self.named.add(told["digest"])
        if event.level == "public" and len(self.public) < most_shown:
            self.public.append(event)


def events_of(run: Run) -> Iterator[Event]:
    """The history, in order."""
    yield from events_until(run.pk, run.seq)


def facts_of(run: Run, *, reveal: bool) -> dict[str, Any]:
    """The run itself: which version, who started it with which inputs, how it ended."""
    covered = frozenset() if reveal else sensitive_inputs(run)
    inputs = run.value_of("inputs") or {}
    facts: dict[str, Any] = {
        "id": run.pk,
        "flow": run.flow_id,
        "version": run.version.number,
        "content_hash": run.version.content_hash,
        "skills": run.version.skills,
        "preset": run.preset,
        "status": run.status,
        "started_by": run.actor,
        "started_ts": to_ms(run.started_at),
        "ended_ts": to_ms(run.ended_at) if run.ended_at else None,
        "parent_run": run.parent_run,
        "forked_from": run.forked_from,
        "forked_seq": run.forked_seq,
        "inputs": {name: SEALED if name in covered else value for name, value in inputs.items()},
        "error": run.error,
        "attempts": run.steps,
        "usage": {name: getattr(run, name) for name in ("input_tokens", "output_tokens", "cost_micros", "units")},
    }
    if not covered:  # a result may be made of what is sensitive
        facts["result"] = run.value_of("result")
    return facts


def approvals_of(run: Run, followed: Followed, *, reveal: bool) -> Iterator[dict[str, Any]]:
    """What was shown, who decided what, what it was changed to, and what the call was made with."""
    covers = Covers(run)
    for event, approval, step in _asked_with_rows(run, followed.asked):
        is_open = reveal or not covers.value("s", event.step or "")
        told = followed.decided.get(approval.pk, [])
        row: dict[str, Any] = {
            "id": approval.pk,
            "kind": approval.kind,
            "path": event.path,
            "visit": event.visit,
            "attempt": event.attempt,
            "tool": approval.tool,
            "title": approval.title if is_open else "",
            "reasons": approval.reasons,
            "status": approval.status,
            "asked_ts": event.ts,
            "shown": _shown(approval.value_of("arguments"), is_open),
            "decisions": [_decision(one, event.path, is_open) for one in told],
        }
        final: Decision | None = getattr(approval, "decision", None)
        if final is not None and row["decisions"]:
            if final.arguments is not None or final.arguments_ref is not None:
                row["decisions"][-1]["changed"] = _shown(final.value_of("arguments"), is_open)
            if final.form is not None or final.form_ref is not None:
                row["decisions"][-1]["form"] = _shown(final.value_of("form"), is_open)
        if approval.kind == "tool" and _was_called(told, step):
            given = step.value_of("input") if step is not None else {}
            row["executed"] = _shown(given.get("arguments"), is_open)
        yield row


def _asked_with_rows(run: Run, asked: Sequence[Event]) -> Iterator[tuple[Event, Approval, StepRun | None]]:
    """Each question with its row, its decision and its step run: some at a time, in three questions to the database."""
    for begin in range(0, len(asked), ROWS_AT_ONCE):
        some = asked[begin : begin + ROWS_AT_ONCE]
        approvals = Approval.objects.select_related("decision").in_bulk([event.data["approval"] for event in some])
        names = [step_run_id(run.pk, one.path or "", one.visit or 0, one.attempt or 0) for one in some]
        steps = StepRun.objects.defer("output", "delta", "late_output").in_bulk(names)
        for event, name in zip(some, names, strict=True):
            yield event, approvals[event.data["approval"]], steps.get(name)


def _decision(event: Event, path: str | None, is_open: bool) -> dict[str, Any]:
    data = event.data
    row: dict[str, Any] = {
        "path": path,
        "verdict": data["verdict"],
        "actor": event.actor,
        "ts": event.ts,
        "comment": data.get("comment", ""),
        "seq": event.seq,
    }
    if "v" in data.get("changed", {}):
        row["changed"] = _shown(data["changed"]["v"], is_open)
    return row


def _was_called(told: list[Event], step: StepRun | None) -> bool:
    approved = bool(told) and told[-1].data["verdict"] == "approved" and not told[-1].data.get("outstanding")
    return approved and step is not None and step.status not in ("pending", "waiting")


def _shown(value: Any, is_open: bool) -> dict[str, Any]:
    return {"value": value} if is_open else dict(SEALED)


def documents_of(run: Run, followed: Followed) -> Iterator[tuple[str, str]]:
    """Content hash and canonical text of each version that the run was bound to."""
    for content_hash in dict.fromkeys(followed.documents):
        rows = FlowVersion.objects.filter(content_hash=content_hash)
        version = rows.filter(flow=run.flow_id).order_by("pk").first() or rows.order_by("pk").first()
        if version is not None:
            yield content_hash, canonical_text(json.loads(version.document))


def artifacts_of(run: Run, followed: Followed) -> Iterator[tuple[Artifact, bool]]:
    """The artifacts in the order in which they were made; False: taken over from the run of which it is a fork."""
    made = {key: place for place, key in enumerate(followed.made)}
    rows = Artifact.objects.filter(run=run).defer("content")  # the contents one at a time in memory
    for row in sorted(rows, key=lambda one: (made.get(one.pk, -1), one.pk)):
        yield Artifact.objects.get(pk=row.pk), row.pk in made


def large_values(run: Run, followed: Followed) -> Iterator[tuple[str, str]]:
    """Digest and canonical text of each value that an event names by digest, one at a time."""
    left = set(followed.named)
    rows = StepRun.objects.filter(run=run).order_by("pk").values_list("pk", flat=True)
    for step_id in rows.iterator(chunk_size=200):
        if not left:
            return
        step = StepRun.objects.defer("late_output").get(pk=step_id)
        for name in _VALUES:
            if getattr(step, f"{name}_size") < 1_000:
                continue
            text = canonical_text(step.value_of(name))
            digest = digest_of_text(text)
            if digest in left:
                left.discard(digest)
                yield digest, text
