"""Forks, moves and the state at any event, on a real database: the rows, the audit, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from editor.models import AuditEntry, FlowVersion
from editor.services import create_flow, publish_version, save_draft
from runner.catalog import CATALOG
from runner.engine.errors import RunError
from runner.handlers.registry import HANDLERS, handler
from runner.models import Approval, Run, StepRun
from runner.services.approvals import decide_approval
from runner.services.forks import fork_run, move_run, plan_fork, run_again
from runner.services.history import verify_history
from runner.services.previews import Asked, preview
from runner.services.programs import dispatcher_of, program_of
from runner.services.runs import pause_run, resume_run, retry_step, send_signal, start_run
from runner.services.states import state_at, value_at
from runner.services.steps import Segment
from runner.simulation.history import history_differences, replay_differences
from runner.simulation.invariants import Watcher
from runner.store.claims import step_place
from runner.store.past import fold_until
from runner.store.whole import read_run
from tests.support.runs import (
    PROGRAM,
    call,
    document,
    event_types,
    finish,
    freeze,
    offer_tool,
    open_approval,
    start,
    work,
)

pytestmark = pytest.mark.django_db(transaction=True)

CALLS: list[Any] = []


@pytest.fixture(autouse=True)
def tools() -> None:
    CALLS.clear()

    def note(text: str = "", fail: bool = False) -> dict[str, Any]:
        """Notes a call."""
        CALLS.append(text)
        if fail:
            raise ValueError("it fails")
        return {"said": text}

    offer_tool("fork_note", note, effect="idempotent")
    offer_tool("fork_pay", note, effect="at_most_once", needs_approval=True)


def noted(node_id: str, text: str, **more: Any) -> dict[str, Any]:
    return call(node_id, "fork_note", {"text": text}, output_variable=node_id, **more)


THREE = document(
    [noted("a", "a {{word}}"), noted("b", "b {{word}}"), noted("c", "c {{word}} {{a.said}}")],
    ["a>b", "b>c"],
    inputs=[{"name": "word", "type": "short_text", "required": True}],
)


def seq_of(run: Run, kind: str, path: str) -> int:
    found: int = run.events.get(type=kind, path=path).seq
    return found


def is_sound(run_id: str) -> bool:
    store = read_run(run_id)
    from runner.services.programs import program_of_run

    program = program_of_run(run_id)[1]
    hashes = {store.events[0].data.get("content_hash"), None}
    Watcher().check(store)
    return not [*history_differences(store), *replay_differences(store, dict.fromkeys(hashes, program))]


def test_a_fork_runs_only_what_had_not_ended() -> None:
    run = finish(THREE, inputs={"word": "x"})
    assert CALLS == ["a x", "b x", "c x a x"]
    started = fork_run(run, seq_of(run, "step-complete", "b"), actor=PROGRAM)
    fork = work(started.run_id)
    assert fork.status == "succeeded"
    assert CALLS[3:] == ["c x a x"]
    assert (fork.forked_from, fork.value_of("result")) == (run.pk, {"said": "c x a x"})
    assert event_types(fork)[0] == "run-forked"
    assert list(StepRun.objects.filter(run=fork).values_list("path", flat=True)) == ["c"]
    assert is_sound(fork.pk)
    assert verify_history(fork.pk).is_whole


def test_a_fork_with_changed_state_goes_on_with_it() -> None:
    run = finish(THREE, inputs={"word": "x"})
    started = fork_run(run, seq_of(run, "step-start", "b"), actor=PROGRAM, state={"word": "y", "a": {"said": "new"}})
    fork = work(started.run_id)
    assert CALLS[3:] == ["b y", "c y new"]
    assert fork.value_of("inputs") == {"word": "y"}
    assert AuditEntry.objects.get(action="run-fork", object_id=fork.pk).after["changed"] == ["a", "word"]


def test_a_fork_of_a_fork_tells_its_whole_history() -> None:
    run = finish(THREE, inputs={"word": "x" * 50_000})
    first = work(fork_run(run, seq_of(run, "step-start", "b"), actor=PROGRAM).run_id)
    second = work(fork_run(first, seq_of(first, "step-start", "c"), actor=PROGRAM).run_id)
    assert second.value_of("result") == run.value_of("result")
    assert is_sound(second.pk)
    assert value_at(second, second.seq, "word").value == "x" * 50_000


def test_the_same_key_gives_the_same_fork() -> None:
    run = finish(THREE, inputs={"word": "x"})
    seq = seq_of(run, "step-start", "c")
    one = fork_run(run, seq, actor=PROGRAM, idempotency_key="k")
    other = fork_run(run, seq, actor=PROGRAM, idempotency_key="k")
    assert (one.run_id, other.is_new) == (other.run_id, False)
    with pytest.raises(RunError) as refused:
        fork_run(run, seq, actor=PROGRAM, idempotency_key="k", state={"word": "z"})
    assert refused.value.code == "idempotency_conflict"


@pytest.mark.parametrize(
    ("seq", "state", "code"),
    [(10_000, {}, "not_found"), (-1, {}, "run_finished"), (3, {"word": 7}, "validation_failed")],
)
def test_what_cannot_be_forked_is_refused(seq: int, state: dict[str, Any], code: str) -> None:
    run = finish(THREE, inputs={"word": "x"})
    before = Run.objects.count()
    with pytest.raises(RunError) as refused:
        fork_run(run, run.seq if seq < 0 else seq, actor=PROGRAM, state=state)
    assert (refused.value.code, Run.objects.count()) == (code, before)


ASKS = document(
    [noted("a", "a"), call("pay", "fork_pay", {"text": "pay {{a.said}}"}, output_variable="paid")], ["a>pay"]
)


def test_an_open_approval_is_asked_anew_and_the_old_one_stays() -> None:
    run = work(start(ASKS))
    asked = open_approval(run.pk)
    fork = work(fork_run(run, run.seq, actor=PROGRAM, state={"a": {"said": "less"}}).run_id)
    anew = open_approval(fork.pk)
    assert (asked.value_of("arguments")["text"], anew.value_of("arguments")["text"]) == ("pay a", "pay less")
    assert Approval.objects.get(pk=asked.pk).status == "open"
    decide_approval(anew.pk, verdict="approved", digest=anew.digest, actor=PROGRAM)
    assert work(fork.pk).status == "succeeded"
    assert Run.objects.get(pk=run.pk).status == "awaiting_approval"


def test_an_approval_that_was_given_counts_for_no_fork() -> None:
    run = work(start(ASKS))
    asked = open_approval(run.pk)
    decide_approval(asked.pk, verdict="approved", digest=asked.digest, actor=PROGRAM)
    run = work(run.pk)
    fork = work(fork_run(run, seq_of(run, "approval-decided", "pay"), actor=PROGRAM).run_id)
    assert fork.status == "awaiting_approval"
    assert CALLS.count("pay a") == 1


def test_the_plan_names_effects_that_may_repeat() -> None:
    run = finish(THREE, inputs={"word": "x"})
    plan = plan_fork(run, seq_of(run, "step-start", "b"))
    assert (plan.starts, [(one.path, one.effect) for one in plan.repeats]) == (["b"], [("b", "idempotent")])
    assert plan_fork(run, seq_of(run, "step-scheduled", "b")).repeats == []
    asking = work(start(ASKS))
    assert (plan_fork(asking, asking.seq).starts, plan_fork(asking, asking.seq).repeats) == (["pay"], [])


# State at an event


def test_the_state_at_each_event() -> None:
    run = finish(THREE, inputs={"word": "x"})
    state = state_at(run, seq_of(run, "step-complete", "b"))
    assert {one.key: one.value for one in state.places[0].values} == {
        "word": "x", "a": {"said": "a x"}, "b": {"said": "b x"},
    }  # fmt: skip
    assert (state.status, state.ended) == ("active", {"succeeded": 2})
    at_start = state_at(run, seq_of(run, "step-start", "b"))
    assert [(one.path, one.status) for one in at_start.live] == [("b", "running")]
    last = {one.key: one.value for one in state_at(run, run.seq).places[0].values}
    assert last.keys() == {"word", "a", "b", "c"}


def test_large_values_are_told_only_when_asked_for() -> None:
    run = finish(THREE, inputs={"word": "x" * 40_000})
    shown = next(one for one in state_at(run, 1).places[0].values if one.key == "word")
    assert (shown.is_told, shown.value, shown.size) == (False, None, 40_002)
    assert value_at(run, 1, "word").value == "x" * 40_000
    with pytest.raises(RunError):
        value_at(run, 1, "a")


def told_of(run: Run) -> str:
    """What the events of a run say."""
    return "".join(run.events.values_list("text", flat=True))


def test_sensitive_values_stay_covered() -> None:
    written = THREE | {"inputs": [{"name": "word", "type": "short_text", "required": True, "sensitive": True}]}
    run = finish(written, inputs={"word": "hush"})
    state = state_at(run, run.seq)
    assert all(one.is_covered and one.value is None for one in state.places[0].values)
    assert value_at(run, run.seq, "word").value is None
    assert "hush" not in told_of(run)
    fork = work(fork_run(run, seq_of(run, "step-start", "c"), actor=PROGRAM, state={"word": "hush2"}).run_id)
    assert fork.status == "succeeded"
    assert "hush" not in told_of(fork)


def test_the_result_and_signals_of_sensitive_steps_are_not_told_either() -> None:
    waits = {"id": "w", "type": "wait", "config": {"signal": "go"}, "output_variable": "pin"}
    written = document([waits], state={"properties": {"pin": {"x-sensitive": True}}})
    run_id = start(written)
    work(run_id)
    send_signal(run_id, "go", "hush", actor=PROGRAM)
    run = work(run_id)
    assert (run.status, run.result) == ("succeeded", "hush")
    assert "hush" not in told_of(run) and verify_history(run_id).is_whole


def shown(run: Run, seq: int, *, snapshots: bool) -> dict[str, Any]:
    """All that folding gives, without the scopes that have joined."""
    past = fold_until(run.pk, seq, snapshots=snapshots)
    folded = past.folded
    return {
        "values": folded.values(),
        "attempts": folded.attempts,
        "usage": folded.usage.as_json(),
        "status": folded.status,
        "event": past.event.seq,
    }


def test_a_snapshot_bounds_rebuilding_and_changes_nothing(settings: Any) -> None:
    settings.FLOWSITE = settings.FLOWSITE | {"SNAPSHOT_EVENTS": 20}
    written = document(
        [
            {"id": "each", "type": "for_each", "config": {"items": "9", "concurrency": 2}},
            noted("add", "i {{index}}", parent="each") | {"output_variable": "log", "output_mode": "append"},
            noted("a", "a"),
            call("pay", "fork_pay", {"text": "pay"}),
        ],
        ["each>a", "a>pay"],
    )
    run = work(start(written))
    assert (run.status, run.error) == ("awaiting_approval", None)
    assert run.seq > 45
    for seq in range(1, run.seq + 1):
        assert shown(run, seq, snapshots=True) == shown(run, seq, snapshots=False), seq
    assert fold_until(run.pk, run.seq).read < 25
    assert fold_until(run.pk, run.seq, snapshots=False).read == run.seq


# Moves


def flow_with(*documents: dict[str, Any]) -> list[FlowVersion]:
    """Published versions of one flow."""
    flow = create_flow("moving", by=None, document=documents[0] | {"id": "moving"})
    versions = []
    for place, written in enumerate(documents):
        save_draft(flow, written | {"id": "moving"}, revision=place + 1, by=None)
        versions.append(publish_version(flow, by=None, catalog=CATALOG))
    return versions


def begin(version: FlowVersion, **inputs: Any) -> str:
    return start_run(version, inputs=inputs, actor=PROGRAM).run_id


def asks(text: str, **more: Any) -> dict[str, Any]:
    pay = call("pay", "fork_pay", {"text": text}, output_variable="paid", **more)
    return document([noted("a", "a"), pay], ["a>pay"])


def test_what_a_handler_wrote_that_does_not_say_what_it_writes_stays_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HANDLERS, "_handlers", dict(HANDLERS._handlers))

    @handler("fork_keep", registry=HANDLERS)
    def keep(state: Any) -> dict[str, Any]:
        return {"state": {"kept": state["word"]}}

    secret = {"name": "word", "type": "short_text", "sensitive": True, "default": "hush"}
    keeps = {"id": "k", "type": "handler", "config": {"handler": "fork_keep"}, "inputs": ["word"]}
    run = finish(document([keeps], [], inputs=[secret]))
    assert run.status == "succeeded", run.error
    values = {(one.kind, one.key): one for one in state_at(run, run.seq).places[0].values}
    assert values["v", "kept"].is_covered and values["v", "kept"].value is None
    assert "hush" not in str(preview(Asked("template", "{{kept}}"), None, run, {}))


def test_a_failed_run_is_mended_by_a_move_and_goes_on() -> None:
    def broken(fail: bool) -> dict[str, Any]:
        nodes = [noted("a", "a"), call("b", "fork_note", {"text": "b", "fail": fail}, output_variable="b")]
        return document(nodes, ["a>b"])

    old, new = flow_with(broken(True), broken(False))
    run = work(begin(old))
    assert run.status == "failed"
    move_run(run, new, actor=PROGRAM)
    failed = StepRun.objects.get(run=run, path="b", status="failed")
    retry_step(run.pk, failed.pk, actor=PROGRAM)
    run = work(run.pk)
    assert (run.status, run.version_id, CALLS) == ("succeeded", new.pk, ["a", "b", "b"])
    entry = AuditEntry.objects.get(action="run-move", object_id=run.pk)
    assert (entry.before["version"], entry.after["version"]) == (1, 2)
    moved = run.events.get(type="run-moved")
    assert moved.data["to"] == {"version": 2, "content_hash": new.content_hash}
    assert verify_history(run.pk).is_whole


def test_a_move_asks_anew_what_the_other_version_asks() -> None:
    old, new = flow_with(asks("old"), asks("new"))
    run = work(begin(old))
    asked = open_approval(run.pk)
    move_run(run, new, actor=PROGRAM)
    run = work(run.pk)
    anew = open_approval(run.pk)
    assert Approval.objects.get(pk=asked.pk).status == "canceled"
    assert (anew.value_of("arguments")["text"], run.status) == ("new", "awaiting_approval")
    with pytest.raises(RunError) as refused:
        decide_approval(asked.pk, verdict="approved", digest=asked.digest, actor=PROGRAM)
    assert refused.value.code == "approval_already_decided"
    decide_approval(anew.pk, verdict="approved", digest=anew.digest, actor=PROGRAM)
    assert (work(run.pk).status, CALLS[-1]) == ("succeeded", "new")


def test_a_paused_run_is_moved_with_its_policy_and_can_be_forked_then() -> None:
    old, new = flow_with(asks("t") | {"policy": {"max_steps": 7}}, asks("t") | {"policy": {"max_steps": 9}})
    run = work(begin(old))
    pause_run(run.pk, actor=PROGRAM)
    move_run(Run.objects.get(pk=run.pk), new, actor=PROGRAM)
    resume_run(run.pk, actor=PROGRAM)
    run = work(run.pk)
    assert (run.policy, run.status) == ({"max_steps": 9}, "awaiting_approval")
    fork = work(fork_run(run, run.seq, actor=PROGRAM).run_id)
    assert (fork.version_id, fork.status) == (new.pk, "awaiting_approval")


def test_a_version_with_another_structure_is_refused_with_what_differs() -> None:
    other = document(
        [noted("a", "a"), call("pay", "fork_note", {"text": "t"}, output_variable="paid"), noted("more", "m")],
        ["a>pay", "pay>more"],
    )
    old, new = flow_with(asks("t"), other)
    run = work(begin(old))
    with pytest.raises(RunError) as refused:
        move_run(run, new, actor=PROGRAM)
    assert refused.value.code == "flow_changed"
    assert refused.value.details is not None
    assert refused.value.details["differences"] == [
        "node 'pay' changed at /config/tool",
        "node 'more' was added",
        "edge 'e2' was added",
    ]
    assert Run.objects.get(pk=run.pk).version_id == old.pk
    with pytest.raises(RunError) as unfit:
        fork_run(run, run.seq, actor=PROGRAM, version=new)
    assert unfit.value.code == "flow_changed"


STRICT = {"permissions": {"rules": [{"tool": "fork_*", "effect": "ask"}]}}
DENIES = {"permissions": {"rules": [{"tool": "fork_*", "effect": "deny"}]}}
ALLOWS = {"permissions": {"rules": [{"tool": "fork_note", "effect": "allow"}]}}


@pytest.mark.parametrize(
    ("before", "after", "fits"),
    [
        ({}, STRICT, True),
        (STRICT, DENIES, True),
        (ALLOWS, {}, True),
        (STRICT, {}, False),
        (DENIES, STRICT, False),
        ({}, ALLOWS, False),
        ({"permissions": {"default": "ask"}}, {"permissions": {"default": "deny"}}, True),
        ({"permissions": {"default": "deny"}}, {"permissions": {"default": "ask"}}, False),
        ({"permissions": {"default": "ask"}}, {}, False),
    ],
)
def test_permissions_only_become_stricter(before: dict[str, Any], after: dict[str, Any], fits: bool) -> None:
    old, new = flow_with(asks("t") | before, asks("t") | after | {"name": "Other"})
    run = work(begin(old))
    if run.status == "active" or run.status == "awaiting_approval":
        pause_run(run.pk, actor=PROGRAM)
    try:
        move_run(Run.objects.get(pk=run.pk), new, actor=PROGRAM)
        moved = True
    except RunError as refused:
        assert refused.code == "flow_changed"
        moved = False
    assert moved is fits


def test_what_may_not_be_moved_now() -> None:
    old, new = flow_with(asks("t"), asks("u"))
    at_work = Run.objects.get(pk=begin(old))
    with pytest.raises(RunError) as refused:
        move_run(at_work, new, actor=PROGRAM)
    assert refused.value.code == "not_paused"
    work(at_work.pk)
    other = freeze_other()
    with pytest.raises(RunError) as foreign:
        move_run(at_work, other, actor=PROGRAM)
    assert foreign.value.code == "not_found"


def freeze_other() -> FlowVersion:
    return freeze(THREE)


def test_a_worker_that_began_before_a_move_leaves_the_rest_to_others() -> None:
    waits = document([{"id": "w", "type": "wait", "config": {"signal": "go"}}, noted("a", "a")], ["w>a"])
    old, new = flow_with(waits, waits | {"description": "mended"})
    run = work(begin(old))
    pause_run(run.pk, actor=PROGRAM)
    send_signal(run.pk, "go", actor=PROGRAM)
    place = step_place(StepRun.objects.get(run=run, path="a").pk)
    assert place is not None
    segment = Segment(place, program_of(place.version), dispatcher_of(place.version))
    move_run(Run.objects.get(pk=run.pk), new, actor=PROGRAM)
    resume_run(run.pk, actor=PROGRAM)
    assert segment.run(place.step_id) == 0
    assert work(run.pk).status == "succeeded"


# Again


def test_running_again_gives_a_new_run_of_the_same_or_the_newest_version() -> None:
    old, new = flow_with(THREE, THREE | {"name": "Newer"})
    run = work(begin(old, word="x"))
    again = Run.objects.get(pk=run_again(run, actor=PROGRAM).run_id)
    newest = Run.objects.get(pk=run_again(run, actor=PROGRAM, newest=True, idempotency_key="n").run_id)
    assert (again.version_id, newest.version_id) == (old.pk, new.pk)
    assert again.value_of("inputs") == newest.value_of("inputs") == {"word": "x"}
    assert not run_again(run, actor=PROGRAM, newest=True, idempotency_key="n").is_new
