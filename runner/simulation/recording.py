"""A flow test made of a run that happened. It is run once as it is made, so that a recorded test passes at once.

What a run was made of is recorded.py's; where tests are kept is the runner's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from editor.language.canonical import canonical_text
from runner.engine.events import Event
from runner.engine.rows import Usage
from runner.simulation.compare import equal, show
from runner.simulation.crash import Ended, run_to_end
from runner.simulation.flow_test import Prepared, prepare, setting_of, simulate
from runner.simulation.flow_test_file import Action, Decision, FlowTest, Reply
from runner.simulation.outcome import Outcome
from runner.simulation.recorded import RecordedCall, RecordedRun, covered, covered_reply, tools_called
from runner.simulation.recorded_replies import RecordedReplies
from runner.simulation.routes import first_parting, laid_side_by_side
from runner.simulation.world import World

#: Values longer than this are not offered as expectations, in bytes of JSON.
OFFERED_BYTES = 64 * 1024

#: A way with more steps than this is told by the steps outside of loops.
LONG_WAY = 200


@dataclass(frozen=True)
class Offer:
    """A value of a run that a test can expect: `key` is where it goes in `expect`, `label` its name for people."""

    key: tuple[str, ...]
    label: str
    value: Any


@dataclass(frozen=True)
class Recording:
    """A test made of a run. `content`: as a file holds it. `notes`: what was replaced, and what could not be told."""

    content: dict[str, Any]
    offers: tuple[Offer, ...]
    notes: tuple[str, ...]


def record_test(run: RecordedRun, base: Mapping[str, Any]) -> Recording:
    """Make a flow test of a run.

    `base`: `name`, `flow` and what the flow refers to (`tools`, `skills`, `roles`, `flows`), as in a file. Sensitive
    values are replaced. Raises FlowTestError where a document cannot be read, ValueError where no test comes of it.
    """
    best: Recording | None = None
    for asks in (_Asks.AS_WRITTEN, _Asks.THOSE_TOOLS, _Asks.AND_THE_REST_IS_APPROVED):
        made, unlike = _record(run, base, asks)
        if not unlike:
            return made
        best = best or replace(made, notes=(*made.notes, *unlike))
        if not run.asked:
            break
    assert best is not None
    return best


class _Asks(Enum):
    """Which calls ask for an approval in the test, which has no rules of the site: those that the flow's own rules
    say; all of the tools that asked in the run; the same, and calls that did not ask there are approved at once."""

    AS_WRITTEN = 1
    THOSE_TOOLS = 2
    AND_THE_REST_IS_APPROVED = 3


def _record(run: RecordedRun, base: Mapping[str, Any], asks: _Asks) -> tuple[Recording, list[str]]:
    """One try at a test, and in what it comes out differently from the run."""
    notes = list(run.troubles)
    whole = _bare_test(run, base, asks, notes)
    prepared = prepare(FlowTest.model_validate(whole))
    if prepared.refusal is not None:
        raise ValueError(f"No test can be made of this run: {prepared.refusal['message']}")
    ended, replies = _run_with(run, prepared, notes)
    whole["replies"] = _queues(ended.outcome)
    if replies.unmatched:
        steps = ", ".join(sorted({call.identity[0] for call in replies.unmatched}))
        notes.append(f"The run keeps no reply for these calls, which never answer in the test: {steps}.")
    kept = {key: value for key, value in whole.items() if value or key in ("name", "flow", "expect")}
    outcome = simulate(prepare(FlowTest.model_validate(kept)))
    kept["expect"] = first_expectations(outcome)
    made = Recording(kept, tuple(offers_of(outcome)), tuple(dict.fromkeys(notes)))
    return made, _unlike(run, outcome)


def _bare_test(run: RecordedRun, base: Mapping[str, Any], asks: _Asks, notes: list[str]) -> dict[str, Any]:
    """The test without replies and expectations."""
    tools = {name: dict(one) for name, one in base.get("tools", {}).items()}
    for name in sorted(tools_called(run.calls)):  # one that this site does not have any more takes any arguments
        tools.setdefault(name, {})
    decisions = [_decision_as_json(run, one) for one in run.decisions]
    if asks is not _Asks.AS_WRITTEN:
        for name in sorted(run.asked):
            tools[name] = {**tools.get(name, {}), "needs_approval": True}
    if asks is _Asks.AND_THE_REST_IS_APPROVED:
        decided = {one["step"] for one in decisions}
        paths = dict.fromkeys(call.identity[0].rpartition("/")[2] for call in run.calls if call.tool in run.asked)
        decisions += [{"step": path, "approve": True} for path in paths if path not in decided]
    inputs, secret = dict(run.state), run.program.sensitive_keys
    replaced = sorted(secret & inputs.keys())
    for key in replaced:
        inputs[key] = covered(inputs[key])
    if replaced:
        notes.append(f"Sensitive inputs were replaced: {', '.join(replaced)}.")
    return {
        **base,
        "tools": tools,
        "inputs": inputs,
        **({"preset": run.run.preset} if run.run.preset is not None else {}),
        "decisions": decisions,
        "actions": [_action_as_json(run, one) for one in run.actions],
        "expect": {},
    }


def _action_as_json(run: RecordedRun, action: Action) -> dict[str, Any]:
    shown: dict[str, Any] = action.model_dump(mode="json", exclude_unset=True) | {"when": str(action.when)}
    if run.has_secrets:
        shown |= {key: covered(shown[key]) for key in ("arguments", "value") if key in shown}
    return shown


def _decision_as_json(run: RecordedRun, decision: Decision) -> dict[str, Any]:
    shown: dict[str, Any] = decision.model_dump(mode="json", exclude_unset=True)
    if run.has_secrets:
        shown |= {key: covered(shown[key]) for key in ("arguments", "form", "comment") if key in shown}
    return shown


def _run_with(run: RecordedRun, prepared: Prepared, notes: list[str]) -> tuple[Ended, RecordedReplies]:
    """Run the flow once with the recorded replies, each for the attempt that got it."""
    calls = [_without_secrets(call) for call in run.calls] if run.has_secrets else run.calls
    covered_nodes = sorted({call.node for call in run.calls if call.sensitive and run.has_secrets})
    if covered_nodes:
        notes.append(f"Replies that touch sensitive values were replaced: {', '.join(covered_nodes)}.")
    replies = RecordedReplies(calls, by_input=False)
    setting = setting_of(prepared)

    def make_world() -> World:
        world = setting.make_world()
        return World(replies, decisions=world.decisions, actions=world.actions)

    return run_to_end(replace(setting, make_world=make_world)), replies


def _without_secrets(call: RecordedCall) -> RecordedCall:
    return replace(call, reply=covered_reply(call.reply)) if call.sensitive else call


def _queues(outcome: Outcome) -> dict[str, list[dict[str, Any]]]:
    """The replies of each queue in the order of their calls; what repeats at the end stands once."""
    queues: dict[str, list[dict[str, Any]]] = {}
    for call in outcome.calls:
        queues.setdefault(call.queue, []).append(_reply_as_json(call.reply))
    for replies in queues.values():
        while len(replies) > 1 and replies[-1] == replies[-2]:
            replies.pop()
    return queues


def _reply_as_json(reply: Reply) -> dict[str, Any]:
    shown: dict[str, Any] = reply.model_dump(mode="json", exclude_defaults=True)
    for key in reply.model_fields_set & {"result", "text", "output"}:
        shown[key] = getattr(reply, key)  # null is a value
    return shown


# --- expectations ---------------------------------------------------------------------------------------


def first_expectations(outcome: Outcome) -> dict[str, Any]:
    """What a recorded test begins with: how the run ended, and the way it took."""
    expect: dict[str, Any] = {"status": outcome.status}
    if outcome.error is not None:
        expect["error"] = {"code": outcome.error["code"]}
    way = [event for event in outcome.events if event.type in ("step-complete", "step-error", "step-skipped")]
    if len(way) > LONG_WAY:
        way = [event for event in way if "[" not in (event.path or "")][:LONG_WAY]
    if way:
        expect["events"] = [_line(event) for event in way]
    return expect


def _line(event: Event) -> str:
    return f"{event.type} {event.path}"


def offers_of(outcome: Outcome) -> list[Offer]:
    """What can be expected of an outcome, each with its value; what is too long is left out."""
    found = [
        Offer(("status",), "How it ends", outcome.status),
        Offer(("result",), "The result", outcome.result),
        Offer(("state",), "The whole state at the end", outcome.state),
    ]
    if outcome.error is not None:
        found.append(Offer(("error", "code"), "The code of the error", outcome.error["code"]))
    found += [Offer(("artifacts", name), f"The artifact {name}", one) for name, one in outcome.artifacts.items()]
    for queue in dict.fromkeys(call.queue for call in outcome.calls):
        given = outcome.given(queue)
        kind, _, node = queue.rpartition(":")
        if kind == "llm":
            found.append(Offer(("prompts", node), f"The prompts of {node}", given))
            continue
        name = node if kind == "handler" else queue
        found.append(Offer(("calls", queue), f"How often {name} is called", len(given)))
        found.append(Offer(("args", queue), f"What {name} is called with", given))
    found += [Offer(("usage", key), f"Use: {words}", value) for key, words, value in _used(outcome.usage) if value]
    if outcome.elapsed_ms is not None:
        found.append(Offer(("elapsed_ms",), "How long it takes, in virtual ms", outcome.elapsed_ms))
    return [one for one in found if len(canonical_text(one.value)) <= OFFERED_BYTES]


def _used(usage: Usage) -> Sequence[tuple[str, str, Any]]:
    return (
        ("cost_usd", "cost in USD", usage.cost_micros / 1_000_000),
        ("input_tokens", "input tokens", usage.input_tokens),
        ("output_tokens", "output tokens", usage.output_tokens),
        ("units", "units", usage.units),
    )


def _unlike(run: RecordedRun, outcome: Outcome) -> list[str]:
    """In what the test comes out differently from the run that it was made of."""
    found = []
    if run.is_ended and outcome.status != str(run.run.status):
        found.append(f"The run ended {run.run.status}; with what was recorded the test ends {outcome.status}.")
    parting = first_parting(laid_side_by_side(run.events, outcome.events)) if run.is_ended else None
    if parting is not None:
        told = f"the step {parting.path} {parting.before} in the run and {parting.after} in the test"
        found.append(f"The test takes another way than the run: {told}.")
    if run.is_ended and not found and not run.has_secrets and not equal(run.result, outcome.result):
        found.append(f"The result differs from the run's: {show(outcome.result)}.")
    return found
