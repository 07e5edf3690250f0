"""The report in Markdown and the evidence bundle: what was found, where, how far it goes, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runner.samples.research.markdown import escaped, on_one_line, quoted
from runner.samples.research.words import all_words, folded

State = Mapping[str, Any]
LISTED = 20
"""Entries of a list of what went wrong; beyond it, how many more there are."""


def bundle_of(state: State) -> dict[str, Any]:
    """Everything behind the report, for programs: each claim with its quotes, each quote with source and place."""
    cited = _citations(state)
    evidence = {one["id"]: one for one in state["evidence"]}
    claims = []
    for section in state["sections"]:
        for claim in section["claims"]:
            rests_on = [evidence[name] for name in claim["evidence"]]
            claims.append(
                {
                    "question": section["question"],
                    "claim": claim["text"],
                    "score": max(one["score"] for one in rests_on),
                    "evidence": [_of_evidence(one, cited) for one in rests_on],
                }
            )
    used = {name for section in state["sections"] for claim in section["claims"] for name in claim["evidence"]}
    return {
        "format": 1,
        **{name: state["brief"][name] for name in ("topic", "audience", "as_of", "folder", "freshness_days")},
        "worded_by": state["model"]["name"] or "nobody: every claim is a quote",
        "questions": list(state["questions"]),
        "claims": claims,
        "more_evidence": [_of_evidence(one, cited) for one in state["evidence"] if one["id"] not in used],
        "sources": [_of_source(source, number, state) for source, number in cited.items()],
        "coverage": list(state["coverage"]["rows"]),
        "words_not_found": list(state["coverage"]["words_not_found"]),
        "may_disagree": list(state["coverage"]["may_disagree"]),
        "stale": list(state["coverage"]["stale"]),
        "searches": [{"question": question, "query": query} for question, query in state["tried"]],
        "unreadable": list(state["unreadable"]),
        "read_in_part": [
            {name: one[name] for name in ("source", "letters", "characters")}
            for one in state["read"]
            if one["letters"] < one["characters"]
        ],
        "dropped": list(state["dropped"]),
        "stopped": state.get("stopped"),
    }


def _of_evidence(one: Mapping[str, Any], cited: Mapping[str, int]) -> dict[str, Any]:
    names = ("id", "quote", "source", "title", "digest", "start", "end", "score", "pass")
    return {**{name: one.get(name) for name in names}, "citation": cited.get(one["source"])}


def _of_source(source: str, number: int, state: State) -> dict[str, Any]:
    one = next(one for one in state["evidence"] if one["source"] == source)
    return {"citation": number, **{name: one.get(name) for name in ("source", "title", "modified", "modified_from")}}


def _citations(state: State) -> dict[str, int]:
    """The number of each source that the report quotes, in the order of the report."""
    found: dict[str, int] = {}
    evidence = {one["id"]: one["source"] for one in state["evidence"]}
    for section in state["sections"]:
        for claim in section["claims"]:
            for name in claim["evidence"]:
                found.setdefault(evidence[name], len(found) + 1)
    for pair in state["coverage"]["may_disagree"]:
        for name in pair["evidence"]:
            found.setdefault(evidence[name], len(found) + 1)
    return found


def markdown_of(state: State) -> str:
    """The report for people. Text of documents and models is data: markup in it shows as it was written."""
    cited = _citations(state)
    parts = [f"# {on_one_line(state['brief']['topic'])}", _about(state), _how(state)]
    if "stopped" in state:
        parts.append(f"**The run stopped early.** {on_one_line(state['stopped'])} What was found until then is here.")
    if not cited:
        parts += _nothing_found(state)
    else:
        parts += ["## At a glance", _glance(state)]
        for number, question in enumerate(state["questions"], start=1):
            parts += _section(number, question, state, cited)
    parts += _not_covered(state)
    if cited:
        parts += _disagreements(state, cited)
        parts += _stale(state, cited)
        parts += ["## Sources", _sources(state, cited)]
    parts += ["## How it was searched", _searches(state)]
    return "\n\n".join(parts) + "\n"


def _about(state: State) -> str:
    brief = state["brief"]
    facts = [
        f"For: {on_one_line(brief['audience'])}" if brief["audience"] else "",
        f"folder: {on_one_line(brief['folder'])}" if brief["folder"] else "the site's default folder",
        f"{_many(state['coverage']['documents'], 'document')} in it" if state["coverage"]["documents"] else "",
        f"{len(state['read'])} read",
        f"as of {brief['as_of']}",
    ]
    told = "; ".join(fact for fact in facts if fact)
    return f"{told[:1].upper()}{told[1:]}."


def _how(state: State) -> str:
    model = state["model"]["name"]
    if model:
        return (
            f"Questions, choice and wording are by the model {on_one_line(model)}. Every claim rests on quotes; that"
            " each quote stands in its source, at the place given, was checked by program."
        )
    return (
        f"No model was asked ({on_one_line(state['model']['why'])}): every sentence in the sections is quoted as it"
        " stands in a document. Rules chose and ordered the quotes by the words of each question; nobody has judged"
        " whether they are true."
    )


def _nothing_found(state: State) -> list[str]:
    if state["candidates"]:
        found = (
            f"{_many(len(state['candidates']), 'document')} came up in the searches and"
            f" {_many(len(state['read']), 'was', 'were')} read, but no sentence in them answers a question of the plan:"
            " as far as its words go, this folder does not cover the topic."
        )
    else:
        found = "This folder does not cover the topic: no document in it came up in the searches."
    told = (
        "There is nothing to report. Add documents about it, name another folder, or ask with the words that they use."
    )
    return ["## Nothing was found", f"{found} {told}"]


def _glance(state: State) -> str:
    lines = []
    for number, (question, row) in enumerate(zip(state["questions"], state["coverage"]["rows"], strict=True), start=1):
        if row["sources"]:
            told = f"{_many(row['quotes'], 'quote')} from {_many(row['sources'], 'source')}"
        else:
            told = "nothing found"
        lines.append(f"{number}. {on_one_line(question['question'])} **{told}**")
    return "\n".join(lines)


def _section(number: int, question: Mapping[str, Any], state: State, cited: Mapping[str, int]) -> Iterator[str]:
    claims = next(one["claims"] for one in state["sections"] if one["question"] == question["id"])
    if not claims:
        return
    evidence = {one["id"]: one for one in state["evidence"]}
    yield f"## {number}. {on_one_line(question['question'])}"
    for claim in claims:
        rests_on = [evidence[name] for name in claim["evidence"]]
        if claim["text"] != folded(rests_on[0]["quote"]):
            marks = "".join(f"[{one}]" for one in dict.fromkeys(cited[one["source"]] for one in rests_on))
            yield f"{escaped(folded(claim['text']))} {marks}"
        alike: dict[str, list[Mapping[str, Any]]] = {}
        for one in rests_on:
            alike.setdefault(" ".join(all_words(one["quote"])).lower(), []).append(one)
        for same in alike.values():
            yield _quote(same, cited)


def _quote(same: Sequence[Mapping[str, Any]], cited: Mapping[str, int]) -> str:
    """A quote as its first source has it, and where it stands in each of its sources."""
    places = [
        f"> [{cited[one['source']]}] {on_one_line(_name(one))}, characters {one['start']} to {one['end']}"
        for one in same
    ]
    return "\n>\n".join([quoted(same[0]["quote"]), *places])


def _name(one: Mapping[str, Any]) -> str:
    return str(one.get("title") or one["source"])


def _not_covered(state: State) -> Iterator[str]:
    wanted = state["coverage"]["wanted"]
    lines = []
    for question, row in zip(state["questions"], state["coverage"]["rows"], strict=True):
        if row["missing"]:
            have = f"{row['sources']} of {_many(wanted, 'source')}" if row["sources"] else "no source"
            lines.append(f"{on_one_line(question['question'])} {have[:1].upper()}{have[1:]}.")
    words = state["coverage"]["words_not_found"]
    if words and state["evidence"]:
        lines.append(f"No quote holds {', '.join(f'“{on_one_line(word)}”' for word in words)}.")
    lines += [f"Not read: {on_one_line(one['source'])}. {on_one_line(one['why'])}" for one in state["unreadable"]]
    for one in state["dropped"]:
        where = f" (from {on_one_line(one['source'])})" if one["source"] else ""
        lines.append(f"Left out{where}, since {one['why']}: {on_one_line(one['claim'])}")
    if not lines:
        return
    yield "## Not covered"
    yield f"Each question was to be answered from at least {_many(wanted, 'source')}."
    yield _listed(lines)


def _disagreements(state: State, cited: Mapping[str, int]) -> Iterator[str]:
    if not state["coverage"]["asked_for_conflicts"]:
        return
    yield "## May disagree"
    pairs = state["coverage"]["may_disagree"]
    if not pairs:
        yield "No two quotes about the same differ in a number or a “not”. Other disagreements are not looked for."
        return
    yield "Found by a rule of thumb, to be compared by a person: quotes with many words in common that differ."
    evidence = {one["id"]: one for one in state["evidence"]}
    for pair in pairs:
        yield f"**Perhaps {on_one_line(pair['why'])}:**"
        for name in pair["evidence"]:
            yield _quote([evidence[name]], cited)


def _stale(state: State, cited: Mapping[str, int]) -> Iterator[str]:
    if not state["coverage"]["asked_for_stale"]:
        return
    days = state["brief"]["freshness_days"]
    yield "## Old sources"
    rows = [one for one in state["coverage"]["stale"] if one["source"] in cited]
    if not rows:
        yield f"No source that is quoted was last changed more than {_many(days, 'day')} ago."
        return
    yield f"Last changed more than {_many(days, 'day')} before {state['brief']['as_of']}:"
    yield _listed([
        f"[{cited[one['source']]}] {on_one_line(one['source'])}, {one['modified']} ({one['days']:,} days)"
        for one in rows
    ])  # fmt: skip


def _sources(state: State, cited: Mapping[str, int]) -> str:
    lines = []
    in_part = {one["source"]: one for one in state["read"] if one["letters"] < one["characters"]}
    for source, number in cited.items():
        one = next(one for one in state["evidence"] if one["source"] == source)
        when = f", {one['modified']}{_DATED.get(one.get('modified_from') or '', '')}" if one.get("modified") else ""
        title = on_one_line(_name(one))
        named = title if title == on_one_line(source) else f"{title}: {on_one_line(source)}"
        part = in_part.get(source)
        told = f"; read in part: {part['letters']:,} of {part['characters']:,} letters" if part else ""
        lines.append(f"- [{number}] {named}{when}{told}")
    return "\n".join(lines)


_DATED = {"file": " (date of the file)"}


def _searches(state: State) -> str:
    numbers = {one["id"]: place for place, one in enumerate(state["questions"], start=1)}
    lines = [f"Question {numbers.get(question, question)}: {on_one_line(query)}" for question, query in state["tried"]]
    passes = f"{_many(state['passes'], 'pass', 'passes')}, {_many(len(state['candidates']), 'document')} found."
    return f"{passes}\n\n{_listed(lines)}"


def _listed(lines: Sequence[str]) -> str:
    shown = [f"- {line}" for line in lines[:LISTED]]
    return "\n".join(shown + ([f"- And {len(lines) - LISTED} more."] if len(lines) > LISTED else []))


def _many(count: int, one: str, more: str = "") -> str:
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def summary_of(state: State) -> dict[str, Any]:
    """What the run gives back."""
    rows = state["coverage"]["rows"]
    return {
        "claims": sum(len(section["claims"]) for section in state["sections"]),
        "quotes": len(state["evidence"]),
        "sources": len({one["source"] for one in state["evidence"]}),
        "questions": len(rows),
        "questions_short_of_sources": sum(row["missing"] > 0 for row in rows),
        "may_disagree": len(state["coverage"]["may_disagree"]),
        "stale": len(state["coverage"]["stale"]),
        "dropped": len(state["dropped"]),
        "passes": state["passes"],
    }
