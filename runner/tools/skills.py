"""`@skill`, `register_skill` and the registry behind them: what an agent is told and must answer, by version.

A flow names a skill; publishing pins it. Asking a model through one is the handlers' part.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from editor.language.canonical import digest
from editor.language.catalog import SkillSpec
from editor.language.errors import LanguageError
from editor.language.json_gate import load_json
from editor.language.state_schema import CompiledSchema
from runner.tools.errors import DefinitionError

Function = TypeVar("Function", bound=Callable[..., Any])

PARAMETERS = ("material", "prompt", "ctx")
"""What an offline function may ask for, by these names."""

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,62}")
_VERSION = re.compile(r"(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})")
_PART = re.compile(r"^([A-Za-z_][A-Za-z0-9_ -]{0,62}):[ \t]*(.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Skill:
    """A registered skill: what a flow sees of it, and the function that does its work without a model, if any."""

    spec: SkillSpec
    offline: Callable[..., Any] | None = field(default=None, repr=False)
    parameters: tuple[str, ...] = ()


class SkillRegistry:
    """Skills by name and version; several versions of one name live side by side."""

    def __init__(self) -> None:
        self._skills: dict[str, dict[str, Skill]] = {}

    def register(self, skill: Skill) -> Skill:
        """Add a skill; the same again (a reloaded module) takes its place.

        Raises DefinitionError if that version is known with another content: raise its version instead.
        """
        versions = self._skills.setdefault(skill.spec.name, {})
        known = versions.get(skill.spec.version)
        if known is not None and known.spec.content_hash != skill.spec.content_hash:
            raise DefinitionError(
                f"The skill {skill.spec.ref} is defined twice with different contents. Give the newer one a higher"
                " version."
            )
        versions[skill.spec.version] = skill
        return skill

    def get(self, ref: str) -> Skill | None:
        """The skill that `name@version` names, or the newest version of `name`; None where there is none."""
        name, _, version = ref.partition("@")
        versions = self._skills.get(name, {})
        if version or not versions:
            return versions.get(version)
        return versions[max(versions, key=_order)]

    def all(self) -> Sequence[Skill]:
        """Every version of every skill, by name, the newest version of each first."""
        return [
            self._skills[name][version]
            for name in sorted(self._skills)
            for version in sorted(self._skills[name], key=_order, reverse=True)
        ]


SKILLS = SkillRegistry()
"""The skills of this installation. Apps fill it from a module `skills`, imported when the site starts."""


def register_skill(
    name: str,
    version: str,
    *,
    instructions: str,
    output_schema: dict[str, Any] | None = None,
    tools: Iterable[str] = (),
    description: str = "",
    offline: Callable[..., Any] | None = None,
    registry: SkillRegistry = SKILLS,
) -> Skill:
    """Offer a skill to nodes of the type `agent`. Raises DefinitionError.

    `version`: three numbers, `1.0.0`; raise it whenever what the model is told or must answer changes.
    `instructions`: what the model is told, as it stands (no template). `output_schema`: JSON Schema of the answer;
    left out, the answer is a text. `tools`: names of the tools that the agent may call. `offline`: does the work
    where no model is set up; see `skill`.
    """
    if not _NAME.fullmatch(name):
        raise DefinitionError(f"{name!r} is no name for a skill: use small letters, digits, _ and -.")
    if not _VERSION.fullmatch(version):
        raise DefinitionError(f"{name}: {version!r} is no version. Write three numbers, such as 1.0.0.")
    if not instructions.strip():
        raise DefinitionError(f"{name}: the instructions are empty. Say what the model is to do.")
    try:
        CompiledSchema(output_schema)
    except LanguageError as error:
        raise DefinitionError(f"{name}: the output_schema cannot be used. {error.message}") from None
    allowed = tuple(dict.fromkeys(tools))
    spec = SkillSpec(
        name=name,
        version=version,
        content_hash=_content_hash(name, version, instructions, output_schema, allowed, offline),
        instructions=instructions,
        tools=allowed,
        output_schema=output_schema,
        description=description,
        works_offline=offline is not None,
    )
    return registry.register(Skill(spec, offline, _parameters(name, offline)))


def skill(
    name: str,
    version: str,
    *,
    instructions: str,
    output_schema: dict[str, Any] | None = None,
    tools: Iterable[str] = (),
    description: str | None = None,
    registry: SkillRegistry = SKILLS,
) -> Callable[[Function], Function]:
    """Offer a skill whose work the decorated function does where no model is set up; it stays as it is.

    It takes any of `material` (the parts of the prompt, see `material_of`), `prompt` (its text) and `ctx`
    (ToolContext), and gives what the model would have to: a value that fits the `output_schema`, else a text.
    The same prompt must give the same answer. The rest is as for `register_skill`; the description is the first
    paragraph of the function's docstring. Raises DefinitionError.
    """

    def decorate(function: Function) -> Function:
        about = description or " ".join((inspect.getdoc(function) or "").split("\n\n")[0].split())
        register_skill(
            name,
            version,
            instructions=instructions,
            output_schema=output_schema,
            tools=tools,
            description=about,
            offline=function,
            registry=registry,
        )
        return function

    return decorate


def material_of(prompt: str) -> dict[str, Any]:
    """The parts of a prompt that stand on lines `name: value`; a value that is a JSON object or list is read.

    A placeholder of an object or a list is inserted as JSON on one line, so that a prompt such as
    `questions: {{questions}}` is read by models and by offline functions alike. The first part of a name counts.
    """
    parts: dict[str, Any] = {}
    for found in _PART.finditer(prompt):
        name, text = found[1], found[2].strip()
        if name not in parts:
            parts[name] = _read(text) if text[:1] in ("{", "[") else text
    return parts


def _read(text: str) -> Any:
    try:
        return load_json(text, what="a part of the prompt", replace=True)
    except LanguageError:
        return text


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split("."))


def _content_hash(
    name: str,
    version: str,
    instructions: str,
    output_schema: dict[str, Any] | None,
    tools: tuple[str, ...],
    offline: Callable[..., Any] | None,
) -> str:
    """What a model is told, may call and must answer. Code is covered by its name alone, as that of a tool is."""
    return digest(
        {
            "name": name,
            "version": version,
            "instructions": instructions,
            "output_schema": output_schema,
            "tools": list(tools),
            "offline": None if offline is None else f"{offline.__module__}.{offline.__qualname__}",
        }
    )


def _parameters(name: str, offline: Callable[..., Any] | None) -> tuple[str, ...]:
    if offline is None:
        return ()
    parameters = tuple(inspect.signature(offline).parameters)
    strange = [parameter for parameter in parameters if parameter not in PARAMETERS]
    if strange:
        raise DefinitionError(
            f"{name}: an offline function can ask for material, prompt and ctx; there is no {strange[0]!r}."
        )
    return parameters
