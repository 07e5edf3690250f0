"""The note on a message: what was done, in which way, and the words of people as they wrote them."""

from __future__ import annotations

from typing import Any

import pytest

from runner.samples.triage_note import HEADINGS, note_of, summary_of

STATE: dict[str, Any] = {
    "message": "The invoice is wrong.\nPlease *mend* it.",
    "customer": "Ada <script>",
    "found": {"category": "billing", "reason": "It says “invoice”."},
    "way": {"by": "words", "told": "by keyword rules: no model is set up on this site"},
    "desk": {"name": "Billing", "promise": "We look."},
    "draft": {"text": "Hello,\n\nwe look.", "way": "from the desk's template"},
    "reviewed": {"answer": "Hello,\n\nwe look."},
    "outcome": {"outcome": "sent", "detail": 7},
}


def test_a_sent_answer_is_noted_with_how_it_came_about() -> None:
    assert note_of("Message to support", STATE) == (
        "# Message to support\n\n"
        "From: Ada \\<script\\>\n\n"
        "> The invoice is wrong.  \n> Please \\*mend\\* it.  \n\n"
        "Category: **billing**, sorted by keyword rules: no model is set up on this site. It says “invoice”.\n\n"
        "Desk: Billing. Drafted from the desk's template.\n\n"
        "## Sent\n\n"
        "Message in the outbox: 7\n\n"
        "> Hello,  \n>  \n> we look.  \n"
    )


def test_what_the_reviewer_changed_stands_beside_the_draft() -> None:
    note = note_of("T", STATE | {"reviewed": {"answer": "Hi."}})
    assert note.endswith("> Hi.  \n\nThe reviewer changed the draft, which was:\n\n> Hello,  \n>  \n> we look.  \n")


@pytest.mark.parametrize("outcome", ["rejected", "undecided", "failed"])
def test_what_was_not_sent_says_why(outcome: str) -> None:
    state = STATE | {"outcome": {"outcome": outcome, "detail": "We #promise too much."}}
    state.pop("reviewed")
    note = note_of("T", state)
    assert f"## {HEADINGS[outcome]}\n\nReason: We \\#promise too much.\n\n> Hello," in note
    assert "changed" not in note
    assert summary_of(state)["message"] is None


def test_a_rejection_without_words_gives_no_reason() -> None:
    state = STATE | {"outcome": {"outcome": "rejected", "detail": None}}
    assert "Reason" not in note_of("T", state)


def test_the_summary_is_what_the_run_gives() -> None:
    assert summary_of(STATE) == {
        "category": "billing",
        "sorted": "by keyword rules: no model is set up on this site",
        "drafted": "from the desk's template",
        "outcome": "sent",
        "message": 7,
    }
