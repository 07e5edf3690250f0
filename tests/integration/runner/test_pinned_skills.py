"""Publishing pins skills: a run uses the pinned one, or stops before anything is done."""

from __future__ import annotations

from typing import Any

import pytest

from editor.language.catalog import SkillSpec
from editor.models import FlowVersion
from editor.services import freeze_trial, import_flow, publish_version
from runner.catalog import CATALOG
from runner.engine.errors import RunError
from runner.models import Run, StepRun
from runner.services.runs import start_run
from runner.tools import SKILLS, SkillRegistry, register_skill
from tests.support.flows import work_on
from tests.support.runs import PROGRAM, document, transform

pytestmark = pytest.mark.django_db(transaction=True)

SCHEMA = {"type": "object", "required": ["said"]}


@pytest.fixture(autouse=True)
def skills(monkeypatch: pytest.MonkeyPatch) -> SkillRegistry:
    """The registry of the site, empty; what is registered in a test is gone after it."""
    monkeypatch.setattr(SKILLS, "_skills", {})
    return SKILLS


def install(version: str = "1.0.0", said: str = "first", **changes: Any) -> SkillSpec:
    given: dict[str, Any] = {"instructions": f"Say {said}.", "output_schema": SCHEMA} | changes
    return register_skill("speaker", version, offline=lambda: {"said": said}, **given).spec


def flow(ref: str = "speaker") -> dict[str, Any]:
    agent = {"id": "speak", "type": "agent", "config": {"skill": ref, "prompt": "x"}, "output_variable": "spoken"}
    return document([transform("before"), agent], ["before>speak"])


def publish(ref: str = "speaker") -> FlowVersion:
    return publish_version(import_flow(flow(ref), by=None, replace=True), by=None, catalog=CATALOG)


def begin(version: FlowVersion) -> Run:
    run_id = start_run(version, inputs={}, actor=PROGRAM).run_id
    work_on(run_id)
    return Run.objects.get(pk=run_id)


def test_a_version_keeps_what_its_skills_stood_for() -> None:
    pinned = install("1.0.0")
    assert publish().skills == {"speaker": pinned.pin}
    assert publish("speaker@1.0.0").skills == {"speaker@1.0.0": pinned.pin}


def test_a_run_uses_the_pinned_version_also_when_a_newer_one_is_there() -> None:
    install("1.0.0")
    version = publish()
    install("1.1.0", "second")
    run = begin(version)
    assert run.status == "succeeded" and run.value_of("result") == {"said": "first"}
    step = StepRun.objects.get(run=run, path="speak")
    given = step.value_of("input")
    assert (given["skill"], given["instructions"]) == (version.skills["speaker"], "Say first.")
    assert step.notes is not None and step.notes["model"] == "offline"
    assert begin(publish()).value_of("result") == {"said": "second"}


def test_a_skill_that_is_gone_stops_a_run_before_it_starts(skills: SkillRegistry) -> None:
    install("1.0.0")
    version = publish()
    skills._skills.clear()
    with pytest.raises(RunError, match=r"The skill speaker 1\.0\.0 is not installed here any more") as caught:
        begin(version)
    assert caught.value.code == "flow_invalid" and not Run.objects.exists()


def test_a_skill_that_changed_without_a_new_version_stops_a_run_before_it_starts(skills: SkillRegistry) -> None:
    pinned = install("1.0.0")
    version = publish()
    skills._skills.clear()
    now = install("1.0.0", "something else")
    with pytest.raises(RunError, match=r"The skill speaker 1\.0\.0 has changed since") as caught:
        begin(version)
    assert caught.value.code == "flow_changed" and not Run.objects.exists()
    assert caught.value.details == {"skill": pinned.pin, "content_hash": now.content_hash}


def test_a_skill_that_changes_under_a_run_fails_its_step_without_asking_anybody(skills: SkillRegistry) -> None:
    install("1.0.0")
    run_id = start_run(publish(), inputs={}, actor=PROGRAM).run_id
    skills._skills.clear()
    install("1.0.0", "something else")
    work_on(run_id)
    run = Run.objects.get(pk=run_id)
    assert run.status == "failed" and run.error is not None and run.error["code"] == "flow_changed"
    step = StepRun.objects.get(run=run, path="speak")
    assert step.status == "failed" and step.value_of("input") is None


def test_a_trial_is_another_one_with_another_skill(skills: SkillRegistry) -> None:
    install("1.0.0")
    first = freeze_trial(flow(), by=None, catalog=CATALOG)
    assert freeze_trial(flow(), by=None, catalog=CATALOG).pk == first.pk
    skills._skills.clear()
    install("1.0.0", "something else")
    second = freeze_trial(flow(), by=None, catalog=CATALOG)
    assert second.pk != first.pk and second.content_hash == first.content_hash
    assert begin(second).value_of("result") == {"said": "something else"}
