"""Checks of names: nothing is read that nobody can have set, nothing is called like a reserved root."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from editor.language.expressions import Read
from editor.language.nodes.for_each import ForEachConfig
from editor.language.nodes.set_variable import SetVariableConfig
from editor.language.validation.certain import Certainty
from editor.language.validation.subject import Subject
from editor.language.validation.texts import Reading, Site
from editor.language.validation.writes import Suppliers

ROOTS = ("inputs", "steps", "policy", "run")
"""Names that never mean a state key."""

RESERVED = frozenset({*ROOTS, "true", "false", "null", "constructor", "__proto__", "prototype"})
MOST_GUESSES = 8
RUN_KEYS = ("id", "visit", "attempt", "started_at", "now")


def check_reserved_names(subject: Subject) -> None:
    """`reserved_name`: a state key that expressions could never read."""
    for path, name, node in _given_names(subject):
        if name in RESERVED:
            told = (
                f"{name!r} has a meaning of its own in expressions, so nothing else can be called so. Choose another."
            )
            subject.report("reserved_name", path, told, node=node)


def _given_names(subject: Subject) -> Iterator[tuple[str, str, str | None]]:
    for place, declared in enumerate(subject.definition.inputs):
        yield f"/inputs/{place}/name", declared.name, None
    properties = (subject.definition.state or {}).get("properties")
    for name in properties if isinstance(properties, dict) else ():
        yield f"/state/properties/{name}", name, None
    for node in subject.nodes:
        if node.output_variable is not None:
            yield subject.node_path(node.id, "/output_variable"), node.output_variable, node.id
        for place, name in enumerate(node.writes or ()):
            yield subject.node_path(node.id, f"/writes/{place}"), name, node.id
        if isinstance(node.config, SetVariableConfig):
            yield subject.node_path(node.id, "/config/variable"), node.config.variable, node.id
        if isinstance(node.config, ForEachConfig):
            for key in ("item_variable", "index_variable"):
                yield subject.node_path(node.id, f"/config/{key}"), getattr(node.config, key), node.id


def check_reads(subject: Subject, readings: list[Reading]) -> None:
    """`unknown_variable`, `maybe_unset`, `undeclared_read`."""
    names = _Names(subject)
    for reading in readings:
        names.check(reading)


def loops_around(subject: Subject, site: Site) -> list[ForEachConfig]:
    """The loops whose item and index are visible at a site, the innermost first."""
    if site.node is None:
        return []
    around = subject.graph.ancestors(site.node)
    holders = (site.node, *around) if site.when == "within" else around
    configs = (subject.node(holder).config for holder in holders)
    return [config for config in configs if isinstance(config, ForEachConfig)]


def item_names(subject: Subject, site: Site) -> set[str]:
    """Names of items and indexes around a site."""
    loops = loops_around(subject, site)
    return {name for config in loops for name in (config.item_variable, config.index_variable)}


def is_declared(subject: Subject, key: str) -> bool:
    """Whether the state schema names this key."""
    if not subject.schema_faults:
        return subject.schema.declares(key)
    properties = (subject.definition.state or {}).get("properties")
    return isinstance(properties, dict) and key in properties


class _Names:
    """The check of every read of one document."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.suppliers = Suppliers(subject)
        self.certainty = Certainty(subject, self.suppliers)
        self.inputs = {declared.name for declared in subject.definition.inputs}
        self.similar: dict[str, str | None] = {}

    def check(self, reading: Reading) -> None:
        site, read = reading.site, reading.read
        if read.root in site.names:
            return
        if site.when == "rule":
            told = f"A permission rule sees only args, not {read.root!r}. Write args.{read.root}, or leave it out."
            self.report("unknown_variable", site, told)
        elif read.root in ROOTS:
            self.check_root(site, read)
        elif read.root not in item_names(self.subject, site):
            self.check_key(site, read)

    def check_key(self, site: Site, read: Read) -> None:
        key = read.root
        is_known = key in self.inputs or is_declared(self.subject, key) or self.suppliers.can_supply(key, site)
        if not is_known:
            self.report_unknown(site, read)
            return
        self.check_declared_read(site, key)
        if read.kind == "dollar" and not self.certainty.is_set(key, site):
            told = f"{key!r} may have no value here; then the text ${key} stays as written. Set it before."
            self.report("maybe_unset", site, told)

    def check_declared_read(self, site: Site, key: str) -> None:
        if site.node is None or site.when == "after":
            return
        node = self.subject.node(site.node)
        if node.inputs is None or node.type == "handler" or key in node.inputs:
            return
        told = f"{node.id!r} reads {key!r} without naming it in its inputs. Add it there, or remove the read."
        self.report("undeclared_read", site, told)

    def report_unknown(self, site: Site, read: Read) -> None:
        if read.kind == "dollar":
            told = f"Nothing sets {read.root!r}, so the text ${read.root} stays as written. Set it, or mean the text."
            self.report("maybe_unset", site, told)
            return
        near = self.near(read.root)
        hint = f"Did you mean {near!r}?" if near else None
        writers = self.suppliers.writers(read.root)
        told = f"Nothing can have set {read.root!r} here: it is no input, no declared state key, no earlier output."
        if writers:
            told = f"{read.root!r} is set by {writers[0]!r}, but never before this place is reached."
            hint = "Draw the nodes so that it is set first, or read something else."
        self.report("unknown_variable", site, told, hint)

    def near(self, name: str) -> str | None:
        """A known name much like this one. Looked for a few times only: many unknown names are no slips of the pen."""
        if name not in self.similar and len(self.similar) < MOST_GUESSES:
            known = [*self.inputs, *self.suppliers.keys, *ROOTS]
            self.similar[name] = next(iter(difflib.get_close_matches(name, known, 1)), None)
        return self.similar.get(name)

    def check_root(self, site: Site, read: Read) -> None:
        key = read.path[0] if read.path else None
        if not isinstance(key, str) or read.kind == "dollar":
            return
        if read.root == "inputs" and key not in self.inputs:
            self.report("unknown_variable", site, f"The flow has no input {key!r}. Declare it, or read another.")
        elif read.root == "run" and key not in RUN_KEYS:
            told = f"run has no key {key!r}. It has {', '.join(RUN_KEYS)}."
            self.report("unknown_variable", site, told)
        elif read.root == "steps":
            self.check_step(site, key)

    def check_step(self, site: Site, step: str) -> None:
        if step not in self.subject.graph.parent:
            if step not in self.subject.parsed.known_ids:
                told = f"steps.{step} names no node of the flow. Write the id of a node that runs before."
                self.report("unknown_variable", site, told)
        elif not self.suppliers.can_end_before(step, site):
            told = f"The node {step!r} never runs before this place is reached, so steps.{step} is empty. Connect it."
            self.report("unknown_variable", site, told)

    def report(self, code: str, site: Site, message: str, hint: str | None = None) -> None:
        node = None if site.edge is not None else site.node
        self.subject.report(code, site.path, message, node=node, edge=site.edge, hint=hint)
