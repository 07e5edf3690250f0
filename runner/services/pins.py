"""Outputs pinned to the nodes of a draft: kept, taken from runs, let go. Rights are asked before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from editor.audit import record
from editor.beside import node_names
from editor.language.catalog import Catalog
from editor.language.definition import Definition, Node
from editor.language.errors import LanguageError
from editor.language.json_gate import JsonLimits, clean_json
from editor.language.schema import parse_document
from editor.language.state_schema import CompiledSchema
from editor.models import Draft, Flow, PinnedOutput
from editor.services import demand_in_use
from editor.signals import tell_draft_changed
from runner.engine.cutting import can_be_given
from runner.engine.given import GivenEnd
from runner.engine.program import compile_program
from runner.models import Run, StepRun
from runner.services.past_ends import past_ends
from runner.services.programs import sensitive_nodes
from runner.services.sensitive import touches_sensitive

PIN_LIMITS = JsonLimits(max_bytes=256 * 1024, max_depth=64)
"""What a pinned output may be."""

MOST_PINS = 500
"""Pinned outputs of one flow, at most."""


@dataclass(frozen=True)
class Pin:
    """A pinned output. `is_orphaned`: the draft has no such node. `is_covered`: it may hold something sensitive."""

    row: PinnedOutput
    is_orphaned: bool
    is_covered: bool

    @property
    def end(self) -> GivenEnd:
        """The end that it gives to its node."""
        return end_of_pin(self.row)


def end_of_pin(row: PinnedOutput) -> GivenEnd:
    """The end that a pinned output gives to every step run of its node."""
    return GivenEnd(json.loads(row.output), json.loads(row.writes) if row.writes else None)


def pins_of(flow: Flow, catalog: Catalog) -> list[Pin]:
    """The pinned outputs of a flow by node, those of nodes that are gone too."""
    rows = PinnedOutput.objects.filter(flow=flow).select_related("updated_by").order_by("node")[:MOST_PINS]
    document = json.loads(Draft.objects.get(flow=flow).document)
    names, definition = node_names(document), parse_document(document).definition
    secret = _sensitive_of(definition, catalog)
    # Of a node that is gone nobody knows whether it would be sensitive by now.
    left_over = definition is None or bool(definition.sensitive_keys)
    found = []
    for row in rows:
        is_orphaned = row.node not in names
        is_covered = left_over if is_orphaned else secret is None or row.node in secret
        found.append(Pin(row, is_orphaned, is_covered))
    return found


def _sensitive_of(definition: Definition | None, catalog: Catalog) -> frozenset[str] | None:
    """Nodes that may have or give something sensitive, rather one too many; None: the document does not tell."""
    return None if definition is None else sensitive_nodes(compile_program(definition, catalog))


@transaction.atomic
def pin_output(
    flow: Flow,
    node: str,
    *,
    output: Any,
    writes: Mapping[str, Any] | None = None,
    source: str = PinnedOutput.Source.TYPED,
    run: str = "",
    by: Any,
    catalog: Catalog,
) -> Pin:
    """Keep an output for a node of the draft, in place of one that it has.

    Raises LanguageError: `not_found` for a node that the draft does not have, `validation_failed` for one that only
    says where to go on, for one that may hold something sensitive and for a value that its schema refuses,
    `limit_exceeded`, `value_too_large`, FlowArchivedError.
    """
    demand_in_use(flow.pk)
    document = json.loads(Draft.objects.get(flow=flow).document)
    names = node_names(document)
    if node not in names:
        raise LanguageError("not_found", f"The saved draft has no node {node!r}. Save it first, or choose another.")
    definition = parse_document(document).definition
    _demand_not_sensitive(node, _sensitive_of(definition, catalog))
    given, set_keys = clean_json(output, limits=PIN_LIMITS), None
    if writes:
        set_keys = clean_json(dict(writes), limits=PIN_LIMITS)
    if definition is not None:
        _demand_fits(definition.node(node), given, definition, catalog)
    others = PinnedOutput.objects.filter(flow=flow).exclude(node=node)
    if others.count() >= MOST_PINS:
        raise LanguageError("limit_exceeded", f"A flow has {MOST_PINS} pinned outputs at most. Unpin some first.")
    fields = {
        "node_name": names[node][:200],
        "output": _text(given),
        "writes": _text(set_keys) if set_keys else "",
        "source": source,
        "run": run,
        "updated_by": by,
        "updated_at": Now(),
    }
    row, _ = PinnedOutput.objects.update_or_create(flow=flow, node=node, defaults=fields)
    record(by, "flow-pin", flow, after={"node": node, "source": str(source), **({"run": run} if run else {})})
    tell_draft_changed(flow.pk)
    row = PinnedOutput.objects.select_related("updated_by").get(pk=row.pk)
    return Pin(row, is_orphaned=False, is_covered=False)


def pin_from_run(flow: Flow, node: str, run: Run, step_id: str | None, *, by: Any, catalog: Catalog) -> Pin:
    """Pin what a node gave in a run of the flow: in one step run, or in the last that went well.

    Raises LanguageError as `pin_output` does, and `not_found` where the node gave nothing in that run.
    """
    if run.flow_id != flow.pk:
        raise LanguageError("not_found", f"The run {run.pk} is none of this flow.")
    rows = StepRun.objects.filter(run=run.pk, node=node)
    ends = [end for end in past_ends(run, [node]).get(node, ()) if end.error is None]
    if step_id is not None:
        step = rows.filter(pk=step_id).first()
        ends = [end for end in ends if step and (end.path, end.visit) == (step.path, step.visit)]
    step = rows.order_by("-visit").first()
    if not ends or step is None:
        told = f"The node {node!r} gave no output in the run {run.pk[:8]}. Choose another run, or type a value."
        raise LanguageError("not_found", told)
    if touches_sensitive(run, step):
        _demand_not_sensitive(node, frozenset({node}))
    source = PinnedOutput.Source.RUN if run.trial is None else PinnedOutput.Source.TRY
    last = ends[-1]
    return pin_output(
        flow, node, output=last.output, writes=last.writes, source=source, run=run.pk, by=by, catalog=catalog
    )


@transaction.atomic
def unpin(flow: Flow, node: str, *, by: Any) -> None:
    """Let go of a pinned output; one that is not there is gone already. Raises FlowArchivedError."""
    demand_in_use(flow.pk)
    if PinnedOutput.objects.filter(flow=flow, node=node).delete()[0]:
        record(by, "flow-unpin", flow, before={"node": node})
        tell_draft_changed(flow.pk)


@transaction.atomic
def move_pin(flow: Flow, node: str, to: str, *, by: Any, catalog: Catalog) -> None:
    """Let a pinned output follow its node, which was renamed. Without one to move, or where one is, nothing happens.

    Raises FlowArchivedError, LanguageError: `not_found` for a node that the draft does not have, `validation_failed`
    while the draft still has the node that it is pinned to, and for a value that does not fit the other.
    """
    demand_in_use(flow.pk)
    document = json.loads(Draft.objects.get(flow=flow).document)
    names = node_names(document)
    if to not in names:
        raise LanguageError("not_found", f"The saved draft has no node {to!r}. Save it first.")
    pins = PinnedOutput.objects.filter(flow=flow)
    row = pins.filter(node=node).first()
    if row is None or node == to or pins.filter(node=to).exists():
        return
    if node in names:
        told = f"The saved draft still has the node {node!r}, whose pinned output it is. Pin a value to {to!r} itself."
        raise LanguageError("validation_failed", told)
    definition = parse_document(document).definition
    if definition is not None:
        _demand_fits(definition.node(to), json.loads(row.output), definition, catalog)
    pins.filter(node=node).update(node=to, node_name=names[to][:200])
    record(by, "flow-pin", flow, before={"node": node}, after={"node": to})
    tell_draft_changed(flow.pk)


def _demand_not_sensitive(node: str, secret: frozenset[str] | None) -> None:
    if secret is None:
        told = "The draft cannot be read, so nobody knows what is sensitive in it. Mend it first."
        raise LanguageError("validation_failed", told)
    if node in secret:
        told = f"The output of {node!r} may hold something sensitive, so it is not kept beside the flow."
        raise LanguageError("validation_failed", told)


def _demand_fits(node: Node, value: Any, definition: Definition, catalog: Catalog) -> None:
    if not can_be_given(node.type):
        raise LanguageError("validation_failed", f"{node.id!r} ({node.type}) only says where to go on: pin another.")
    schema = _schema_of(node, catalog)
    problems = CompiledSchema(schema).problems(value) if schema is not None else []
    if problems:
        told = f"The value does not fit what {node.id!r} gives: {'; '.join(problems)}."
        raise LanguageError("validation_failed", told, {"problems": problems})


def _schema_of(node: Node, catalog: Catalog) -> Any:
    """The schema of what a node gives, where one is declared and usable."""
    config: Any = node.config
    schema = getattr(config, "form" if node.type == "approval" else "output_schema", None)
    if schema is None and getattr(config, "skill", None) is not None:
        skill = catalog.skill(config.skill)
        schema = skill.output_schema if skill is not None else None
    try:
        CompiledSchema(schema)
    except LanguageError:
        return None
    return schema


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
