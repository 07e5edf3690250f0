"""The handlers of the sample flow `deep_research`: what is counted, checked and remembered between its agents."""

from __future__ import annotations

import json
from typing import Any

from runner.handlers import handler
from runner.samples.research.assessing import (
    coverage_of,
    disagreements,
    next_searches,
    stale_sources,
    words_not_found,
)
from runner.samples.research.evidence import checked
from runner.samples.research.ranking import chosen, gathered
from runner.samples.research.reading import first_text, letters_of, parts_of
from runner.samples.research.report import bundle_of, markdown_of, summary_of
from runner.samples.research.synthesis import checked_sections, synthesized
from runner.samples.research.words import folded

FOUND_AT_ONCE = 40
"""Passages that one search may find."""

State = dict[str, Any]
Reply = dict[str, Any]


BEGINS_EMPTY = ("tried", "candidates", "read", "unreadable", "evidence", "dropped")
"""What is filled while the run goes on."""


@handler("research_plan", writes=("questions", "searches", "passes", "folder_has", *BEGINS_EMPTY))
def research_plan(state: State) -> Reply:
    """Number the questions of a plan, and begin with nothing found."""
    most = int(state["brief"]["subquestions"])
    given = [one for one in state["planned"]["questions"] if folded(one["question"]) and folded(one["query"])]
    questions = [
        {"id": f"q{number}", **{name: folded(one[name]) for name in ("question", "query", "why")}}
        for number, one in enumerate(given[:most], start=1)
    ]
    if not questions:
        topic = state["brief"]["topic"]
        questions = [{"id": "q1", "question": topic, "query": topic, "why": "the plan asked nothing"}]
    searches = [_search(state, one["id"], one["query"]) for one in questions]
    empty: dict[str, Any] = {name: [] for name in BEGINS_EMPTY}
    counts = {"passes": 0, "folder_has": 0}
    return {"state": {"questions": questions, "searches": searches, **empty, **counts}, "output": questions}


def _search(state: State, question: str, query: str) -> dict[str, Any]:
    arguments = {"query": query, "limit": FOUND_AT_ONCE, "folder": state["brief"]["folder"]}
    return {"question": question, "query": query, "arguments": arguments}


@handler("research_candidates", writes=("candidates", "tried", "passes", "folder_has"))
def research_candidates(state: State) -> Reply:
    """Add what the searches of this pass found to the candidates."""
    passes = state["passes"] + 1
    searches = state["searches"]
    known = gathered(state["candidates"], searches, state["found"], passes)
    asked = [[one["question"], one["query"]] for one in searches]
    tried = state["tried"] + [pair for pair in asked if pair not in state["tried"]]
    answers = [answer for group in state["found"] for answer in group or () if isinstance(answer, dict)]
    has = max([state["folder_has"], *(int(answer.get("documents") or 0) for answer in answers)])
    delta = {"candidates": known, "tried": tried, "passes": passes, "folder_has": has}
    return {"state": delta, "output": {"candidates": len(known), "pass": passes}}


@handler("research_choose", writes=("reading", "dropped"))
def research_choose(state: State) -> Reply:
    """Choose what to read now: for each question as many documents as it lacks sources, none twice."""
    wanted = int(state["brief"]["wanted"])
    rows = state["coverage"]["rows"] if "coverage" in state else []
    missing = {one["id"]: wanted for one in state["questions"]} | {row["question"]: row["missing"] for row in rows}
    gone = [one["source"] for one in (*state["read"], *state["unreadable"])]
    picked, invented = chosen(state["ranked"]["ranking"], state["candidates"], missing, gone)
    reading = [{**one, "arguments": {"source": one["source"], "folder": state["brief"]["folder"]}} for one in picked]
    dropped = [{"source": name, "claim": "", "why": "no search found it"} for name in invented]
    delta = {"reading": reading, "dropped": _added(state["dropped"], dropped)}
    return {"state": delta, "output": [one["source"] for one in picked]}


@handler("research_cut", writes=())
def research_cut(state: State) -> Reply:
    """Keep of a document what is read of it: all of a short one, else the parts around what was found."""
    wanted, found = state["wanted"], first_text(state["fetched"])
    about = {name: wanted[name] for name in ("source", "title", "modified", "modified_from")}
    if found is None:
        return {"output": {**about, "parts": [], "why": "No reader could give it."}}
    parts = parts_of(found["text"], wanted["passages"])
    whole = int(found.get("characters") or len(found["text"]))
    known = {name: found[name] for name in ("title", "modified", "modified_from", "digest") if found.get(name)}
    return {"output": {**about, **known, "parts": parts, "letters": letters_of(parts), "characters": whole}}


@handler("research_documents", writes=("documents", "texts", "read", "unreadable"))
def research_documents(state: State) -> Reply:
    """Tell what could be read from what could not. Texts are kept once, and only until evidence was taken from them."""
    texts = [one for one in state["texts"] if one is not None]
    documents = [one for one in texts if one["parts"]]
    names = ("source", "title", "modified", "letters", "characters")
    read = [{name: one.get(name) for name in names} for one in documents]
    unreadable = [{"source": one["source"], "why": one["why"]} for one in texts if not one["parts"]]
    delta = {
        "documents": documents,
        "texts": [],
        "read": state["read"] + read,
        "unreadable": _added(state["unreadable"], unreadable),
    }
    return {"state": delta, "output": {"read": len(read), "unreadable": len(unreadable)}}


@handler("research_quotes", writes=("evidence", "dropped"))
def research_quotes(state: State) -> Reply:
    """Keep each claim whose quote stands in the document, with its place; drop the others, and say so."""
    questions = [one["id"] for one in state["questions"]]
    claims = state["claims_here"]["claims"]
    kept, dropped = checked(claims, state["document"], questions, state["evidence"], state["passes"])
    delta = {"evidence": state["evidence"] + kept, "dropped": _added(state["dropped"], dropped)}
    return {"state": delta, "output": {"kept": len(kept), "dropped": len(dropped)}}


@handler("research_assess", writes=("sections", "coverage", "searches", "dropped", "documents"))
def research_assess(state: State) -> Reply:
    """Check the claims of a draft, and see how far the evidence goes: what is missing, and what to search for next."""
    sections, dropped = checked_sections(state["drafted"], state["questions"], state["evidence"])
    coverage = _coverage(state, sections)
    searches = _next(state, coverage["rows"])
    coverage |= {"missing": sum(row["missing"] for row in coverage["rows"]), "searches": len(searches)}
    delta = {
        "sections": sections,
        "coverage": coverage,
        "searches": searches,
        "dropped": _added(state["dropped"], dropped),
        "documents": [],
    }
    return {"state": delta, "output": {name: coverage[name] for name in ("rows", "missing", "searches")}}


def _coverage(state: State, sections: list[dict[str, Any]]) -> dict[str, Any]:
    brief, evidence = state["brief"], state["evidence"]
    conflicts, stale = bool(brief["conflict_check"]), bool(brief["stale_source_check"])
    return {
        "rows": coverage_of(sections, evidence, int(brief["wanted"])),
        "wanted": int(brief["wanted"]),
        "documents": state["folder_has"],
        "words_not_found": words_not_found(brief["topic"], evidence),
        "asked_for_conflicts": conflicts,
        "may_disagree": disagreements(evidence) if conflicts else [],
        "asked_for_stale": stale,
        "stale": stale_sources(evidence, brief["as_of"], int(brief["freshness_days"])) if stale else [],
    }


def _next(state: State, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    gone = {one["source"] for one in (*state["read"], *state["unreadable"])}
    unread = {
        question["id"]: sum(question["id"] in one["found"] and one["source"] not in gone for one in state["candidates"])
        for question in state["questions"]
    }
    follow_up = state["drafted"].get("follow_up", [])
    found = next_searches(state["questions"], rows, follow_up, state["tried"], unread)
    return [_search(state, one["question"], one["query"]) for one in found]


@handler("research_report", writes=("report", "bundle", "summary"))
def research_report(state: State) -> Reply:
    """Write the report and the evidence bundle. Where the run had to stop early, with the evidence there is."""
    whole = dict(state)
    if "stopped" in state or "sections" not in state:
        drafted = synthesized(state["questions"], state["evidence"])
        whole["sections"] = checked_sections(drafted, state["questions"], state["evidence"])[0]
        whole["coverage"] = _coverage(state, whole["sections"])
    summary = summary_of(whole)
    bundle = json.dumps(bundle_of(whole), ensure_ascii=False, indent=1) + "\n"
    return {"state": {"report": markdown_of(whole), "bundle": bundle, "summary": summary}, "output": summary}


def _added(known: list[Any], more: list[Any]) -> list[Any]:
    """A list with what is new to it."""
    return known + [one for place, one in enumerate(more) if one not in known and one not in more[:place]]
