"""The sample flow for research through the durable runner: real folders, real tools, no model and a model server."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from editor.models import FlowVersion
from runner.engine.errors import RunError
from runner.models import Artifact, Run, StepRun
from runner.samples.loading import load_flows
from runner.samples.research.markdown import unquoted
from runner.services.runs import start_run
from runner.tools import ToolContext
from runner.tools.folder.places import FOLDERS, read_places
from runner.tools.folder.tools import folder_read
from runner.tools.llm import PROVIDERS
from runner.tools.llm.chat import ChatProvider
from runner.tools.llm.endpoint import read_endpoint
from tests.support.flows import work_on
from tests.support.model_server import Answer, Asked, ModelServer, completion
from tests.support.runs import PROGRAM

pytestmark = pytest.mark.django_db(transaction=True)

PUMPS = """# Pumps

## Pressure

The pump of the garden keeps a pressure of 4 bar in all pipes during the night.
It is a *quiet* pump, see `pump_model`.

| part | what it does |
| --- | --- |
| the valve of the pump | closes when the pressure of the pump is too high for the pipes |

## Repair

A broken pump is repaired by the people of the workshop within two days.
"""
MANUAL = """Manual of the pumps

The pump of the garden keeps a pressure of 6 bar in all pipes during the night.

A broken pump is not repaired by the people of the workshop within two days.
"""
PAGE = """<html><head><title>Old notes</title></head><body><h1>Old notes</h1>
<p>The pump keeps whatever pressure was set by the people of the old plant.</p></body></html>"""
TOPIC = "Which pressure does the pump keep, and who repairs it?"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of three documents, the last one old, as the site's only folder."""
    root = tmp_path / "plant"
    (root / "old").mkdir(parents=True)
    for name, text, day in (("pumps.md", PUMPS, 0), ("manual.txt", MANUAL, 0), ("old/notes.html", PAGE, 1)):
        (root / name).write_text(text)
        os.utime(root / name, (1_000_000_000, 1_000_000_000) if day else None)
    places = read_places({"plant": root}, "plant", tmp_path / "indexes")
    monkeypatch.setattr(FOLDERS, "_given", lambda: places)
    settings.TOOL_ROLES = {"search": ["folder_search"], "reader": ["folder_read"]}
    assert any(loaded.what == "deep_research" for loaded in load_flows())
    return root


def research(preset: str = "standard", **inputs: Any) -> Run:
    version = FlowVersion.objects.get(flow_id="deep_research", number=1)
    started = start_run(version, inputs={"topic": TOPIC} | inputs, preset=preset, actor=PROGRAM)
    return work_on(started.run_id)


def written(run: Run, artifact: str) -> str:
    return str(Artifact.objects.get(run=run, artifact=artifact).value_of("content"))


def bundle(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(written(run, "evidence_bundle"))
    return found


def quotes(found: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for claim in found["claims"] for one in claim["evidence"]] + found["more_evidence"]


def check_verbatim(run: Run) -> int:
    """Every quote of bundle and report stands in its document at the place given; gives how many there are."""
    found = bundle(run)
    assert all(claim["evidence"] for claim in found["claims"])
    texts = {one["source"]: folder_read(one["source"], ctx=ToolContext())["text"] for one in quotes(found)}
    for one in quotes(found):
        assert texts[one["source"]][one["start"] : one["end"]] == one["quote"]
    blocks = [block for block in written(run, "markdown_report").split("\n\n") if block.startswith("> ")]
    known = {one["quote"] for one in quotes(found)}
    for block in blocks:
        assert unquoted(block.partition("\n>\n")[0]) in known
    assert len(blocks) >= len(found["claims"])
    return len(quotes(found))


def test_without_a_model_it_quotes_compares_and_says_what_is_missing() -> None:
    run = research("deep")
    assert run.status == "succeeded", run.error
    assert check_verbatim(run) >= 4
    report, found = written(run, "markdown_report"), bundle(run)
    assert report.startswith("# Which pressure does the pump keep, and who repairs it?\n")
    assert "No model was asked (no model is set up on this site)" in report
    assert "keeps a pressure of 4 bar" in report and "keeps a pressure of 6 bar" in report
    assert "Each question was to be answered from at least 5 sources." in report
    why = {one["why"] for one in found["may_disagree"]}
    assert "one of them says no or not" in why
    assert why & {"the numbers differ: 4 and 6", "the numbers differ: 6 and 4"}
    assert all(f"**Perhaps {one}:**" in report for one in why)
    assert [one["source"] for one in found["stale"]] == ["old/notes.html"]
    assert "old/notes.html, 2001-09-09" in report
    assert {one["missing"] for one in found["coverage"]} <= set(range(6))
    assert run.cost_micros == 0
    notes = StepRun.objects.filter(run=run, type="agent").values_list("notes", flat=True)
    assert notes and all(one["model"] == "offline" for one in notes)
    assert run.value_of("result")["claims"] == len(found["claims"])


def test_the_presets_differ_in_what_they_ask_for_alone() -> None:
    quick, standard = research("quick"), research("standard")
    assert "May disagree" not in written(quick, "markdown_report")
    assert "May disagree" in written(standard, "markdown_report")
    assert "Old sources" not in written(standard, "markdown_report")
    assert all(one["wanted"] == 1 for one in bundle(quick)["coverage"])
    assert len(bundle(quick)["questions"]) <= 3


def test_evidence_grows_over_passes_until_there_is_nothing_left_to_search() -> None:
    run = research("deep")
    passes = [one["pass"] for one in sorted(quotes(bundle(run)), key=lambda one: int(one["id"][1:]))]
    assert passes == sorted(passes) and passes[0] == 1
    verified = list(StepRun.objects.filter(run=run, node="verify").order_by("visit"))
    answers = [step.value_of("output") for step in verified]
    assert len(answers) > 1 and all(one["coverage_insufficient"] for one in answers[:-1])
    assert answers[-1] == {"passed": False, "coverage_insufficient": False, "nothing_left_to_search": True}


def test_the_last_pass_that_the_policy_allows_leads_to_the_report(folder: Path) -> None:
    for number in range(8):
        (folder / f"more-{number}.md").write_text(
            f"# Note {number}\n\n{'Leaf ' * number}The pressure of pump is kept.\n"
        )
    run = research("quick", topic="gauge pressure pump keep repair measure")
    steps = StepRun.objects.filter(run=run, node="verify")
    assert run.status == "succeeded" and steps.count() <= 2
    assert check_verbatim(run) >= 0


def test_a_topic_that_the_folder_does_not_cover_ends_with_a_report_that_says_so() -> None:
    run = research(topic="Fermentation of cabbage")
    report, found = written(run, "markdown_report"), bundle(run)
    assert run.status == "succeeded"
    assert "## Nothing was found" in report and "This folder does not cover the topic: no document" in report
    assert found["claims"] == found["sources"] == [] and len(report) < 1_200
    assert run.value_of("result")["claims"] == 0


@pytest.mark.parametrize("topic", ["of the", "???", "* [x](y) `z`", "the pump " * 100])
def test_odd_topics_end_well(topic: str) -> None:
    run = research("quick", topic=topic)
    assert run.status == "succeeded", run.error
    check_verbatim(run)


@pytest.mark.parametrize("topic", ["", " ", "\n \t"])
def test_a_topic_of_blanks_is_refused_before_anything_starts(topic: str) -> None:
    with pytest.raises(RunError, match="/topic") as caught:
        research("quick", topic=topic)
    assert caught.value.code == "validation_failed" and not Run.objects.exists()


def test_the_same_input_gives_the_same_bytes() -> None:
    first, second = research("deep"), research("deep")
    for artifact in ("markdown_report", "evidence_bundle"):
        assert written(first, artifact) == written(second, artifact)


def test_a_part_of_a_folder_is_named_as_an_input() -> None:
    run = research(folder="plant/old", audience="new people")
    assert {one["source"] for one in bundle(run)["sources"]} == {"old/notes.html"}
    assert "For: new people; folder: plant/old; 1 document in it" in written(run, "markdown_report")


def test_a_folder_that_nobody_named_fails_the_run_clearly() -> None:
    run = research(folder="nowhere")
    assert run.status == "failed" and run.error is not None and "nowhere" in run.error["message"]


# With a model


@contextmanager
def model(monkeypatch: pytest.MonkeyPatch, answer: Any) -> Iterator[ModelServer]:
    """A model that answers each question as told; its tokens cost a dollar and two for a million."""
    with ModelServer({}) as server:
        server.next_answer = lambda asked: _noted(server, asked, answer)  # type: ignore[method-assign]
        endpoint = read_endpoint(server.url, "", ["small"], {"small": {"input": 1, "output": 2}})
        monkeypatch.setattr(PROVIDERS, "_providers", {"openai": ChatProvider(endpoint)})
        monkeypatch.setattr(PROVIDERS, "default_model", "openai")
        yield server


def _noted(server: ModelServer, asked: Asked, answer: Any) -> Answer:
    server.asked.append(asked)
    return Answer(completion(json.dumps(answer(asked))))


TRUE = "The pump of the garden keeps a pressure of 4 bar in all pipes during the night."


def scripted(asked: Asked) -> Any:
    """What a model could answer; some of it is made up."""
    told, prompt = (asked.messages[place]["content"] for place in (0, -1))
    if "prepare research" in told:
        return {"topic": "The pressure of the pump", "terms": ["pump"], "assumptions": [], "unclear": []}
    if "plan research" in told:
        return {"questions": [{"question": "Which pressure?", "query": "pump pressure", "why": "asked"}]}
    if "choose which documents" in told:
        sources = [{"source": name, "score": 1, "reason": "fits"} for name in ("made-up.md", "pumps.md")]
        return {"ranking": [{"question": "q1", "sources": sources}]}
    if "take evidence" in told:
        assert '"source":"pumps.md"' in prompt
        good = {
            "question": "q1",
            "claim": "It keeps 4 bar at night.",
            "quote": TRUE.replace(" in ", "\n in  "),
            "score": 0.9,
        }
        return {"claims": [good, good | {"claim": "It keeps 9 bar.", "quote": "It keeps 9 bar."}]}
    claims = [{"text": "At night it keeps 4 bar.", "evidence": ["e1"]}, {"text": "It is red.", "evidence": ["e7"]}]
    return {"sections": [{"question": "q1", "claims": claims}], "follow_up": []}


def test_with_a_model_every_claim_still_carries_a_quote(monkeypatch: pytest.MonkeyPatch) -> None:
    with model(monkeypatch, scripted) as server:
        run = research("quick")
    assert run.status == "succeeded", run.error
    assert check_verbatim(run) == 1
    found, report = bundle(run), written(run, "markdown_report")
    assert found["worded_by"] == "openai:small"
    assert [claim["claim"] for claim in found["claims"]] == ["At night it keeps 4 bar."]
    assert found["claims"][0]["evidence"][0]["quote"] == TRUE
    assert "At night it keeps 4 bar. [1]" in report and "by the model openai:small" in report
    assert "Left out (from pumps.md), since its quote is not in the document: It keeps 9 bar." in report
    assert "Left out, since it rests on no evidence: It is red." in report
    assert "Left out (from made-up.md), since no search found it" in report
    agents = StepRun.objects.filter(run=run, type="agent")
    assert len(server.asked) == agents.count() == 5
    assert run.cost_micros == 5 * (100 + 2 * 20)


def test_a_model_that_answers_amiss_is_told_once_what_was_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(asked: Asked) -> Any:
        right = scripted(asked)
        amiss = "plan research" in asked.messages[0]["content"] and len(asked.messages) == 2
        return {"questions": [{"question": "Which?"}]} if amiss else right

    with model(monkeypatch, forgetful) as server:
        run = research("quick")
    assert run.status == "succeeded", run.error
    assert len(server.asked) == 6 and run.cost_micros == 6 * 140
    told = next(asked for asked in server.asked if len(asked.messages) > 2).messages[-1]["content"]
    assert "query" in told and "why" in told


def test_when_the_money_is_used_up_the_report_holds_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def dear(asked: Asked) -> Any:
        return scripted(asked)

    with ModelServer({}) as server:
        server.next_answer = lambda asked: _noted(server, asked, dear)  # type: ignore[method-assign]
        prices = {"small": {"input": 2_500, "output": 0}}
        endpoint = read_endpoint(server.url, "", ["small"], prices)
        monkeypatch.setattr(PROVIDERS, "_providers", {"openai": ChatProvider(endpoint)})
        monkeypatch.setattr(PROVIDERS, "default_model", "openai")
        run = research("quick")
    assert run.status == "succeeded", run.error
    report = written(run, "markdown_report")
    assert "The cost or the tokens that the preset allows were used up" in report and TRUE in report
    assert check_verbatim(run) == 1
