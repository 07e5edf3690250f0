"""Everything that the texts of a flow read, with the place from which it is read, and these texts written anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from editor.language.extracting.rewriting import Change, Mention, rewrite_config, rewrite_expression
from editor.language.nodes.for_each import ForEachConfig
from editor.language.validation.subject import Subject
from editor.language.validation.texts import Site

JsonObject = dict[str, Any]
ChangeAt = Callable[[Site, Mention], tuple[int, Any] | None]


@dataclass(frozen=True)
class Said:
    """A mention and its site. `by_name`: it is a key in a list, where only a state key can stand."""

    site: Site
    mention: Mention
    by_name: bool = False


def site_of(node: str, field: str = "") -> Site:
    """The site of a config field of a node."""
    if field == "stop_when":
        return Site("within", node, "", names=frozenset({"output", "done"}))
    return Site("before", node, "")


def site_after(edge: JsonObject) -> Site:
    """The site of the condition of an edge."""
    on = edge.get("on", "success")
    names = {"output"} if on == "success" else {"output", "error"}
    return Site("after", str(edge.get("source")), "", str(on), frozenset(names), str(edge.get("id")))


def all_said(subject: Subject) -> Iterator[Said]:
    """Every mention of a flow, in its nodes and on its edges. Names that hide state keys are left out."""
    found: list[Said] = []

    def note(site: Site, mention: Mention) -> None:
        found.append(Said(site, mention))

    for node in subject.nodes:
        raw = subject.raw_node(node.id)
        rewritten_node(raw, lambda site, mention: note(site, mention))
        if node.type == "handler" or node.inputs is not None:
            found.extend(Said(site_of(node.id), Mention(key, (), True), True) for key in node.inputs or ())
    for edge in raw_edges(subject):
        rewritten_edge(edge, lambda site, mention: note(site, mention))
    yield from (one for one in found if one.mention.root not in one.site.names)


def raw_edges(subject: Subject) -> list[JsonObject]:
    """Edges whose ends are there, as they were given, each with its id."""
    raw = subject.parsed.raw
    assert isinstance(raw, dict)
    edges = subject.graph.edges
    return [{**raw["edges"][subject.parsed.edge_places[edge.id]], "id": edge.id} for edge in edges]


def rewritten_node(raw: JsonObject, change: ChangeAt) -> JsonObject:
    """A node with other places in its config."""
    config = raw.get("config")
    if not isinstance(config, dict):
        return raw
    node = str(raw["id"])

    def change_in(field: str) -> Change:
        site = site_of(node, field)
        return lambda mention: None if mention.root in site.names else change(site, mention)

    return {**raw, "config": rewrite_config(str(raw["type"]), config, change_in)}


def rewritten_edge(raw: JsonObject, change: ChangeAt) -> JsonObject:
    """An edge with other places in its condition."""
    when = raw.get("when")
    if not isinstance(when, str):
        return raw
    site = site_after(raw)
    written = rewrite_expression(when, lambda one: None if one.root in site.names else change(site, one))
    return {**raw, "when": written}


def items_around(subject: Subject, site: Site) -> dict[str, str]:
    """Names of items and indexes that a site sees, each with its loop, the innermost first."""
    if site.node is None:
        return {}
    around = subject.graph.ancestors(site.node)
    holders = (site.node, *around) if site.when == "within" else around
    found: dict[str, str] = {}
    for holder in holders:
        config = subject.node(holder).config
        if isinstance(config, ForEachConfig):
            found.setdefault(config.item_variable, holder)
            found.setdefault(config.index_variable, holder)
    return found
