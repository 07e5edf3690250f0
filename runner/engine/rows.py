"""The rows of a run as the engine sees them: plain dataclasses, no database. `runner.store` maps them to tables.

Times are integer milliseconds since the epoch, money is integer micro-dollars.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import Any, Self

from editor.language.canonical import canonical_value, digest_of_text, text_of_canonical
from runner.engine.statuses import ApprovalStatus, RunStatus, ScopeKind, ScopeStatus, StepStatus

ENGINE_FORMAT = 1
ROOT_SCOPE = 1


class _Unloaded:
    """Marks a stored value whose text has not been read yet."""

    def __repr__(self) -> str:
        return "UNLOADED"


UNLOADED = _Unloaded()


@dataclass(slots=True)
class Stored:
    """A JSON value on its way to or from storage: its value, its text, its digest and size in bytes.

    The text keeps the order of an object's keys, so that a template shows the object as it was given, whoever
    still has it in memory. The digest is that of the canonical text: the order counts for nothing there.
    `ref` is set only by the store, for a value that lies in the run's blobs and was not loaded:
    a reference is never part of the value itself, so data that looks like one stays data.
    """

    value: Any = UNLOADED
    text: str | None = None
    digest: str | None = None
    size: int = 0
    ref: str | None = None

    @classmethod
    def of(cls, value: Any) -> Self:
        """Wrap a value: its text and size are computed once, here; its digest when somebody asks."""
        value = canonical_value(value)
        text = text_of_canonical(value, sort_keys=False)
        return cls(value, text, None, len(text) if text.isascii() else len(text.encode()))

    def content_digest(self) -> str:
        """The tagged hash of the value's canonical text."""
        if self.digest is None:
            value = json.loads(self.text or "null") if self.value is UNLOADED else self.value
            self.digest = self.ref or digest_of_text(text_of_canonical(value))
        return self.digest


def derived_id(*parts: object) -> str:
    """A 32-digit hex id made of its parts: the engine needs no chance to name a row."""
    return hashlib.sha256("|".join(str(part) for part in parts).encode()).hexdigest()[:32]


#: Digits 13 to 16 of an id that begins with a time; ids of runs that are older than this order have chance there.
_IN_ORDER, _PLACE = "f105", 16


def id_in_order(now_ms: int, chance: str) -> str:
    """The id of a run that starts now: its minute in 4 digits (they begin anew after 49 days), a mark, and 24 digits
    of `chance`.

    Rows of young runs thus stand near each other in each index, and those of one run side by side: a step writes few
    pages. People know runs by their first 8 digits: half of them are of chance.
    """
    minute = now_ms >> 16 & 0xFFFF
    return f"{minute:04x}{chance[:8]}{_IN_ORDER}{chance[8:24]}"


def id_beside(other: str, *parts: object) -> str:
    """An id made of its parts that stands near `other` in an index, if that is an id in order."""
    derived = derived_id(*parts)
    is_in_order = len(other) == len(derived) and other[_PLACE - len(_IN_ORDER) : _PLACE] == _IN_ORDER
    return other[:_PLACE] + derived[:_PLACE] if is_in_order else derived


@dataclass(slots=True)
class Usage:
    """What was used: model tokens, money in micro-dollars, and a tool's own units."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0
    units: float = 0

    def plus(self, other: Usage) -> Usage:
        """The sum of both."""
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost_micros + other.cost_micros,
            self.units + other.units,
        )

    def minus(self, other: Usage) -> Usage:
        """What is left when the other is taken away."""
        return Usage(
            self.input_tokens - other.input_tokens,
            self.output_tokens - other.output_tokens,
            self.cost_micros - other.cost_micros,
            self.units - other.units,
        )

    def __bool__(self) -> bool:
        return bool(self.input_tokens or self.output_tokens or self.cost_micros or self.units)

    def as_json(self) -> dict[str, Any]:
        """`{input_tokens, output_tokens, cost_micros, units}`."""
        return {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost_micros": self.cost_micros,
            "units": self.units,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any] | None) -> Self:
        """Read what `as_json` wrote; None is no use at all."""
        return cls(**data) if data else cls()


@dataclass(slots=True)
class RunRow:
    """One run. Nothing in it grows with the run.

    `salt` is a secret of the run, drawn by the shell: it goes into the digests by which events name sensitive
    values, so that a digest tells nothing once the value and the salt are erased. `parent_step` is the step run that
    waits for this run as its sub-flow, `depth` how deep such runs are nested. Of a forked run, `forked_from` and
    `forked_seq` name the checkpoint, and `snapshot` holds what was taken over (the store does not read it back for
    steps). `moved_at`: when the run was last moved to another version.
    """

    id: str
    salt: str = ""
    parent_run: str | None = None
    parent_step: str | None = None
    depth: int = 0
    forked_from: str | None = None
    forked_seq: int | None = None
    snapshot: Stored | None = None
    status: RunStatus = RunStatus.ACTIVE
    engine_format: int = ENGINE_FORMAT
    preset: str | None = None
    inputs: Stored = field(default_factory=lambda: Stored.of({}))
    policy: dict[str, Any] = field(default_factory=dict)
    seq: int = 0
    head_hash: str = ""
    last_ts: int = 0
    scopes: int = 0
    steps: int = 0
    live: int = 0
    running: int = 0
    waiting_person: int = 0
    waiting_other: int = 0
    approval_pause: bool = False
    usage: Usage = field(default_factory=Usage)
    state_bytes: int = 0
    started_at: int = 0
    ended_at: int | None = None
    paused_at: int | None = None
    moved_at: int | None = None
    result: Stored | None = None
    error: dict[str, Any] | None = None


@dataclass(slots=True)
class ScopeRow:
    """A place where paths live (a region), or one path of a region (a branch).

    `overlay`: it has value rows of its own. `live` counts, on regions only, the live step runs, open
    fan-outs and open iterations directly inside. `entries` are the entry nodes whose paths went into a branch,
    `joined` the branches that joined into it, in order. `passed`
    counts, per join node, how often this path went through it: arrivals count anew in each pass of a loop.
    `loop` holds the counts of a loop, parallel or group: `{total, next, open, done, failed, stopped, again, turns}`,
    and of a branch how many of its entries it `absorbed`.
    `ending` says how a settling scope ends: `{as: fail | cancel | stop, error?}`, and of an absorbed branch
    which one it went `into`.
    """

    n: int
    parent: int | None
    kind: ScopeKind
    prefix: str
    status: ScopeStatus = ScopeStatus.OPEN
    node: str | None = None
    step_id: str | None = None
    overlay: bool = False
    rank: int = 0
    order: int = 0
    index: int | None = None
    live: int = 0
    entries: tuple[str, ...] = ()
    joined: tuple[int, ...] = ()
    passed: dict[str, int] = field(default_factory=dict)
    loop: dict[str, int] = field(default_factory=dict)
    ending: dict[str, Any] | None = None


@dataclass(slots=True)
class StepRow:
    """One attempt at one visit of one node. Rows are appended; what an ended row says never changes.

    `round` counts the attempts since a container or a person started the step again; `announced`: its start has
    an event; `seen`: an earlier attempt of the visit had one. `restorable`: its path stopped here, a retry starts
    it again. `inner` is the scope that a container opened. `waits_for`: person, timer, signal
    or run (of a sub-flow), or (an agent) its calls.
    """

    id: str
    node: str
    type: str
    path: str
    visit: int
    attempt: int
    scope: int
    region: int
    status: StepStatus = StepStatus.PENDING
    backend: str = "inline"
    round: int = 1
    fence: int = 0
    lost: int = 0
    worker: str = ""
    lease_expires_at: int | None = None
    not_before: int = 0
    created_at: int = 0
    started_at: int | None = None
    ended_at: int | None = None
    announced: bool = False
    seen: bool = False
    cancel_requested: bool = False
    restorable: bool = False
    inner: int | None = None
    waits_for: str = ""
    wait_key: str = ""
    approval_id: str | None = None
    input: Stored | None = None
    output: Stored | None = None
    delta: Stored | None = None
    error: dict[str, Any] | None = None
    usage: Usage = field(default_factory=Usage)
    notes: dict[str, Any] | None = None

    @property
    def is_container(self) -> bool:
        """Whether this row stands for a container: nobody claims it for work, its scope does the work."""
        return self.type in CONTAINER_TYPES

    @property
    def is_member(self) -> bool:
        """Whether this is a sub-step: a member of a `tool_group` or a call of an `agent`."""
        return self.path.endswith("]")

    @property
    def effect_key(self) -> str:
        """The idempotency key that every attempt of this visit gives its tool."""
        return self.notes.get("effect_key", "") if self.notes else ""


CONTAINER_TYPES = frozenset({"sequence", "parallel", "for_each", "tool_group"})


@dataclass(slots=True)
class ValueRow:
    """The current value of one key in one scope.

    Kinds: `v` state variable, `s` result of a node (for `steps.<node>`), `a` artifact, `i` item of a loop,
    `o` output of an entry child, iteration or sub-step, `f` failure of one, `r` one to run again, `t` turn of an agent,
    `n` visits of a node, `b` use against a budget, `j` a join that fired.
    `ops` lists the writes (`[mode, operand]`) made here since the last plain `set`; None: a plain `set` was made.
    `inherited`: copied in for reading when paths joined; not merged again.
    """

    scope: int
    kind: str
    key: str
    stored: Stored
    ops: list[list[Any]] | None = None
    inherited: bool = False

    def moved_to(self, scope: int) -> ValueRow:
        """The same value as a row of another scope."""
        return replace(self, scope=scope, inherited=False)


@dataclass(slots=True)
class ArrivalRow:
    """One path that came to a join. `status`: waiting, used (it went on), or absorbed."""

    region: int
    node: str
    branch: int
    count: int
    source: str
    status: str = "waiting"
    seq: int = 0


@dataclass(slots=True)
class TimerRow:
    """Something due. Kinds: wait, moment, limit (of a container or approval node), approval, settle, run_limit.

    `status`: armed, fired, void, or held: it does not run now, and `due_at` is what is left of it in ms.
    """

    id: str
    kind: str
    due_at: int
    step_id: str | None = None
    scope: int | None = None
    status: str = "armed"


@dataclass(slots=True)
class ApprovalRow:
    """A request to a person. Kinds: `tool` (a paused call), `node` (an approval node), `unknown` (a lost effect).

    `needed`: how many people have to approve. Where that is more than one, `approved_by` are those who did so far,
    each once, and `offer` is what one of them changed the arguments to: it is what `digest` names and would run.
    """

    id: str
    kind: str
    step_id: str
    node: str
    path: str
    visit: int
    status: ApprovalStatus = ApprovalStatus.OPEN
    tool: str | None = None
    arguments: Stored | None = None
    digest: str = ""
    reasons: list[str] = field(default_factory=list)
    group: str | None = None
    assignees: list[str] = field(default_factory=list)
    editable: bool = False
    title: str = ""
    instructions: str = ""
    form: dict[str, Any] | None = None
    created_at: int = 0
    expires_at: int | None = None
    needed: int = 1
    approved_by: list[dict[str, Any]] = field(default_factory=list)
    offer: Stored | None = None


@dataclass(slots=True)
class DecisionRow:
    """What somebody decided about an approval; appended, never changed."""

    approval_id: str
    verdict: str
    actor: dict[str, Any]
    at: int
    comment: str = ""
    arguments: Stored | None = None
    digest: str = ""
    form: Stored | None = None


@dataclass(slots=True)
class SignalRow:
    """A signal from outside, kept until a wait takes it."""

    n: int
    key: str
    value: Stored
    at: int
    taken_by: str | None = None


@dataclass(slots=True)
class ArtifactRow:
    """Something that a step produced; the value row of kind `a` says which one a path sees."""

    id: str
    artifact: str
    step_id: str
    scope: int
    type: str
    filename: str
    content: Stored
    created_at: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What a run was made of after one of its events: the rows that a fork takes over. All values are loaded.

    `steps` are those that live, those that a retry may start again, and those whose artifacts are seen; `signals`
    those that no wait has taken.
    """

    run: str
    seq: int
    ts: int
    hash: str
    scopes: list[ScopeRow]
    steps: list[StepRow]
    values: list[ValueRow]
    arrivals: list[ArrivalRow]
    timers: list[TimerRow]
    signals: list[SignalRow]
    artifacts: list[ArtifactRow]
