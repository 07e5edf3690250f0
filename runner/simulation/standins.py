"""What stands in for tools, models and handlers: replies in order, and a ledger of the calls that got them.

When a reply comes and what becomes of it is the shell's; a call that a crash swallowed gives its reply back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from editor.language.errors import LanguageError
from editor.language.json_gate import load_json
from editor.language.state_schema import CompiledSchema
from runner.engine.commands import ExecuteStep
from runner.engine.happenings import StepFailed, StepFinished
from runner.simulation.flow_test_file import Reply

#: What a call is, whoever makes it: path (after the label of a child run), visit and attempt of its step.
Identity = tuple[str, int, int]


@dataclass(slots=True)
class Call:
    """One call: of which queue, by which attempt, with what, and the reply it gets."""

    queue: str
    identity: Identity
    given: Any
    reply: Reply
    number: int
    started_at: int
    lost: bool = False


class StandIns(Protocol):
    """Gives each call its reply, and the same one again if a crash swallowed it."""

    def begin(self, queue: str, identity: Identity, given: Any, now: int, *, whole: Any = None) -> Call:
        """`given` is what is noted of the call's input, `whole` all of it."""
        ...

    def lose(self, identity: Identity) -> None: ...


@dataclass
class Ledger:
    """All calls of a run, in the order in which they first began."""

    calls: list[Call] = field(default_factory=list)

    def resumed(self, queue: str, identity: Identity, given: Any) -> Call | None:
        """The call that this attempt made before a crash; it counts again. It must be the same call."""
        for call in self.calls:
            if call.identity == identity and call.queue == queue:
                if not call.lost:
                    raise AssertionError(f"{queue} is called twice by {identity}, which lost no call.")
                if call.given != given:
                    raise AssertionError(f"{identity} calls {queue} with {given} now and gave {call.given} before.")
                call.lost = False
                return call
        return None

    def enter(self, queue: str, identity: Identity, given: Any, reply: Reply, now: int) -> Call:
        """Note a new call."""
        call = Call(queue, identity, given, reply, len(self.calls), now)
        self.calls.append(call)
        return call

    def lose(self, identity: Identity) -> None:
        """The process that made this attempt's calls is gone and nothing of them was kept."""
        for call in self.calls:
            if call.identity == identity:
                call.lost = True

    def given(self, queue: str) -> list[Any]:
        """With what a tool, model or handler was called, in order."""
        return [call.given for call in self.calls if call.queue == queue and not call.lost]


class QueuedReplies(Ledger):
    """Replies of a flow test: used up in order for each queue, the last one repeats."""

    def __init__(self, replies: Mapping[str, Sequence[Reply]]) -> None:
        super().__init__()
        self._replies = replies

    def begin(self, queue: str, identity: Identity, given: Any, now: int, *, whole: Any = None) -> Call:
        """The reply for this call. Without any: null, an empty text, no change."""
        call = self.resumed(queue, identity, given)
        if call is not None:
            return call
        replies = self._replies.get(queue) or (_SILENT,)
        used = sum(other.queue == queue for other in self.calls)
        return self.enter(queue, identity, given, replies[min(used, len(replies) - 1)], now)


class AnsweredCalls(Ledger):
    """Replies worked out from the call itself: the same for every order of calls."""

    def __init__(self, answer: Callable[[str, Identity, Any], Reply]) -> None:
        super().__init__()
        self._answer = answer

    def begin(self, queue: str, identity: Identity, given: Any, now: int, *, whole: Any = None) -> Call:
        """The answer to this call."""
        call = self.resumed(queue, identity, given)
        return call or self.enter(queue, identity, given, self._answer(queue, identity, given), now)


_SILENT = Reply()


def identity_of(command: ExecuteStep, label: str = "") -> Identity:
    """What the call of this command is; each turn of an agent is a call of its own. `label`: of a child run."""
    turns = len(command.input["turns"]) if command.type == "agent" and command.input else 0
    path = label + command.path
    return (f"{path}#{turns}" if turns else path, command.visit, command.attempt)


def queue_of(node: str, type_: str, given: dict[str, Any]) -> tuple[str, Any]:
    """The queue that a step's call belongs to, and what is noted of its input."""
    if type_ == "tool_call":
        return str(given["tool"]), given["arguments"]
    if type_ == "handler":
        return f"handler:{node}", given["state"]
    if type_ in ("llm_call", "agent"):
        return f"llm:{node}", given["prompt"]
    raise AssertionError(f"A step of type {type_} has no stand-in.")


def end_of(
    call: Call, type_: str, step_id: str, fence: int, now: int, schema: dict[str, Any] | None
) -> StepFinished | StepFailed:
    """What a reply means for its step. `schema`: what a model's answer must fit."""
    reply = call.reply
    usage = reply.usage.as_usage()
    if reply.error is not None:
        code = "provider_failed" if type_ in ("llm_call", "agent") else "tool_failed"
        return StepFailed(now, step_id, fence, code, reply.error, usage=usage)
    if type_ == "handler":
        return StepFinished(now, step_id, fence, reply.output, reply.delta or {}, usage)
    if reply.tool_calls and type_ == "agent":
        return StepFinished(now, step_id, fence, usage=usage, calls=tuple(reply.tool_calls))
    if type_ not in ("llm_call", "agent"):
        return StepFinished(now, step_id, fence, reply.result, usage=usage)
    text = "" if reply.text is None else reply.text
    if schema is None:
        text = text if isinstance(text, str) else json.dumps(text)
        return StepFinished(now, step_id, fence, text, usage=usage)
    answer, problems = fitted(text, schema)
    if problems:
        message = f"The model's answer does not fit the output schema: {'; '.join(problems)}."
        return StepFailed(now, step_id, fence, "output_invalid", message, {"problems": problems}, usage)
    return StepFinished(now, step_id, fence, answer, usage=usage)


def fitted(text: Any, schema: dict[str, Any]) -> tuple[Any, list[str]]:
    """A model's answer as the value its schema describes (a text is read as JSON), and what does not fit."""
    answer = text
    if isinstance(text, str):
        try:
            answer = load_json(text, what="the answer", replace=True)
        except LanguageError as error:
            return None, [str(error)]
    return answer, CompiledSchema(schema).problems(answer)
