"""What a run that happened was made of: inputs, replies of its calls, decisions, acts. Read from its rows alone.

Recording a flow test (recording.py) and replaying a draft (safe_replay.py) both begin here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from runner.engine.events import Event
from runner.engine.program import Program
from runner.engine.rows import ApprovalRow, DecisionRow, RunRow, StepRow, Usage
from runner.engine.slice import Slice
from runner.engine.statuses import RUN_ENDED, StepStatus
from runner.simulation.flow_test_file import Action, Decision, EventPattern, Reply, ReplyUsage
from runner.simulation.people import matches
from runner.simulation.runs import SimulatedRun
from runner.simulation.standins import Identity, queue_of

#: Types of steps whose work is done outside the engine.
CALLS = frozenset({"tool_call", "handler", "llm_call", "agent"})

#: Errors that a step has without a call: nothing was sent, nothing came back.
WITHOUT_A_CALL = frozenset({"tool_denied", "approval_expired", "cost_limit", "canceled"})

STAND_IN_TEXT, STAND_IN_NUMBER = "covered", 0


@dataclass(frozen=True)
class RecordedCall:
    """One call of a run: which queue, by which attempt, with what, and what came back.

    `sensitive`: what it was given or gave may hold sensitive values. `tool`: the tool that was called, if any.
    """

    queue: str
    node: str
    identity: Identity
    given: dict[str, Any]
    reply: Reply
    sensitive: bool = False
    tool: str | None = None


@dataclass(frozen=True)
class RecordedRun:
    """A run as it was. `troubles`: what of it the records do not tell, in sentences for people.

    `asked`: the tools whose calls asked for an approval. `has_secrets`: a sensitive key of its state, or of
    a sub-flow's, had a value.
    """

    run: RunRow
    program: Program
    state: dict[str, Any]
    events: Sequence[Event]
    calls: tuple[RecordedCall, ...]
    decisions: tuple[Decision, ...] = ()
    actions: tuple[Action, ...] = ()
    asked: frozenset[str] = frozenset()
    result: Any = None
    final: dict[str, Any] = field(default_factory=dict)
    has_secrets: bool = False
    troubles: tuple[str, ...] = ()

    @property
    def is_ended(self) -> bool:
        """Whether nothing happens in it any more."""
        return self.run.status in RUN_ENDED


def recorded(runs: Sequence[SimulatedRun]) -> RecordedRun:
    """Read a run, the first, and the runs of its sub-flows. Their stores hold all rows, with decisions."""
    root = runs[0]
    row = root.store.run
    slice_ = Slice(row, root.store)
    troubles: list[str] = []
    if row.forked_from is not None:
        troubles.append("It is a fork: it goes on from the middle of another run, where no new run begins.")
    if row.moved_at is not None:
        troubles.append("It was moved to another version while it went on.")
    calls = [call for run in runs for call in _calls(run, troubles)]
    state = {one.key: slice_.load(one.stored) for one in root.store.scope_values(1, ("v",))}
    return RecordedRun(
        run=row,
        program=root.program,
        state=slice_.load(row.inputs),
        events=root.store.events,
        calls=tuple(calls),
        decisions=tuple(_decisions(runs)),
        actions=tuple(_actions(root)),
        asked=frozenset(one.tool for run in runs for one in run.store.rows("approvals") if one.kind == "tool"),
        result=None if row.result is None else slice_.load(row.result),
        final=state,
        has_secrets=any(_has_secrets(run) for run in runs),
        troubles=tuple(dict.fromkeys(troubles)),
    )


def _has_secrets(run: SimulatedRun) -> bool:
    secret = run.program.sensitive_keys
    return any(row.kind == "v" and row.key in secret for row in run.store.rows("values"))


# --- calls ----------------------------------------------------------------------------------------------


def _calls(run: SimulatedRun, troubles: list[str]) -> Iterator[RecordedCall]:
    slice_ = Slice(run.store.run, run.store)
    steps: list[StepRow] = run.store.rows("steps")
    for row in sorted(steps, key=lambda one: (one.started_at or one.created_at, one.visit, one.attempt)):
        if row.type not in CALLS or row.input is None or row.fence == 0 or row.status is StepStatus.PENDING:
            continue
        if "fails_with" in (row.notes or {}):
            continue
        given = slice_.load(row.input)
        queue, _ = queue_of(row.node, row.type, given)
        known = row.node in run.program.order
        sensitive = run.program.node(row.node).sensitive if known else bool(run.program.sensitive_keys)
        replies = [*_turns(run, row, slice_, troubles), *_last_reply(run, row, slice_, given, troubles)]
        tool = str(given["tool"]) if row.type == "tool_call" else None
        for turn, reply in enumerate(replies):
            path = f"{run.label}{row.path}" + (f"#{turn}" if turn else "")
            yield RecordedCall(queue, row.node, (path, row.visit, row.attempt), given, reply, sensitive, tool)


def _turns(run: SimulatedRun, row: StepRow, slice_: Slice, troubles: list[str]) -> Iterator[Reply]:
    """What an agent's model asked for before its answer, turn by turn."""
    if row.type != "agent":
        return
    for event in run.store.events:
        if event.type != "step-waiting" or event.data.get("waits_for") != "calls":
            continue
        if (event.path, event.visit, event.attempt) != (row.path, row.visit, row.attempt):
            continue
        told = event.data.get("calls") or {}
        if "v" in told:
            calls = told["v"]
        elif "digest" in told:
            calls = json.loads(run.store.load(told["digest"]))
        else:
            troubles.append(f"What the agent {row.node} asked for is covered as sensitive.")
            calls = []
        asked = [{"tool": one["tool"], "arguments": one["arguments"]} for one in calls]
        yield Reply(tool_calls=tuple(asked))


def _last_reply(
    run: SimulatedRun, row: StepRow, slice_: Slice, given: dict[str, Any], troubles: list[str]
) -> Iterator[Reply]:
    """What came back in the end; nothing where nothing was called."""
    status, error = row.status, row.error or {}
    code = str(error.get("code", ""))
    if status is StepStatus.WAITING:
        return
    usage, after_ms = _usage(row.usage), max(0, (row.ended_at or 0) - (row.started_at or 0))
    if status is StepStatus.RUNNING or code == "operation_timeout":
        yield Reply(hang=True, usage=usage)
    elif status is StepStatus.CANCELED:
        if row.started_at is not None:
            yield Reply(hang=True, usage=usage)
    elif status is StepStatus.SUCCEEDED:
        yield Reply(**_given_back(run, row, slice_, given), usage=usage, after_ms=after_ms)
    elif status is StepStatus.BUDGET_EXHAUSTED:
        if row.usage:
            output = None if row.output is None else slice_.load(row.output)
            key = {"llm_call": "text", "agent": "text", "handler": "output"}.get(row.type, "result")
            yield Reply.model_validate({key: output, "usage": usage, "after_ms": after_ms})
    elif code == "output_invalid":
        yield Reply(text="", usage=usage, after_ms=after_ms)
    elif code not in WITHOUT_A_CALL:
        if code not in ("tool_failed", "provider_failed"):
            troubles.append(f"{row.path} failed with {code or 'an error'}; a test can only have its call fail.")
        yield Reply(error=str(error.get("message") or code or "failed"), usage=usage, after_ms=after_ms)


def _given_back(run: SimulatedRun, row: StepRow, slice_: Slice, given: dict[str, Any]) -> dict[str, Any]:
    output = None if row.output is None else slice_.load(row.output)
    if row.type == "handler":
        delta = [] if row.delta is None else slice_.load(row.delta)
        own = {key: operand for key, mode, operand in delta if mode == "set"}
        node = run.program.definition.nodes_by_id.get(row.node)
        if node is not None and node.output_variable is not None and output == own.get(node.output_variable):
            del own[node.output_variable]
        return {"delta": own, **({} if output is None else {"output": output})}
    if row.type in ("llm_call", "agent"):
        # Under a schema an answer that is a text is read as JSON.
        has_schema = given.get("output_schema") is not None
        return {"text": json.dumps(output) if has_schema and isinstance(output, str) else output}
    return {"result": output}


def _usage(used: Usage) -> ReplyUsage:
    if not used:
        return ReplyUsage()
    return ReplyUsage(
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cost_usd=used.cost_micros / 1_000_000,
        units=used.units,
    )


# --- people ---------------------------------------------------------------------------------------------


def _decisions(runs: Sequence[SimulatedRun]) -> Iterator[Decision]:
    found: list[tuple[int, Decision]] = []
    for run in runs:
        slice_ = Slice(run.store.run, run.store)
        given: dict[str, DecisionRow] = {one.approval_id: one for one in run.store.decisions}
        for approval in run.store.rows("approvals"):
            last = given.get(approval.id)
            if last is not None and last.verdict not in ("approved", "rejected"):
                continue
            shown = [*_approvals(approval, slice_), *([] if last is None else [_decision(approval, last, slice_)])]
            if last is not None and last.verdict == "approved" and len(shown) > 1:
                del shown[-2]  # the last approval is among those that were needed, too
            found += [(approval.created_at, Decision(**one)) for one in shown]
    return (decision for _, decision in sorted(found, key=lambda one: one[0]))


def _approvals(approval: ApprovalRow, slice_: Slice) -> Iterator[dict[str, Any]]:
    """What several people approved, where more than one had to; the first may have changed the arguments."""
    for place, one in enumerate(approval.approved_by):
        shown = _at(approval, one["at"], one.get("comment", ""))
        if place == 0 and approval.offer is not None:
            shown["arguments"] = slice_.load(approval.offer)
        yield shown


def _decision(approval: ApprovalRow, last: DecisionRow, slice_: Slice) -> dict[str, Any]:
    shown = _at(approval, last.at, last.comment) | {"approve": last.verdict == "approved"}
    if last.arguments is not None and not (approval.offer is not None and len(approval.approved_by) > 1):
        shown["arguments"] = slice_.load(last.arguments)
    form = None if last.form is None else slice_.load(last.form)
    return shown | {"form": form} if form else shown


def _at(approval: ApprovalRow, at: int, comment: str) -> dict[str, Any]:
    shown: dict[str, Any] = {"step": approval.path, "approve": True}
    if at > approval.created_at:
        shown["after_ms"] = at - approval.created_at
    if comment:
        shown["comment"] = comment
    return shown


_ACTS = {
    "run-paused": "pause",
    "run-resumed": "resume",
    "flow-canceled": "cancel",
    "step-retry-created": "retry_step",
    "signal-received": "signal",
}


def _actions(run: SimulatedRun) -> Iterator[Action]:
    """What people did to the run, each after an event that is the first of its like."""
    slice_ = Slice(run.store.run, run.store)
    signals = iter(sorted(run.store.rows("signals"), key=lambda row: row.n))
    for place, event in enumerate(run.store.events):
        act = _ACTS.get(event.type)
        signal = next(signals, None) if act == "signal" else None
        if act is None or event.actor.get("kind") == "engine" or (act == "signal" and signal is None):
            continue
        anchor = _anchor(_before(run.store.events[:place], event), event.path if act == "retry_step" else None)
        shown: dict[str, Any] = {"when": str(pattern_of(anchor)), "do": act}
        if event.ts > anchor.ts:
            shown["after_ms"] = event.ts - anchor.ts
        if act == "retry_step":
            shown |= {"step": event.path, **_changed_arguments(run, event, slice_)}
        if signal is not None:
            shown |= {"key": signal.key, "value": slice_.load(signal.value)}
        yield Action(**shown)


def _before(events: Sequence[Event], act: Event) -> Sequence[Event]:
    """The events before what somebody did: those by which a run's steps are canceled with it come of it."""
    end = len(events)
    while act.type == "flow-canceled" and end > 1 and (events[end - 1].type, events[end - 1].ts) == _with(act):
        end -= 1
    return events[:end]


def _with(act: Event) -> tuple[str, int]:
    return ("step-canceled", act.ts)


def _changed_arguments(run: SimulatedRun, event: Event, slice_: Slice) -> dict[str, Any]:
    """The arguments that a person gave for the attempt that they asked for, if they changed any."""
    rows: list[StepRow] = run.store.rows("steps")
    attempts = [row for row in rows if (row.path, row.visit) == (event.path, event.visit) and row.input is not None]
    old = next((row for row in attempts if row.attempt == event.attempt), None)
    new = next((row for row in attempts if row.attempt == (event.attempt or 0) + 1), None)
    if old is None or new is None or old.input is None or new.input is None or new.type != "tool_call":
        return {}
    before, after = (slice_.load(one)["arguments"] for one in (old.input, new.input))
    return {} if before == after else {"arguments": after}


def pattern_of(event: Event) -> EventPattern:
    """The pattern of an event as a test names it."""
    return EventPattern.model_validate(
        " ".join(str(part) for part in (event.type, event.path, event.attempt) if part is not None)
    )


def _anchor(before: Sequence[Event], path: str | None) -> Event:
    """The newest event that is the first of its like, of this step if one is named."""
    for event in reversed(before):
        if path is not None and (event.type, event.path) != ("step-error", path):
            continue
        pattern = pattern_of(event)
        if next(one for one in before if matches(pattern, one)) is event:
            return event
    return before[0]


# --- stand-ins for sensitive values ---------------------------------------------------------------------


def covered(value: Any) -> Any:
    """The same shape with nothing of what stood in it: texts and numbers are replaced, keys are kept."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, str):
        return STAND_IN_TEXT
    if isinstance(value, (int, float)):
        return STAND_IN_NUMBER
    if isinstance(value, dict):
        return {key: covered(item) for key, item in value.items()}
    return [covered(item) for item in value]


def covered_reply(reply: Reply) -> Reply:
    """A reply with stand-ins for every value in it; how it ended and what it used stay."""
    shown = reply.model_dump(exclude_unset=True)
    for key in ("result", "text", "delta", "output"):
        if key in shown:
            shown[key] = covered(shown[key])
    if "tool_calls" in shown:
        shown["tool_calls"] = [
            {"tool": one["tool"], "arguments": covered(one["arguments"])} for one in shown["tool_calls"]
        ]
    if shown.get("error") is not None:
        shown["error"] = STAND_IN_TEXT
    return Reply.model_validate(shown)


def tools_called(calls: Iterable[RecordedCall]) -> set[str]:
    """The tools that were called."""
    return {call.tool for call in calls if call.tool is not None}
