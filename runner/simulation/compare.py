"""Compares what a flow test expects with what came of its run, and says in words where they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from editor.language.canonical import canonical_text
from runner.engine.events import DETAIL, Event
from runner.simulation.flow_test_file import EventPattern, ExactEvents, Expect, micros
from runner.simulation.outcome import Outcome
from runner.simulation.people import matches


class _Absent:
    """Marks a value that there is not: null is one."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()

#: Events shown around the place where an expected one is missing.
NEAREST = 6

#: A value in a message is cut to this many characters.
SHOWN = 400


@dataclass(frozen=True)
class Difference:
    """Something that is not as expected: `place` is where in `expect`, `text` the whole as a sentence.

    `node`: the node that it is about, where one can be named. `expected` and `found` are JSON values, ABSENT for none.
    """

    place: str
    text: str
    node: str | None = None
    expected: Any = ABSENT
    found: Any = ABSENT

    def __str__(self) -> str:
        return self.text


def differences(expect: Expect, outcome: Outcome, *, crashed: bool = False) -> list[str]:
    """Everything in which an outcome differs from what is expected. `crashed`: no detail events, no times."""
    return [str(one) for one in found_differences(expect, outcome, crashed=crashed)]


def found_differences(expect: Expect, outcome: Outcome, *, crashed: bool = False) -> list[Difference]:
    """As `differences`, each with its place and its values."""
    return [
        *_ending(expect, outcome),
        *_values(expect, outcome),
        *_events(expect, outcome, crashed=crashed),
        *_calls(expect, outcome),
        *_numbers(expect, outcome, crashed=crashed),
        *_findings(expect, outcome),
    ]


def equal(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same: 5 is 5.0, true is not 1."""
    return canonical_text(one) == canonical_text(other)


def show(value: Any) -> str:
    """A value as short JSON."""
    text = canonical_text(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _differs(what: str, wanted: Any, came: Any, node: str | None = None) -> Difference:
    return Difference(what, f"{what}: expected {show(wanted)}, came {show(came)}", node, wanted, came)


def _ending(expect: Expect, outcome: Outcome) -> Iterator[Difference]:
    if expect.status is not None and expect.status != outcome.status:
        because = f" ({show(outcome.error)})" if outcome.error else ""
        told = f"status: expected {expect.status}, came {outcome.status}{because}"
        yield Difference("status", told, _failed_node(outcome), expect.status, outcome.status)
    if expect.error is not None:
        if outcome.error is None:
            told = f"error: expected {show(expect.error)}, there was none"
            yield Difference("error", told, expected=expect.error)
        else:
            yield from _partly("error", expect.error, outcome.error)


def _partly(place: str, wanted: dict[str, Any], came: dict[str, Any]) -> Iterator[Difference]:
    """Whatever keys are named must match; objects inside are compared the same way."""
    for key, value in wanted.items():
        here = f"{place}.{key}"
        if key not in came:
            yield Difference(here, f"{here}: expected {show(value)}, there was none in {show(came)}", expected=value)
        elif isinstance(value, dict) and isinstance(came[key], dict):
            yield from _partly(here, value, came[key])
        elif not equal(value, came[key]):
            yield _differs(here, value, came[key])


def _values(expect: Expect, outcome: Outcome) -> Iterator[Difference]:
    if expect.given("state") and not equal(expect.state, outcome.state):
        yield _differs("state", expect.state, outcome.state)
    if expect.given("result") and not equal(expect.result, outcome.result):
        yield _differs("result", expect.result, outcome.result)
    for artifact, text in expect.artifacts.items():
        if artifact not in outcome.artifacts:
            place = f"artifacts.{artifact}"
            yield Difference(place, f"{place}: expected {show(text)}, there was no such artifact", expected=text)
        elif not equal(text, outcome.artifacts[artifact]):
            yield _differs(f"artifacts.{artifact}", text, outcome.artifacts[artifact])


def _calls(expect: Expect, outcome: Outcome) -> Iterator[Difference]:
    for queue, count in expect.calls.items():
        came = len(outcome.given(queue))
        if came != count:
            yield _differs(f"calls.{queue}", count, came, _node_of(queue, outcome))
    for queue, wanted in expect.args.items():
        if not equal(wanted, outcome.given(queue)):
            yield _differs(f"args.{queue}", wanted, outcome.given(queue), _node_of(queue, outcome))
    for node, wanted in expect.prompts.items():
        if not equal(wanted, outcome.given(f"llm:{node}")):
            yield _differs(f"prompts.{node}", wanted, outcome.given(f"llm:{node}"), node)


def _numbers(expect: Expect, outcome: Outcome, *, crashed: bool) -> Iterator[Difference]:
    used = outcome.usage
    for name, amount in expect.usage.items():
        if name == "cost_usd":
            if micros(amount) != used.cost_micros:
                came = used.cost_micros / 1_000_000
                told = f"usage.cost_usd: expected {amount}, came {came}"
                yield Difference("usage.cost_usd", told, expected=amount, found=came)
        elif amount != getattr(used, name):
            came = getattr(used, name)
            told = f"usage.{name}: expected {amount}, came {came}"
            yield Difference(f"usage.{name}", told, expected=amount, found=came)
    if expect.elapsed_ms is None or outcome.elapsed_ms is None or crashed:
        return
    if expect.elapsed_ms != outcome.elapsed_ms:
        yield _differs("elapsed_ms", expect.elapsed_ms, outcome.elapsed_ms)


def _findings(expect: Expect, outcome: Outcome) -> Iterator[Difference]:
    wanted, came = set(expect.problems or ()), set(outcome.problems)
    if expect.given("problems"):
        if wanted - came:
            yield Difference("problems", f"problems: expected {', '.join(sorted(wanted - came))}; {_codes(came)}")
        if came - wanted:
            yield Difference("problems", f"problems: not expected {', '.join(sorted(came - wanted))}")
    missing = set(expect.warnings) - set(outcome.warnings)
    if missing:
        told = f"warnings: expected {', '.join(sorted(missing))}; {_codes(set(outcome.warnings))}"
        yield Difference("warnings", told)


def _codes(codes: set[str]) -> str:
    return f"there were {', '.join(sorted(codes))}" if codes else "there were none"


def _events(expect: Expect, outcome: Outcome, *, crashed: bool) -> Iterator[Difference]:
    for pattern in expect.no_events:
        found = next((event for event in outcome.events if matches(pattern, event)), None)
        if found is not None and not (crashed and found.type in DETAIL):
            told = f"no_events: {pattern} happened, as event {found.seq} of the run"
            yield Difference("no_events", told, found.step, found=_text(found))
    if expect.events is None:
        return
    if isinstance(expect.events, ExactEvents):
        yield from _exactly(expect.events.exactly, outcome.public())
        return
    wanted = [one for one in expect.events if not (crashed and one.type in DETAIL)]
    yield from _in_order(wanted, outcome.events)


def _in_order(wanted: Sequence[EventPattern], events: Sequence[Event]) -> Iterator[Difference]:
    place = 0
    for pattern in wanted:
        found = next((n for n in range(place, len(events)) if matches(pattern, events[n])), None)
        if found is None:
            next_one = next(iter(_alike(pattern, events[place:])), None)
            came = ABSENT if next_one is None else _text(next_one)
            yield Difference("events", _missing(pattern, events, place), _node_at(pattern), str(pattern), came)
            return
        place = found + 1


def _alike(pattern: EventPattern, events: Sequence[Event]) -> Iterator[Event]:
    """How the step of a pattern ended in its place; else the first event of the pattern's type."""
    yield from (event for event in events if event.path == pattern.path and event.type in _ENDS)
    yield from (event for event in events if event.type == pattern.type)


_ENDS = ("step-complete", "step-error", "step-skipped", "step-canceled")


def _node_at(pattern: EventPattern) -> str | None:
    """The node of the step that a pattern names: the last part of its path, without its number."""
    return None if pattern.path is None else node_of_path(pattern.path)


def _node_of(queue: str, outcome: Outcome) -> str | None:
    """The node that calls: of a tool, the first that called it."""
    kind, _, node = queue.rpartition(":")
    if kind in ("llm", "handler"):
        return node
    path = next((call.identity[0] for call in outcome.calls if call.queue == queue), None)
    return None if path is None else node_of_path(path)


def node_of_path(path: str) -> str:
    """The node at the end of a path: `loop[0].pay` is at `pay`, `agent[2]` (a call of it) at `agent`."""
    return path.partition("#")[0].rpartition("/")[2].rpartition(".")[2].partition("[")[0]


def _failed_node(outcome: Outcome) -> str | None:
    return None if outcome.error is None else outcome.error.get("step")


def _missing(pattern: EventPattern, events: Sequence[Event], place: int) -> str:
    before = next((event for event in events[:place] if matches(pattern, event)), None)
    why = f"; it came too early, as event {before.seq}" if before else ""
    return f"events: {pattern} did not come{why}. What came from there on:\n{_listed(events[place:])}"


def _exactly(wanted: Sequence[EventPattern], events: Sequence[Event]) -> Iterator[Difference]:
    """The expected events must stand side by side, wherever they begin."""
    starts = [n for n, event in enumerate(events) if wanted and matches(wanted[0], event)]
    best, reached = 0, -1
    for start in starts or [0]:
        here = events[start : start + len(wanted)]
        fit = next(
            (n for n, (one, event) in enumerate(zip(wanted, here, strict=False)) if not matches(one, event)),
            None,
        )
        if fit is None and len(here) == len(wanted):
            return
        fit = len(here) if fit is None else fit
        if fit > reached:
            best, reached = start, fit
    if wanted:
        place = f"events, exactly: {wanted[reached]} did not come at its place, number {reached + 1} of the list"
        told = f"{place}. What came from there on:\n{_listed(events[best + reached :])}"
        rest = events[best + reached :]
        came = _text(rest[0]) if rest else ABSENT
        yield Difference("events", told, _node_at(wanted[reached]), str(wanted[reached]), came)


def _listed(events: Sequence[Event]) -> str:
    lines = [f"    {_text(event)}" for event in events[:NEAREST]]
    if len(events) > NEAREST:
        lines.append(f"    and {len(events) - NEAREST} more")
    return "\n".join(lines) or "    nothing"


def _text(event: Event) -> str:
    return " ".join(str(part) for part in (event.type, event.path, event.attempt) if part is not None)
