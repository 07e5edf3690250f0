"""What a step is given or gives, worked out from its config and the names it sees: inputs, results of pure nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from editor.language.catalog import SkillSpec
from editor.language.expressions import to_json
from runner.engine.errors import RunError
from runner.engine.names import Names
from runner.engine.program import CompiledNode
from runner.engine.rows import StepRow
from runner.engine.scopes import read
from runner.engine.turn import Turn

Resolved = dict[str, Any]


def names_at(turn: Turn, step: StepRow, compiled: CompiledNode) -> Names:
    """The names that a node's config sees when its step is claimed."""
    scope = turn.slice.scope(step.scope)
    return Names(turn.program, turn.slice, scope, compiled.uses, step=step, now=turn.now)


def fields_of(compiled: CompiledNode, names: Names) -> Resolved:
    """Every template field of the config, rendered."""
    return {name: template.render(names) for name, template in compiled.templates.items()}


def work_input(turn: Turn, step: StepRow, compiled: CompiledNode) -> Resolved:
    """The input of a step that does work outside the engine: what its handler is given."""
    if step.is_member:
        call = (step.notes or {})["call"]
        return {"tool": call["tool"], "arguments": call["arguments"]}
    fields = fields_of(compiled, names_at(turn, step, compiled))
    config = compiled.config
    if step.type == "agent":
        return fields | _agent_fields(turn, config)
    if step.type == "tool_call":
        return {"tool": config.tool, "arguments": fields.get("arguments", {})}
    if step.type == "subflow":
        return {"inputs": fields.get("inputs", {})}
    if step.type == "handler":
        return {
            "handler": config.handler,
            "options": fields.get("options", {}),
            "state": declared_state(turn, step, compiled),
        }
    if step.type == "llm_call":
        return fields | {"temperature": config.temperature, "output_schema": config.output_schema}
    raise RunError("flow_invalid", f"Steps of type '{step.type}' cannot run yet.", step=step.node, path=step.path)


def _agent_fields(turn: Turn, config: Any) -> Resolved:
    """What an agent's skill tells its model, and which answer it wants: frozen like the rest of the input."""
    skill = skill_of(turn, config)
    if skill is None:
        return {"skill": None, "output_schema": config.output_schema}
    schema = skill.output_schema if config.output_schema is None else config.output_schema
    return {"skill": skill.pin, "instructions": skill.instructions, "output_schema": schema}


def skill_of(turn: Turn, config: Any) -> SkillSpec | None:
    """The skill that an agent names, as the version pinned it; None where it has instructions of its own.

    Raises RunError `flow_invalid` if this site has it no more, `flow_changed` if it is another one by now.
    """
    if config.skill is None:
        return None
    skill = turn.program.catalog.skill(config.skill)
    if skill is None:
        raise RunError("flow_invalid", f"There is no skill '{config.skill}' here. Install the app that brings it.")
    return skill


def declared_state(turn: Turn, step: StepRow, compiled: CompiledNode) -> Resolved:
    """The state keys that a handler declares, those that are set."""
    from runner.engine.program import Uses

    declared = compiled.node.inputs or ()
    names = Names(turn.program, turn.slice, turn.slice.scope(step.scope), Uses(frozenset(declared)), step=step)
    return {key: value for key in declared if (value := _state_value(names, key)) is not _MISSING}


_MISSING = object()


def _state_value(names: Names, key: str) -> Any:
    try:
        return names[key]
    except KeyError:
        return _MISSING


# Pure nodes: config and names in, output out


def _transform(turn: Turn, compiled: CompiledNode, names: Names) -> Any:
    return compiled.templates["fields"].render(names)


def _evaluator(turn: Turn, compiled: CompiledNode, names: Names) -> Any:
    return to_json(compiled.expressions["expression"].evaluate(names))


def _set_variable(turn: Turn, compiled: CompiledNode, names: Names) -> Any:
    template = compiled.templates.get("value")
    return template.render(names) if template else None


def _verifier(turn: Turn, compiled: CompiledNode, names: Names) -> Any:
    answers: dict[str, Any] = {}
    for place, expression in compiled.expressions.items():
        name = place.removeprefix("checks/").replace("~1", "/").replace("~0", "~")
        holds, _trouble = expression.evaluate_condition(names)
        answers[name] = holds
    return answers


def _artifact(turn: Turn, compiled: CompiledNode, names: Names) -> Any:
    config = compiled.config
    declared = {one.id: one for one in turn.program.definition.artifacts}.get(config.artifact)
    filename = compiled.templates["filename"].render(names) if "filename" in compiled.templates else config.artifact
    return {
        "artifact": config.artifact,
        "type": declared.type if declared else "text",
        "filename": filename,
        "content": compiled.templates["content"].render(names),
    }


def _ending(turn: Turn, compiled: CompiledNode, names: Names) -> Any:
    template = compiled.templates.get("value")
    return template.render(names) if template else None


def _nothing(turn: Turn, compiled: CompiledNode, names: Names) -> Any:
    return None


def _throw(turn: Turn, compiled: CompiledNode, names: Names) -> Any:
    fields = fields_of(compiled, names)
    message = str(fields.get("message", compiled.config.message))
    raise RunError(compiled.config.code, message, details=fields.get("details"))


PURE: dict[str, Callable[[Turn, CompiledNode, Names], Any]] = {
    "transform": _transform,
    "evaluator": _evaluator,
    "set_variable": _set_variable,
    "verifier": _verifier,
    "artifact": _artifact,
    "one_of": _nothing,
    "return": _ending,
    "end": _ending,
    "throw": _throw,
}


def pure_output(turn: Turn, step: StepRow, compiled: CompiledNode) -> Any:
    """The output of a pure node. Raises RunError, or ExpressionError where an expression cannot be evaluated."""
    given = turn.program.given.end(step.node, step.path, step.visit)
    if given is not None:
        if given.error is not None:
            code, message = str(given.error.get("code")), str(given.error.get("message", ""))
            raise RunError(code, message, details=given.error.get("details"))
        return given.output
    return PURE[step.type](turn, compiled, names_at(turn, step, compiled))


def check_notes(turn: Turn, step: StepRow, compiled: CompiledNode) -> dict[str, str]:
    """Why checks of a verifier could not be evaluated, by name; such a check is false."""
    names = names_at(turn, step, compiled)
    found = {}
    for place, expression in compiled.expressions.items():
        trouble = expression.evaluate_condition(names)[1]
        if trouble is not None:
            found[place.removeprefix("checks/")] = trouble
    return found


def artifact_seen(turn: Turn, overlays: list[int], artifact: str) -> Any:
    """What a path sees as an artifact: `{id, artifact, …}`, or None."""
    row = read(turn.slice, overlays, "a", artifact)
    return turn.slice.load(row.stored) if row else None
