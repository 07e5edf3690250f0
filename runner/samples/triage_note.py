"""The note on one message to customer support, in Markdown. It only reads what the steps gave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runner.samples.report import escaped

HEADINGS = {
    "sent": "Sent",
    "rejected": "Not sent: a reviewer rejected it",
    "undecided": "Not sent: nobody decided in time",
    "failed": "Not sent: the outbox refused it",
}
"""What became of the answer, and how the note says it."""


def summary_of(state: Mapping[str, Any]) -> dict[str, Any]:
    """What the run gives back: the category, how it was found and drafted, and what became of the answer."""
    return {
        "category": state["found"]["category"],
        "sorted": state["way"]["told"],
        "drafted": state["draft"]["way"],
        "outcome": state["outcome"]["outcome"],
        "message": state["outcome"]["detail"] if state["outcome"]["outcome"] == "sent" else None,
    }


def note_of(title: str, state: Mapping[str, Any]) -> str:
    """Write the note. Text of the customer, the model and the reviewer is data: markup in it shows as written."""
    found, outcome, draft = state["found"], state["outcome"], state["draft"]["text"]
    answer = state["reviewed"]["answer"] if "reviewed" in state else None
    parts = [
        f"# {escaped(title)}",
        f"From: {escaped(state['customer'])}",
        _quoted(state["message"]),
        f"Category: **{escaped(found['category'])}**, sorted {escaped(state['way']['told'])}."
        f" {escaped(found['reason'])}",
        f"Desk: {escaped(state['desk']['name'])}. Drafted {escaped(state['draft']['way'])}.",
        f"## {HEADINGS[outcome['outcome']]}",
    ]
    if outcome["detail"] not in (None, ""):
        told = "Message in the outbox" if outcome["outcome"] == "sent" else "Reason"
        parts.append(f"{told}: {escaped(str(outcome['detail']))}")
    parts.append(_quoted(draft if answer is None else answer))
    if answer is not None and answer != draft:
        parts += ["The reviewer changed the draft, which was:", _quoted(draft)]
    return "\n\n".join(parts) + "\n"


def _quoted(text: str) -> str:
    """A text as a block of its own, line by line."""
    return "\n".join(f"> {escaped(line)}  ".rstrip(" ") + "  " for line in text.splitlines() or [""])
