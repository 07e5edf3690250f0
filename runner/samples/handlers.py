"""The handlers of the sample flows: they sum up what the steps gave."""

from __future__ import annotations

from typing import Any

from runner.handlers import handler
from runner.samples.report import markdown_of, totals_of
from runner.samples.research import handlers as research_handlers
from runner.samples.triage_note import note_of, summary_of

__all__ = ["note_triage", "research_handlers", "summarize_invoices"]

OPTIONS = {
    "type": "object",
    "properties": {"title": {"type": "string", "description": "Heading of the report."}},
    "additionalProperties": False,
}


@handler("summarize_invoices", writes=("report", "totals"), options_schema=OPTIONS)
def summarize_invoices(state: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Sum up what became of each invoice: totals, and the report in Markdown."""
    outcomes, bad_rows = state["outcomes"], state["batch"]["bad_rows"]
    totals = totals_of(outcomes, bad_rows)
    title = options.get("title", "Invoice report")
    report = markdown_of(title, state["batch"]["source"], state["review_above"], outcomes, bad_rows)
    return {"state": {"report": report, "totals": totals}, "output": totals}


@handler("note_triage", writes=("report", "summary"), options_schema=OPTIONS)
def note_triage(state: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Note what became of a message to support: a summary, and the note in Markdown."""
    summary = summary_of(state)
    report = note_of(options.get("title", "Message to support"), state)
    return {"state": {"report": report, "summary": summary}, "output": summary}
