"""The sample flow for support through the durable runner: real tools, a real outbox, and a model server on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.contrib.auth.models import Group, User

from editor.models import FlowVersion
from runner.models import Approval, Artifact, Event, Run, StepRun
from runner.samples.loading import load_flows
from runner.samples.models import OutboxMessage
from runner.services.approvals import decide_approval
from runner.services.runs import actor_of, start_run
from runner.services.steps import run_segment
from runner.store.claims import pending_steps
from runner.tools.llm import PROVIDERS
from runner.tools.llm.chat import ChatProvider
from runner.tools.llm.endpoint import read_endpoint
from tests.support.model_server import Answer, ModelServer, completion

pytestmark = pytest.mark.django_db(transaction=True)

KEY = "sk-only-for-this-test-0123456789"
TECHNICAL = {"message": "The app crashes with an error since the update.", "customer": "Grace Hopper"}


@pytest.fixture(autouse=True)
def samples() -> None:
    assert list(load_flows())


@pytest.fixture
def reviewer() -> User:
    user = User.objects.create(username="rita")
    user.groups.add(Group.objects.get(name="reviewer"))
    return user


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that gives the site the models of a server that answers as told."""

    @contextmanager
    def offer(*answers: Any) -> Iterator[ModelServer]:
        with ModelServer(*answers) as server:
            provider = ChatProvider(read_endpoint(server.url, KEY, ["small"], {"small": {"input": 1, "output": 2}}))
            monkeypatch.setattr(PROVIDERS, "_providers", {"openai": provider})
            monkeypatch.setattr(PROVIDERS, "default_model", "openai")
            yield server

    return offer


def start(inputs: dict[str, Any], preset: str | None = None) -> Run:
    analyst = User.objects.get_or_create(username="anna")[0]
    version = FlowVersion.objects.get(flow_id="support_triage", number=1)
    return work_on(start_run(version, inputs=inputs, preset=preset, actor=actor_of(analyst), user=analyst).run_id)


def work_on(run_id: str) -> Run:
    for _ in range(1000):
        pending = pending_steps(run_id)
        if not pending:
            return Run.objects.get(pk=run_id)
        for step_id, _backend in pending:
            run_segment(step_id)
    raise AssertionError("the run does not come to rest")


def decide(run: Run, reviewer: User, verdict: str, **more: Any) -> Run:
    approval = Approval.objects.get(run=run, status="open")
    decide_approval(
        approval.pk, verdict=verdict, digest=approval.digest, actor=actor_of(reviewer), user=reviewer, **more
    )
    return work_on(run.pk)


def note(run: Run) -> str:
    return str(Artifact.objects.get(run=run, artifact="note").value_of("content"))


def everything_stored(run: Run) -> str:
    """The text of every event and every step's values: what a secret must not be in."""
    events = [event.text for event in Event.objects.filter(run=run)]
    steps = [
        str([step.value_of("input"), step.value_of("output"), step.error, step.notes])
        for step in StepRun.objects.filter(run=run)
    ]
    return "\n".join([*events, *steps])


def test_without_a_model_a_reviewer_sends_the_templates_answer_and_the_note_says_how(reviewer: User) -> None:
    run = start(TECHNICAL)
    assert run.status == "awaiting_approval" and not OutboxMessage.objects.exists()
    approval = Approval.objects.get(run=run)
    assert approval.title == "Send this answer to Grace Hopper?"
    draft = approval.form["properties"]["answer"]["default"]
    assert draft.startswith("Hello Grace Hopper,\n\nthank you") and draft.endswith("Technical support")
    run = decide(run, reviewer, "approved", form={"answer": draft})
    assert run.status == "succeeded"
    sent = OutboxMessage.objects.get()
    assert (sent.recipient, sent.subject, sent.text, sent.category) == (
        "Grace Hopper", "Your message to Technical support", draft, "technical",
    )  # fmt: skip
    assert run.value_of("result") == {
        "category": "technical",
        "sorted": "by keyword rules: no model is set up on this site",
        "drafted": "from the desk's template",
        "outcome": "sent",
        "message": sent.pk,
    }
    assert "sorted by keyword rules: no model is set up on this site. It says “error”, “crashes”, “update”." in note(
        run
    )
    assert not StepRun.objects.filter(run=run, type="llm_call").exists()


def test_the_defaults_of_the_start_form_make_a_run(reviewer: User) -> None:
    run = decide(start({}), reviewer, "approved")
    assert run.status == "succeeded" and run.value_of("result")["category"] == "billing"
    assert OutboxMessage.objects.get().text.startswith("Hello Ada Lovelace,"), "an untouched form sends the draft"


def test_what_the_reviewer_wrote_is_what_is_sent(reviewer: User) -> None:
    run = decide(start(TECHNICAL), reviewer, "approved", form={"answer": "Try turning it off and on."})
    assert OutboxMessage.objects.get().text == "Try turning it off and on."
    assert "The reviewer changed the draft, which was:" in note(run)


def test_a_rejected_answer_is_not_sent(reviewer: User) -> None:
    run = decide(start(TECHNICAL), reviewer, "rejected", comment="Call her.")
    assert run.status == "succeeded" and run.value_of("result")["outcome"] == "rejected"
    assert not OutboxMessage.objects.exists() and "Reason: Call her." in note(run)


def test_with_a_model_it_is_asked_for_both_and_its_cost_is_counted(endpoint: Any, reviewer: User) -> None:
    sorted_as = completion('{"category": "sales", "reason": "They want an offer."}')
    with endpoint(sorted_as, completion("Dear Grace, we call you. Sales")) as server:
        run = start(TECHNICAL)
    assert run.status == "awaiting_approval"
    assert Approval.objects.get(run=run).form["properties"]["answer"]["default"] == "Dear Grace, we call you. Sales"
    first, second = server.asked
    assert first.body["response_format"]["json_schema"]["strict"] is True
    assert "<message>\nThe app crashes" in second.messages[1]["content"] and "'Sales'" in second.messages[0]["content"]
    run = decide(run, reviewer, "approved")
    assert run.value_of("result")["sorted"] == "by the model openai:small"
    assert OutboxMessage.objects.get().category == "sales"
    assert (run.input_tokens, run.output_tokens, run.cost_micros) == (200, 40, 280)
    assert KEY not in everything_stored(run)


def test_a_preset_asks_no_model_though_there_is_one(endpoint: Any, reviewer: User) -> None:
    with endpoint(completion("never asked")) as server:
        run = decide(start(TECHNICAL, "words"), reviewer, "approved")
    assert server.asked == []
    assert run.value_of("result")["sorted"] == "by keyword rules: this run was to ask none"


def test_a_model_that_never_fits_leaves_the_sorting_to_the_rules_and_is_counted(endpoint: Any, reviewer: User) -> None:
    with endpoint(completion("I would say billing.")) as server:
        run = decide(start(TECHNICAL), reviewer, "approved")
    assert len(server.asked) == 2, "asked, and asked to repair its answer; the draft is the template's"
    assert run.value_of("result")["sorted"] == "by keyword rules, since the model failed (output_invalid)"
    assert run.cost_micros == 280
    step = StepRun.objects.get(run=run, node="ask_category")
    assert step.status == "failed" and step.error["code"] == "output_invalid"


def test_a_refused_key_waits_for_its_retries_and_is_stored_nowhere(endpoint: Any) -> None:
    refusal = Answer({"error": {"message": f"Incorrect API key provided: {KEY}."}}, 401)
    with endpoint(refusal) as server:
        run = start(TECHNICAL)
    assert run.status == "active", "the second attempt is due after its back-off"
    assert len(server.asked) == 1
    first = StepRun.objects.get(run=run, node="ask_category", attempt=1)
    assert first.error["code"] == "provider_failed" and first.error["details"]["status"] == 401
    assert KEY not in everything_stored(run)
