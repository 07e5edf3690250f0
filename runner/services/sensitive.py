"""What of a run is sensitive: which inputs, which step runs. Pages and endpoints cover it; the admin shows it."""

from __future__ import annotations

import json
from collections.abc import Set as AbstractSet

from editor.language.definition import Node
from editor.language.nodes import NODE_TYPES
from runner.engine.errors import RunError
from runner.engine.program import CompiledNode, Program
from runner.models import Approval, Run, StepRun
from runner.services.programs import program_of_run


def sensitive_inputs(run: Run) -> frozenset[str]:
    """The names of the inputs that the flow marks as sensitive."""
    try:
        return program_of_run(run.pk)[1].sensitive_keys
    except RunError:  # this installation cannot read the flow any more
        declared = json.loads(run.version.document).get("inputs", [])
        return frozenset(one["name"] for one in declared if one.get("sensitive"))


def touches_sensitive(run: Run, step: StepRun | Approval) -> bool:
    """Whether what an attempt had and gave, or what is asked about it, may hold sensitive values."""
    try:
        return program_of_run(run.pk)[1].node(step.node).sensitive
    except (RunError, KeyError):
        return bool(sensitive_inputs(run))


class Covers:
    """Which values of a run may hold something sensitive. Rather one too many. Whatever shows values by state keys or
    results of nodes asks here."""

    def __init__(self, run: Run) -> None:
        try:
            self._program: Program | None = program_of_run(run.pk)[1]
        except RunError:  # this installation cannot read the flow any more
            self._program = None
            self._all = bool(sensitive_inputs(run))
            return
        self._all = False
        self.marked = self._program.sensitive_keys
        self._keys = covered_keys(self._program)
        self._known = _known_keys(self._program) if self._keys else frozenset()

    def value(self, kind: str, key: str) -> bool:
        """Whether a state key (`kind` v), the result of a node (s) or the reference to an artifact (a) is covered."""
        if self._program is None:
            return self._all
        if kind == "s":
            if key not in self._program.order:  # the run was moved to a version without this node
                return bool(self._keys)
            return self._program.node(key).sensitive
        return kind == "v" and (key in self._keys or self.is_of_nobody(key))

    def is_of_nobody(self, key: str) -> bool:
        """Whether the flow marks something as sensitive and does not tell who writes this state key: a handler that
        does not say what it writes."""
        return self._program is not None and bool(self._keys) and key not in self._known


def covered_keys(program: Program) -> frozenset[str]:
    """State keys and names of items that may hold something sensitive: those that are marked, and those that nodes
    write which touch something sensitive."""
    if not program.sensitive_keys:
        return frozenset()
    keys = set(program.sensitive_keys)
    for node in program.definition.nodes:
        if program.node(node.id).sensitive:
            keys |= _written_by(program, node) | {getattr(node.config, "item_variable", "")}
    return frozenset(keys - {""})


def _known_keys(program: Program) -> frozenset[str]:
    """State keys and names of items of which the flow says where they come from."""
    definition = program.definition
    properties = (definition.state or {}).get("properties")
    keys = {one.name for one in definition.inputs} | set(properties if isinstance(properties, dict) else ())
    keys |= {
        getattr(node.config, name, "") for node in definition.nodes for name in ("item_variable", "index_variable")
    }
    return frozenset(keys.union(*(_written_by(program, node) for node in definition.nodes)))


def carriers(program: Program) -> frozenset[str]:
    """Nodes that may have or give something sensitive, also what comes of it by results, items and state keys that
    nobody has marked: for documents that nobody has looked at before they run. Rather one too many."""
    keys = set(program.sensitive_keys)
    readers: set[str] = set()
    found: set[str] = set()
    while True:
        more = {node for node in program.order if node not in readers and _reads(program.node(node), keys, found)}
        if not more:
            return frozenset(found)
        touched = more.union(*(program.node(node).ancestors for node in more))
        keys |= {getattr(program.node(node).config, "item_variable", "") for node in more}
        keys = keys.union(*(_written_by(program, program.node(node).node) for node in touched)) - {""}
        readers |= more
        found |= touched


def _reads(compiled: CompiledNode, keys: AbstractSet[str], nodes: AbstractSet[str]) -> bool:
    uses = compiled.uses.plus(compiled.stop_uses)
    by_result = bool(nodes) if uses.steps is None else bool(uses.steps & nodes)
    return compiled.sensitive or by_result or bool((uses.keys | set(compiled.node.inputs or ())) & keys)


def _written_by(program: Program, node: Node) -> set[str]:
    """The state keys that a node may write."""
    keys = {node.output_variable or "", *(node.writes or ()), *NODE_TYPES[node.type].writes(node.config)}
    if node.type == "handler" and node.writes is None:
        spec = program.catalog.handler(program.node(node.id).config.handler)
        keys |= spec.writes or frozenset() if spec is not None else frozenset()
    return keys
