"""Skills: how they are registered, versioned and hashed, and what their offline functions are given."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from editor.language.state_schema import CompiledSchema
from runner.tools import SKILLS, DefinitionError, SkillRegistry, ToolContext, material_of, register_skill, skill
from runner.tools.errors import ProviderError
from runner.tools.llm import CompletionRequest, Repair
from runner.tools.llm.offline import OfflineProvider

SCHEMA = {"type": "object", "required": ["words"], "properties": {"words": {"type": "array"}}}


def count_words(material: dict[str, Any]) -> dict[str, Any]:
    """Count the words of a text.

    Not part of the description.
    """
    return {"words": str(material.get("text", "")).split()}


def made(registry: SkillRegistry, version: str = "1.0.0", **changes: Any) -> str:
    """Register a skill; gives its content hash."""
    given: dict[str, Any] = {"instructions": "Count.", "output_schema": SCHEMA, "tools": ["look"]} | changes
    return register_skill("counter", version, registry=registry, **given).spec.content_hash


def test_a_decorated_function_is_the_offline_way_of_a_skill() -> None:
    registry = SkillRegistry()
    given = skill("counter", "1.0.0", instructions="Count.", output_schema=SCHEMA, registry=registry)(count_words)
    assert given is count_words
    spec = registry.all()[0].spec
    assert (spec.ref, spec.description, spec.works_offline) == ("counter@1.0.0", "Count the words of a text.", True)
    assert spec.pin == {"name": "counter", "version": "1.0.0", "content_hash": spec.content_hash}


def test_a_name_means_the_newest_version_and_a_version_itself() -> None:
    registry = SkillRegistry()
    for version in ("1.9.0", "1.10.0", "0.20.3"):
        made(registry, version)
    assert [one.spec.version for one in registry.all()] == ["1.10.0", "1.9.0", "0.20.3"]
    found = [registry.get(ref) for ref in ("counter", "counter@1.9.0", "counter@3.0.0", "other", "counter@")]
    assert [one.spec.version if one else None for one in found] == ["1.10.0", "1.9.0", None, None, "1.10.0"]


def test_the_hash_covers_what_the_model_is_told_may_call_and_must_answer() -> None:
    hashes = [
        made(SkillRegistry()),
        made(SkillRegistry(), "1.0.1"),
        made(SkillRegistry(), instructions="Count twice."),
        made(SkillRegistry(), output_schema={"type": "object"}),
        made(SkillRegistry(), tools=["look", "listen"]),
        made(SkillRegistry(), offline=count_words),
    ]
    assert len(set(hashes)) == len(hashes)
    assert made(SkillRegistry(), description="Other words.") == hashes[0]


def test_the_same_again_is_no_second_one_and_another_content_is_refused() -> None:
    registry = SkillRegistry()
    assert made(registry) == made(registry)
    with pytest.raises(DefinitionError, match=r"counter@1\.0\.0 is defined twice"):
        made(registry, instructions="Count otherwise.")
    assert len(registry.all()) == 1


@pytest.mark.parametrize(
    ("name", "version", "changes", "told"),
    [
        ("Counter", "1.0.0", {}, "no name"),
        ("a@b", "1.0.0", {}, "no name"),
        ("a", "1.0", {}, "no version"),
        ("a", "1.0.0-beta", {}, "no version"),
        ("a", "01.0.0", {}, "no version"),
        ("a", "1.0.0", {"instructions": " "}, "instructions are empty"),
        ("a", "1.0.0", {"output_schema": {"type": "objekt"}}, "output_schema cannot be used"),
        ("a", "1.0.0", {"offline": lambda request: None}, "'request'"),
    ],
)
def test_what_is_no_skill_is_refused(name: str, version: str, changes: Any, told: str) -> None:
    with pytest.raises(DefinitionError, match=told):
        register_skill(name, version, **({"instructions": "x", "registry": SkillRegistry()} | changes))


def test_the_parts_of_a_prompt_are_its_lines_with_a_name() -> None:
    prompt = (
        'Do it.\nbrief: {"topic": "a\\nquestions: []"}\nquestions: [1, 2]\nnote: plain words\nbrief: {"topic": "b"}'
    )
    expected = {"brief": {"topic": "a\nquestions: []"}, "questions": [1, 2], "note": "plain words"}
    assert material_of(prompt) == expected
    assert material_of("broken: {1") == {"broken": "{1"}
    assert material_of("nothing of the kind") == {}


def ask(registry: SkillRegistry, **changes: Any) -> Any:
    given: dict[str, Any] = {"prompt": "text: a b", "output_schema": SCHEMA, "skill": "counter@1.0.0"} | changes
    return OfflineProvider(registry).complete(CompletionRequest(**given), ToolContext())


def test_without_a_model_the_offline_function_answers_and_the_notes_say_so() -> None:
    registry = SkillRegistry()
    made(registry, offline=count_words)
    answer = ask(registry)
    assert answer.text == '{"words": ["a", "b"]}' and not answer.usage
    assert answer.notes == {
        "model": "offline",
        "offline": "No model is set up; the skill counter@1.0.0 did this by its own offline function.",
    }


def test_a_skill_without_an_offline_function_needs_a_model() -> None:
    registry = SkillRegistry()
    made(registry)
    with pytest.raises(ProviderError, match=r"The skill counter@1.0.0 has no offline function\."):
        ask(registry)
    assert ask(registry, output_schema=None).text.startswith("(No model")


def test_an_offline_function_is_not_asked_twice_for_the_same() -> None:
    registry = SkillRegistry()
    made(registry, offline=count_words)
    with pytest.raises(ProviderError, match="one prompt one answer"):
        ask(registry, repair=Repair("{}", ("/: 'words' is a required property",)))


def test_the_example_of_the_howto_works(monkeypatch: pytest.MonkeyPatch) -> None:
    howto = (Path(__file__).parents[4] / "docs" / "howto" / "skills.md").read_text()
    code = re.search(r"```python\n(.*?)```", howto, re.DOTALL)
    node = re.search(r"```json\n(.*?)```", howto, re.DOTALL)
    assert code and node
    monkeypatch.setattr(SKILLS, "_skills", {})
    exec(code[1], {"__name__": "letters.skills"})
    spec = SKILLS.all()[0].spec
    assert (spec.ref, spec.works_offline) == ("tone-reader@1.0.0", True)
    assert json.loads(node[1])["config"]["skill"] == spec.name
    for letter, tone in (("No!!! Never! Ever!", "angry"), ("Good morning.", "neutral")):
        request = CompletionRequest(f"letter: {letter}", output_schema=spec.output_schema, skill=spec.ref)
        answer = json.loads(OfflineProvider().complete(request, ToolContext()).text)
        assert answer["tone"] == tone and CompiledSchema(spec.output_schema).problems(answer) == []
