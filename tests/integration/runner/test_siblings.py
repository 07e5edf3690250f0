"""Steps beside one another in one worker: pure ones end together, in few transactions, and nobody is told of them."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError

from runner import dispatch
from runner.engine.errors import RunError
from runner.engine.happenings import StepFinished
from runner.models import Run, StepRun
from runner.services import steps
from runner.services.history import verify_history
from runner.services.steps import run_segment
from runner.store import transactions
from tests.support.runs import call, document, event_types, finish, offer_tool, start, step, transform, work

pytestmark = pytest.mark.django_db(transaction=True)

LEAVES = [f"leaf{place}" for place in range(50)]


def fan(leaves: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """One step, leaves beside one another, and one that waits for all of them."""
    first = transform("first", read_only=True, fan_out=True, synthesis="join")
    edges = [f"first>{leaf['id']}" for leaf in leaves] + [f"{leaf['id']}>join" for leaf in leaves]
    return document([first, *leaves, transform("join")], edges, **more)


@pytest.fixture
def hinted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The step runs that others are told of, at once or soon."""
    found: list[str] = []
    monkeypatch.setattr(dispatch, "hint_step", lambda step_id, backend: found.append(step_id))
    monkeypatch.setattr(dispatch, "hint_step_soon", lambda step_id, backend: found.append(step_id))
    return found


def test_pure_leaves_end_together_and_each_has_its_events(hinted: list[str]) -> None:
    run_id = start(fan([transform(leaf, read_only=True) for leaf in LEAVES]))
    hinted.clear()
    run_segment(step(run_id, "first").id)
    run = Run.objects.get(pk=run_id)
    assert (run.status, run.steps) == ("succeeded", 52)
    assert run.rev < 10 and hinted == []  # `rev` counts the transactions of a run
    types = event_types(run)
    assert types.count("step-start") == types.count("step-complete") == 52
    assert verify_history(run_id).is_whole
    ends = run.events.filter(type="step-complete").exclude(path="join")
    begins = run.events.get(type="step-start", path="join")
    assert max(ends.values_list("seq", flat=True)) < begins.seq


def test_what_follows_a_leaf_begins_after_the_commit_of_its_end() -> None:
    leaves = [transform(leaf, read_only=True) for leaf in LEAVES[:5]]
    after = [transform(f"after_{leaf['id']}", read_only=True) for leaf in leaves]
    written = fan(leaves)
    written["nodes"] += after
    written["edges"] = [edge for edge in written["edges"] if edge["target"] != "join"]
    for leaf in leaves:
        written["edges"].append({"source": leaf["id"], "target": f"after_{leaf['id']}"})
        written["edges"].append({"source": f"after_{leaf['id']}", "target": "join"})
    begun: list[set[str]] = []
    kept = transactions.RunTransaction.write

    def look(work: transactions.RunTransaction) -> bool:
        types = {(event.type, event.path) for event in work.slice.events}
        begun.append({path for kind, path in types if kind == "step-complete"})
        ended_before = set().union(*begun[:-1])
        for kind, path in types:
            if kind == "step-complete" and path is not None and path.startswith("after_"):
                assert path.removeprefix("after_") in ended_before
        return kept(work)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(transactions.RunTransaction, "write", look)
        run = finish(written)
    assert (run.status, run.steps) == ("succeeded", 12)


def test_others_are_told_of_leaves_that_a_worker_leaves_behind(hinted: list[str], settings: Any) -> None:
    settings.FLOWSITE = settings.FLOWSITE | {"SEGMENT_STEPS": 10}
    run_id = start(fan([transform(leaf, read_only=True) for leaf in LEAVES]))
    hinted.clear()
    run_segment(step(run_id, "first").id)
    pending = set(StepRun.objects.filter(run_id=run_id, status="pending").values_list("id", flat=True))
    assert pending and pending <= set(hinted)
    assert work(run_id).status == "succeeded"


def test_others_are_told_at_once_of_leaves_that_take_time(hinted: list[str]) -> None:
    offer_tool("test_slow", lambda: "done", read_only=True)
    run_id = start(fan([call(leaf, "test_slow") for leaf in LEAVES[:4]]))
    hinted.clear()
    run_segment(step(run_id, "first").id)
    assert {step(run_id, leaf).id for leaf in LEAVES[1:4]} <= set(hinted)
    assert work(run_id).status == "succeeded"


def test_others_are_told_of_pure_leaves_before_a_leaf_that_takes_time_begins(hinted: list[str]) -> None:
    told: list[str] = []

    def slow() -> str:
        told.extend(hinted)
        return "done"

    offer_tool("test_slow", slow, read_only=True)
    run_id = start(fan([call("slow", "test_slow"), transform("quick", read_only=True)]))
    hinted.clear()
    run_segment(step(run_id, "first").id)
    assert told == [step(run_id, "quick").id]
    assert work(run_id).status == "succeeded"


def test_a_leaf_that_the_state_refuses_fails_alone() -> None:
    leaves = [
        {"id": leaf, "type": "set_variable", "config": {"variable": leaf, "value": place}}
        for place, leaf in enumerate(LEAVES[:5])
    ]
    leaves[2]["config"]["value"] = "no number"  # found out when it ends, in the transaction of others
    written = fan(
        leaves,
        inputs=[{"name": leaf, "type": "integer"} for leaf in LEAVES[:5]],
        state={"type": "object", "properties": {leaf: {"type": "integer"} for leaf in LEAVES[:5]}},
    )
    written["edges"].append({"source": "leaf2", "target": "join", "on": "error"})
    run = finish(written)
    assert run.status == "succeeded"
    assert [step(run.id, leaf).status for leaf in LEAVES[:5]] == ["succeeded"] * 2 + ["failed"] + ["succeeded"] * 2
    assert step(run.id, "leaf2").error["code"] == "state_invalid"
    assert verify_history(run.id).is_whole


def test_a_leaf_whose_result_the_engine_cannot_take_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    written = fan([transform(leaf, read_only=True) for leaf in LEAVES[:5]])
    written["edges"].append({"source": "leaf2", "target": "join", "on": "error"})
    run_id = start(written)
    take = steps.advance

    def refuse(program: Any, slice_: Any, happening: Any) -> Any:
        if isinstance(happening, StepFinished) and slice_.step(happening.step_id).path == "leaf2":
            raise RunError("value_too_large", "The result cannot be kept.")
        return take(program, slice_, happening)

    monkeypatch.setattr(steps, "advance", refuse)
    run = work(run_id)
    assert run.status == "succeeded"
    assert [step(run.id, leaf).status for leaf in LEAVES[:5]] == ["succeeded"] * 2 + ["failed"] + ["succeeded"] * 2
    assert step(run.id, "leaf2").error["message"] == "The result cannot be kept."
    assert verify_history(run.id).is_whole


def test_a_commit_that_fails_is_repeated_with_all_leaves_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = start(fan([transform(leaf, read_only=True) for leaf in LEAVES]))
    write = transactions.RunTransaction.write
    failures: list[int] = []

    def fail_once(work: transactions.RunTransaction) -> bool:
        if not failures and sum(event.type == "step-complete" for event in work.slice.events) > 10:
            failures.append(1)
            raise OperationalError("database is locked")
        return write(work)

    monkeypatch.setattr(transactions.RunTransaction, "write", fail_once)
    monkeypatch.setattr(steps.time, "sleep", lambda _: None)
    run = work(run_id)
    assert (failures, run.status, run.steps) == ([1], "succeeded", 52)
    assert event_types(run).count("step-complete") == 52
    assert verify_history(run_id).is_whole
