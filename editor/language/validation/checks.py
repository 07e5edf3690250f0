"""The list of all checks, and the one function that runs them. The checks stand in a file for each idea."""

from __future__ import annotations

from editor.language.catalog import Catalog
from editor.language.definition import Definition
from editor.language.problems import Problem
from editor.language.schema import ParsedDocument
from editor.language.validation import (
    fan_outs,
    joins,
    limits,
    loops,
    parallel_writes,
    references,
    routes,
    secrets,
    structure,
    values,
    variables,
    writes,
)
from editor.language.validation.subject import Subject
from editor.language.validation.texts import collect_readings

_STRUCTURE = (structure.check_edges, structure.check_parents, structure.check_starts)
_RULES = (
    values.check_declarations,
    values.check_state_schema,
    values.check_schemas_in_configs,
    fan_outs.check_fan_outs,
    writes.check_read_only,
    joins.check_join_cycles,
    limits.check_names,
    limits.check_time_limits,
    limits.check_retries,
    references.check_references,
    references.check_assignees,
    secrets.check_secrets,
    variables.check_reserved_names,
    routes.check_reachability,
    routes.check_default_edges,
    joins.check_starving,
    joins.check_order,
    joins.check_repeated_starts,
    parallel_writes.check_conflicts,
    loops.check_bounds,
    limits.check_waits,
    limits.check_policy_keys,
    references.check_artifacts,
)


def check(document: ParsedDocument | Definition, catalog: Catalog) -> tuple[Problem, ...]:
    """List every problem of a document, errors and warnings, those found while reading included.

    Never raises for a document, however broken. A part that could not be read is left out of the other
    checks, so that one fault is not reported as several.
    """
    subject = Subject.of(document, catalog)
    if subject is None:
        return document.problems if isinstance(document, ParsedDocument) else ()
    for rule in _STRUCTURE:
        rule(subject)
    if subject.is_drawable:
        for rule in _RULES:
            rule(subject)
        readings = collect_readings(subject)
        variables.check_reads(subject, readings)
        parallel_writes.check_carried(subject, readings)
    return tuple(dict.fromkeys(subject.problems))
