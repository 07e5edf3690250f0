"""The flow-test file: its classes, and reading it with clear errors. Running one is flow_test.py's."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator

from editor.language.document import Amount, Count, DocumentModel, Items, Name, Opt
from editor.language.errors import LanguageError
from editor.language.json_gate import MIB, JsonLimits, load_json
from runner.engine.events import DETAIL, PUBLIC
from runner.engine.rows import Usage

#: A test holds a whole document and stands one level around it.
FILE_LIMITS = JsonLimits(max_bytes=16 * MIB, max_depth=72)

EVENT_TYPES = PUBLIC | DETAIL


class FlowTestError(Exception):
    """A flow-test file cannot be used; the message says where and why.

    `is_document`: it is no test, but a flow document.
    """

    def __init__(self, message: str, *, is_document: bool = False) -> None:
        super().__init__(message)
        self.is_document = is_document


class EventPattern(DocumentModel):
    """`TYPE PATH [ATTEMPT]`, or `TYPE` for an event of the whole flow."""

    type: str
    path: str | None = None
    attempt: int | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_text(cls, given: object) -> object:
        if not isinstance(given, str):
            raise ValueError("an event is a text: TYPE PATH [ATTEMPT]")
        kind, *rest = given.split()
        if kind not in EVENT_TYPES:
            raise ValueError(f"there is no event type {kind!r}")
        if len(rest) > 2 or (len(rest) == 2 and not rest[1].isdecimal()):
            raise ValueError(f"{given!r} is not TYPE PATH [ATTEMPT]")
        return {
            "type": kind,
            "path": rest[0] if rest else None,
            "attempt": int(rest[1]) if len(rest) == 2 else None,
        }

    def __str__(self) -> str:
        return " ".join(str(part) for part in (self.type, self.path, self.attempt) if part is not None)


class ReplyUsage(DocumentModel):
    """What a stand-in says it used."""

    input_tokens: Count = 0
    output_tokens: Count = 0
    cost_usd: Amount = 0
    units: Amount = 0

    def as_usage(self) -> Usage:
        """The same with the money in micro-dollars."""
        return Usage(self.input_tokens, self.output_tokens, micros(self.cost_usd), self.units)


class Reply(DocumentModel):
    """A reply of a stand-in tool (`result`), model (`text`, `tool_calls`) or handler (`delta`, `output`)."""

    result: Any = None
    text: Any = None
    tool_calls: Opt[Items[dict[str, Any]]] = None
    delta: Opt[dict[str, Any]] = None
    output: Any = None
    error: Opt[str] = None
    hang: bool = False
    usage: ReplyUsage = ReplyUsage()
    after_ms: Count = 0


class ToolDeclaration(DocumentModel):
    """A stand-in tool."""

    tool_schema: dict[str, Any] = Field({}, alias="schema")
    needs_approval: bool = False
    read_only: bool = False
    effect: Literal["pure", "idempotent", "at_most_once"] = "idempotent"


class SkillDeclaration(DocumentModel):
    """A stand-in skill: what its answer must fit, and which tools an agent may call through it."""

    output_schema: Opt[dict[str, Any]] = None
    tools: Items[Name] = ()


class Decision(DocumentModel):
    """What a reviewer decides about an approval of this node id or path. `by`: who; each one is another, left out."""

    step: str
    approve: bool
    by: str = ""
    after_ms: Count = 0
    arguments: Opt[dict[str, Any]] = None
    form: Any = None
    comment: str = ""


class Action(DocumentModel):
    """What a person does at or after an event. Without `after_ms` it comes directly after that event."""

    when: EventPattern
    do: Literal["cancel", "pause", "resume", "retry_step", "signal"]
    after_ms: Opt[Count] = None
    step: Opt[str] = None
    arguments: Opt[dict[str, Any]] = None
    key: Opt[str] = None
    value: Any = None

    @model_validator(mode="after")
    def _says_what_it_needs(self) -> Action:
        if self.do == "retry_step" and self.step is None:
            raise ValueError("retry_step needs `step`")
        if self.do == "signal" and self.key is None:
            raise ValueError("signal needs `key`")
        return self


class ExactEvents(DocumentModel):
    """These events, and no other public event between them."""

    exactly: Items[EventPattern]


class Expect(DocumentModel):
    """What must come of it. Only what is named is compared; `given` tells null from absent."""

    status: Opt[str] = None
    state: Any = None
    result: Any = None
    error: Opt[dict[str, Any]] = None
    events: Opt[Items[EventPattern] | ExactEvents] = None
    no_events: Items[EventPattern] = ()
    calls: Mapping[str, Count] = {}
    args: Mapping[str, list[Any]] = {}
    prompts: Mapping[str, list[Any]] = {}
    artifacts: Mapping[str, Any] = {}
    usage: Mapping[Literal["input_tokens", "output_tokens", "cost_usd", "units"], Amount] = {}
    elapsed_ms: Opt[Count] = None
    problems: Opt[Items[str]] = None
    warnings: Items[str] = ()

    def given(self, name: str) -> bool:
        """Whether the file names this at all."""
        return name in self.model_fields_set


class FlowTest(DocumentModel):
    """One flow test. `flow` and `flows` are documents as written: reading them is part of the test."""

    __test__ = False

    name: Name
    flow: dict[str, Any]
    inputs: dict[str, Any] = {}
    preset: Opt[str] = None
    replies: Mapping[str, Items[Reply]] = {}
    tools: Mapping[str, ToolDeclaration] = {}
    skills: Mapping[str, SkillDeclaration] = {}
    roles: Mapping[str, Items[str]] = {}
    flows: Mapping[str, dict[str, Any]] = {}
    decisions: Items[Decision] = ()
    actions: Items[Action] = ()
    expect: Expect

    @field_validator("replies")
    @classmethod
    def _fit_their_queue(cls, replies: Mapping[str, tuple[Reply, ...]]) -> Mapping[str, tuple[Reply, ...]]:
        for queue, given in replies.items():
            allowed = _reply_keys(queue) | {"error", "hang", "usage", "after_ms"}
            for place, reply in enumerate(given):
                strange = sorted(reply.model_fields_set - allowed)
                if strange:
                    raise ValueError(f"{queue}[{place}]: a reply of {queue!r} has no {strange[0]!r}")
            if not given:
                raise ValueError(f"{queue}: the list of replies is empty; leave it out, or give one")
        return replies


def _reply_keys(queue: str) -> set[str]:
    if queue.startswith("llm:"):
        return {"text", "tool_calls"}
    if queue.startswith("handler:"):
        return {"delta", "output"}
    return {"result"}


def micros(amount: int | float) -> int:
    """Dollars as written in a test in whole micro-dollars, half to even."""
    return int((Decimal(repr(amount)) * 1_000_000).to_integral_value(ROUND_HALF_EVEN))


def read_flow_test(text: str | bytes, where: str) -> FlowTest:
    """Read a flow-test file. `where` names it in messages. Raises FlowTestError that lists every fault."""
    try:
        data = load_json(text, FILE_LIMITS, what=where)
    except LanguageError as error:
        raise FlowTestError(str(error)) from None
    if isinstance(data, dict) and "flow" not in data and "nodes" in data:
        told = f"{where} is a flow document. A flow test holds it under `flow`, beside `expect`."
        raise FlowTestError(told, is_document=True)
    try:
        return FlowTest.model_validate(data)
    except ValidationError as error:
        faults = "\n".join(f"  {_place(fault['loc'])}: {_words(fault)}" for fault in error.errors())
        raise FlowTestError(f"{where} is no flow test:\n{faults}") from None


def _place(loc: tuple[str | int, ...]) -> str:
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "the file"


def _words(fault: Any) -> str:
    if fault["type"] == "extra_forbidden":
        return "there is no such key"
    return str(fault["msg"]).removeprefix("Value error, ")
