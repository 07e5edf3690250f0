"""The incident switch: what is stopped does not start and is not claimed, loses nothing, and goes on by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from editor.models import AuditEntry
from runner import dispatch
from runner.engine.errors import RunError
from runner.models import Run, Stop
from runner.models.steps import StepRun
from runner.services.history import verify_history
from runner.services.stops import release, stop
from runner.store.stops import read_stops
from runner.store.sweeping import oldest_due_step_ms, take_due_hints
from runner.sweeper import sweep
from runner.tools import ToolContext
from runner.tools.llm import PROVIDERS, Completion, CompletionRequest
from tests.support.flows import begin, make_person, publish
from tests.support.runs import call, document, offer_tool, start, step, transform, work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def admin() -> User:
    return make_person("ada", "admin")


@pytest.fixture(autouse=True)
def _calls() -> Iterator[None]:
    CALLS.clear()
    offer_tool("test_pay", lambda: CALLS.append("pay") or "paid")
    offer_tool("test_look", lambda: CALLS.append("look") or "seen")
    yield


CALLS: list[str] = []
TWO = [call("look", "test_look"), call("pay", "test_pay")]


def stopped_in_between(flow: dict[str, Any], act: Callable[[], Any]) -> str:
    """Start a run, and do something after its first step began and before it ended."""
    offer_tool("test_look", lambda: (CALLS.append("look"), act())[0])
    return start(flow)


def test_a_stop_refuses_starts_and_says_who_since_when_and_why(admin: User) -> None:
    version = publish(document([transform("a")], id="one"), admin)
    other = publish(document([transform("a")], id="other"), admin)
    made = stop("flow", "one", reason="it pays twice", user=admin)
    with pytest.raises(RunError, match=r"the flow one is stopped by ada since .* UTC: it pays twice") as refused:
        begin(version, admin)
    assert refused.value.code == "permission_denied"
    assert refused.value.details["stop"]["scope"] == "flow" and refused.value.details["stop"]["by"] == "ada"
    assert begin(other, admin).status == "succeeded"
    release(made.pk, note="mended", user=admin)
    assert begin(version, admin).status == "succeeded"


def test_a_stop_of_everything_refuses_every_start_but_gives_a_run_that_was_started_before(admin: User) -> None:
    first = start(document([transform("a")]), idempotency_key="k")
    stop("all", reason="alarm", user=admin)
    with pytest.raises(RunError, match="everything is stopped"):
        start(document([transform("a")]))
    assert start(document([transform("a")]), idempotency_key="k") == first


def test_running_work_stops_at_its_next_claim_and_loses_nothing(admin: User) -> None:
    run_id = stopped_in_between(document(TWO, ["look>pay"]), lambda: stop("all", reason="alarm", user=admin))
    run = work(run_id)
    assert CALLS == ["look"] and run.status == "active"
    assert step(run_id, "look").status == "succeeded" and step(run_id, "pay").status == "pending"
    release(Stop.objects.get().pk, note="over", user=admin)
    assert work(run_id).status == "succeeded" and CALLS == ["look", "pay"]
    assert verify_history(run_id).is_whole


def test_a_stop_of_a_flow_holds_its_runs_and_no_others(admin: User) -> None:
    held = begin(publish(document(TWO, ["look>pay"], id="one"), admin), admin, work=False)
    free = begin(publish(document(TWO, ["look>pay"], id="other"), admin), admin, work=False)
    stop("flow", "one", reason="alarm", user=admin)
    assert work(free.pk).status == "succeeded"
    assert work(held.pk).status == "active" and CALLS == ["look", "pay"]


def test_a_stop_of_a_tool_holds_only_the_steps_that_would_call_it(admin: User) -> None:
    nodes = [
        {"id": "both", "type": "parallel", "config": {}},
        call("pay", "test_pay", parent="both"),
        call("look", "test_look", parent="both"),
    ]
    stop("tool", "test_pay", reason="the bank is down", user=admin)
    run = work(start(document(nodes)))
    assert CALLS == ["look"] and step(run.pk, "both.pay").status == "pending"
    assert step(run.pk, "both.pay").fence == 0  # never claimed: no attempt was used up
    release(Stop.objects.get().pk, note="it is back", user=admin)
    assert work(run.pk).status == "succeeded" and sorted(CALLS) == ["look", "pay"]


def test_a_stop_of_a_tool_holds_the_members_of_groups(admin: User, settings: Any) -> None:
    settings.TOOL_ROLES = {"payers": ["test_look", "test_pay"]}
    group = {"id": "all", "type": "tool_group", "config": {"role": "payers", "arguments": {}}}
    stop("tool", "test_pay", reason="the bank is down", user=admin)
    run = work(start(document([group])))
    assert CALLS == ["look"] and run.status == "active"
    release(Stop.objects.get().pk, note="it is back", user=admin)
    assert work(run.pk).status == "succeeded" and CALLS == ["look", "pay"]


class Asks:
    """A model that wants two tools called, and then answers with what they gave."""

    name = "asks"

    def models(self) -> tuple[str, ...]:
        return ()

    async def complete(self, request: CompletionRequest, ctx: ToolContext) -> Completion:
        if not request.turns:
            calls = tuple({"tool": name, "arguments": {}} for name in ("test_look", "test_pay"))
            return Completion("", tool_calls=calls)
        return Completion(", ".join(one["result"] for one in request.turns[0]))


def test_a_stop_of_a_tool_holds_the_calls_that_an_agent_asks_for(admin: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PROVIDERS, "default_model", "asks")
    monkeypatch.setattr(PROVIDERS, "_providers", {**PROVIDERS._providers, "asks": Asks()})
    agent = {
        "id": "do",
        "type": "agent",
        "config": {"instructions": "Pay.", "prompt": "Now.", "tools": ["test_look", "test_pay"]},
    }
    stop("tool", "test_pay", reason="the bank is down", user=admin)
    run = work(start(document([agent])))
    assert CALLS == ["look"] and run.status == "active"
    assert step(run.pk, "do[1]").status == "pending" and step(run.pk, "do").waits_for == "calls"
    release(Stop.objects.get().pk, note="it is back", user=admin)
    done = work(run.pk)
    assert (done.status, done.value_of("result"), CALLS) == ("succeeded", "seen, paid", ["look", "pay"])


def test_a_claim_asks_nothing_more_of_the_database_for_the_switch(admin: User) -> None:
    def statements() -> int:
        run_id = start(document(TWO, ["look>pay"]))
        with CaptureQueriesContext(connection) as captured:
            work(run_id)
        return len(captured.captured_queries)

    before = statements()
    offer_tool("test_other_tool", lambda: 1)
    stop("tool", "test_other_tool", reason="x", user=admin)
    statements()  # what the number stands for is read once
    assert statements() == before


def test_the_sweeper_hands_on_what_was_stopped_once_it_is_released(admin: User, monkeypatch: Any) -> None:
    hinted: list[tuple[str, str]] = []
    monkeypatch.setattr(dispatch, "hint_again", lambda steps, at_most: hinted.extend(steps))
    run_id = start(document([call("pay", "test_pay")]))
    made = stop("all", reason="alarm", user=admin)
    StepRun.objects.update(hint_at=1, created_at=1, not_before=1)
    sweep()
    assert not hinted and oldest_due_step_ms() is None
    release(made.pk, note="over", user=admin)
    sweep()
    assert hinted == [(step(run_id, "pay").pk, "inline")]


def test_a_step_held_by_its_tool_is_handed_on_at_once_after_the_release(admin: User) -> None:
    run_id = start(document([call("pay", "test_pay")]))
    made = stop("tool", "test_pay", reason="alarm", user=admin)
    StepRun.objects.update(hint_at=1)
    assert take_due_hints(10) and not take_due_hints(10)  # handed on in vain: its next turn comes later
    assert work(run_id).status == "active"
    release(made.pk, note="over", user=admin)
    assert take_due_hints(10) == [(step(run_id, "pay").pk, "inline")]


def test_a_step_in_its_back_off_is_not_woken_by_a_release(admin: User) -> None:
    start(document([call("pay", "test_pay")]))
    made = stop("tool", "test_pay", reason="alarm", user=admin)
    later = 10**14
    StepRun.objects.update(not_before=later, hint_at=later, dispatch_count=2)
    release(made.pk, note="over", user=admin)
    assert not take_due_hints(10)


def test_stopping_and_releasing_are_written_down(admin: User) -> None:
    made = stop("all", reason="alarm", user=admin)
    release(made.pk, note="false alarm", user=admin)
    entries = AuditEntry.objects.filter(object_type="stop").order_by("pk").values_list("action", "actor_name", "reason")
    assert list(entries) == [("incident-stop", "ada", "alarm"), ("incident-release", "ada", "false alarm")]
    kept = Stop.objects.get()
    assert kept.release_note == "false alarm" and kept.release_actor["name"] == "ada" and not read_stops()


@pytest.mark.parametrize(
    ("scope", "target", "reason", "told"),
    [
        ("all", "", " ", "Say why"),
        ("all", "x", "why", "names no target"),
        ("flow", "nowhere", "why", "There is no flow"),
        ("tool", "nothing", "why", "There is no tool"),
        ("world", "", "why", "Stop one of"),
        ("all", "", "x" * 2_001, "at most 2,000"),
    ],
)
def test_what_cannot_be_stopped_is_refused(admin: User, scope: str, target: str, reason: str, told: str) -> None:
    with pytest.raises(RunError, match=told) as refused:
        stop(scope, target, reason=reason, user=admin)
    assert refused.value.code == "validation_failed" and not Stop.objects.exists()


def test_a_second_stop_of_the_same_is_told_of_the_first(admin: User) -> None:
    first = stop("all", reason="alarm", user=admin)
    with pytest.raises(RunError, match="stopped already, by ada: alarm") as refused:
        stop("all", reason="again", user=make_person("bob", "admin"))
    assert refused.value.details == {"stop": first.pk}
    release(first.pk, note="over", user=admin)
    with pytest.raises(RunError, match="released this stop already"):
        release(first.pk, note="over", user=admin)
    with pytest.raises(RunError) as unknown:
        release(10**9, note="over", user=admin)
    assert unknown.value.code == "not_found"
    assert stop("all", reason="alarm again", user=admin).pk != first.pk


def test_only_admins_stop_and_release(admin: User) -> None:
    made = stop("all", reason="alarm", user=admin)
    for group in ("analyst", "reviewer"):
        person = make_person(group, group)
        for act in (lambda: stop("all", reason="x", user=person), lambda: release(made.pk, note="x", user=person)):  # noqa: B023
            with pytest.raises(RunError) as refused:
                act()
            assert refused.value.code == "permission_denied"
    assert Stop.objects.active().count() == 1 and Run.objects.count() == 0
