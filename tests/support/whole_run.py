"""A run that leaves rows in every table: values large and sensitive, joins, approvals, signals, an artifact."""

from __future__ import annotations

from typing import Any

from runner.models import Run
from runner.services.approvals import decide_approval
from runner.services.runs import send_signal, start_run
from tests.support.runs import PROGRAM, call, document, freeze, offer_tool, open_approval, transform, work


def pay(amount: int) -> dict[str, Any]:
    """Pays."""
    return {"paid": amount, "receipt": "r" * 40_000}


WRITTEN = document(
    [
        {"id": "both", "type": "parallel"},
        transform("left", parent="both", output_variable="left"),
        transform("right", parent="both"),
        transform("meet", parent="both", join="all"),
        call("pay", "pay_for_proof", {"amount": "{{ amount }}"}, output_variable="paid", name="Pay it"),
        {"id": "ask", "type": "approval", "config": {"title": "Right?", "instructions": "Look."}},
        {"id": "hear", "type": "wait", "config": {"signal": "word"}},
        {"id": "loop", "type": "for_each", "config": {"items": [1, 2], "item_variable": "item", "concurrency": 2}},
        transform("body", parent="loop"),
        {"id": "paper", "type": "artifact",
         "config": {"artifact": "letter", "content": "Dear you."}},
        call("again", "pay_for_proof", {"amount": 1}),
    ],
    ["left>meet", "right>meet", "both>pay", "pay>ask", "ask>hear", "hear>loop", "loop>paper", "paper>again"],
    inputs=[
        {"name": "amount", "type": "number", "required": True},
        {"name": "word", "type": "short_text", "sensitive": True},
    ],
    artifacts=[{"id": "letter", "name": "Letter", "type": "text"}],
)  # fmt: skip


def run_through_everything() -> Run:
    """Start it, decide what it asks (once with other arguments), and let it end."""
    offer_tool("pay_for_proof", pay, needs_approval=True, editable=True)
    run_id = start_run(freeze(WRITTEN), inputs={"amount": 5, "word": "secret word"}, actor=PROGRAM).run_id
    changed: list[dict[str, Any]] = [{"arguments": {"amount": 4}}, {}]
    for given in changed:
        work(run_id)
        asked = open_approval(run_id)
        decide_approval(asked.pk, verdict="approved", digest=asked.digest, actor=PROGRAM, comment="fine", **given)
    work(run_id)
    send_signal(run_id, "word", {"said": "yes"}, actor=PROGRAM)
    send_signal(run_id, "word", "one more", actor=PROGRAM)
    work(run_id)
    asked = open_approval(run_id)
    decide_approval(asked.pk, verdict="approved", digest=asked.digest, actor=PROGRAM)
    found = work(run_id)
    assert found.status == "succeeded", found.error
    return found
