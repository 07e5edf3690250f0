"""Checks that every expression and template can be read, and collects what they read and where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from editor.language.definition import Node
from editor.language.expressions import ExpressionError, Read, TemplateError, compile_expression, compile_template
from editor.language.nodes.base import escape
from editor.language.validation.subject import Subject

NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Site:
    """Where something is read: before `node` starts, on an edge after it, within it, or in a permission rule.

    `names` are visible there beside the state and the reserved roots.
    """

    when: Literal["before", "after", "within", "rule"]
    node: str | None
    path: str
    outcome: str = "success"
    names: frozenset[str] = NOTHING
    edge: str | None = None
    text: str = ""


@dataclass(frozen=True)
class Reading:
    """One read at one site."""

    site: Site
    read: Read


def collect_readings(subject: Subject) -> list[Reading]:
    """List what every readable text reads. Reports `expression_invalid` and `template_invalid`."""
    found: list[Reading] = []
    for site in _expressions(subject):
        found.extend(_expression_readings(subject, site))
    for site, value, is_attempt_free in _templates(subject):
        found.extend(_template_readings(subject, site, value, is_attempt_free))
    for node in subject.nodes:
        if node.type == "handler":
            for place, key in enumerate(node.inputs or ()):
                site = Site("before", node.id, subject.node_path(node.id, f"/inputs/{place}"))
                found.append(Reading(site, Read(key, (), "name")))
    return found


def _expressions(subject: Subject) -> Iterator[Site]:
    for node in subject.nodes:
        kind = subject.kind(node.id)
        if kind is None or not subject.is_readable(node):
            continue
        for place, text in kind.expressions(node.config):
            path = subject.node_path(node.id, f"/config{place}")
            if place == "/stop_when":
                yield Site("within", node.id, path, names=frozenset({"output", "done"}), text=text)
            else:
                yield Site("before", node.id, path, text=text)
    for edge in subject.graph.edges:
        if edge.when is not None:
            names = {"output"} if edge.on == "success" else {"output", "error"}
            path = subject.edge_path(edge.id, "/when")
            yield Site("after", edge.source, path, edge.on, frozenset(names), edge.id, edge.when)
    for number, rule in enumerate(subject.definition.permissions.rules):
        if rule.when is not None:
            path = f"/permissions/rules/{number}/when"
            yield Site("rule", None, path, names=frozenset({"args"}), text=rule.when)


def _expression_readings(subject: Subject, site: Site) -> list[Reading]:
    try:
        reads = compile_expression(site.text).reads
    except ExpressionError as error:
        subject.report("expression_invalid", site.path, error.message, node=_node_of(site), edge=site.edge)
        return []
    return [Reading(site, read) for read in reads]


def _node_of(site: Site) -> str | None:
    return None if site.edge is not None else site.node


def _templates(subject: Subject) -> Iterator[tuple[Site, object, bool]]:
    for node in subject.nodes:
        kind = subject.kind(node.id)
        if kind is None or not subject.is_readable(node):
            continue
        for place, value in kind.templates(node.config):
            is_attempt_free = place[1:] in kind.attempt_free
            for part, text in _leaves(value, place):
                yield _site(subject, node, part), text, is_attempt_free


def _site(subject: Subject, node: Node, place: str) -> Site:
    return Site("before", node.id, subject.node_path(node.id, f"/config{place}"))


def _leaves(value: object, place: str) -> Iterator[tuple[str, object]]:
    """Texts and value expressions inside a config value, each with its place."""
    if isinstance(value, str) or (isinstance(value, dict) and set(value) == {"$expr"}):
        yield place, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, f"{place}/{escape(str(key))}")
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield from _leaves(item, f"{place}/{number}")


def _template_readings(subject: Subject, site: Site, value: object, is_attempt_free: bool) -> list[Reading]:
    try:
        reads = compile_template(value).reads
    except TemplateError as error:
        subject.report("template_invalid", site.path, error.message, node=site.node)
        return []
    except ExpressionError as error:
        subject.report("expression_invalid", site.path, error.message, node=site.node)
        return []
    if is_attempt_free and any(read.root == "run" and read.path[:1] in ((), ("attempt",)) for read in reads):
        told = (
            "run.attempt cannot stand here: every attempt must repeat the same call. "
            "Name another key of run, such as run.id or run.visit."
        )
        subject.report("template_invalid", site.path, told, node=site.node)
    return [Reading(site, read) for read in reads]
