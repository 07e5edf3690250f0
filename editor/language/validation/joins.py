"""Checks of joins: none waits for itself or for what may never come; where order counts is said."""

from __future__ import annotations

from collections.abc import Iterator

from editor.language.nodes.for_each import ForEachConfig
from editor.language.nodes.parallel import ParallelConfig
from editor.language.validation.certain import Certainty, Scope, merges, roots_of, scope_of
from editor.language.validation.subject import Subject, names
from editor.language.validation.writes import Suppliers


def check_join_cycles(subject: Subject) -> None:
    """`join_in_cycle`: two active joins in one cycle wait for one another."""
    for cycle in subject.graph.cycles:
        active = [node.id for node in subject.nodes if node.id in cycle and node.join == "active"]
        if len(active) > 1:
            told = f"The active joins {names(active)} lie in one loop and wait for one another. Change one of them."
            subject.report_node("join_in_cycle", active[1], told, "/join")


def check_starving(subject: Subject) -> None:
    """`join_may_starve`: an `all` or numbered join whose sources need not all be taken."""
    certainty = Certainty(subject, Suppliers(subject))
    for node in subject.nodes:
        is_number = isinstance(node.join, int)
        if not is_number and (node.join != "all" or len(subject.graph.links_into(node.id)) < 2):
            continue
        running = certainty.running(scope_of(subject, node.id))
        if certainty.sure_arrivals(node.id, running) < certainty.needed_arrivals(node.id):
            wanted = f"{node.join} arrivals" if is_number else "every node with an edge to it"
            told = (
                f"{node.id!r} waits for {wanted}, but not all of them need come; then its scope fails with deadlock. "
                "Use the join active, or make the edges to it unconditional."
            )
            subject.report_node("join_may_starve", node.id, told, "/join")


def scopes(subject: Subject) -> Iterator[tuple[Scope, tuple[str, ...], frozenset[str]]]:
    """Every scope in which several paths live at once: the scope, its first nodes, the nodes of its paths."""
    for node in subject.nodes:
        kind = subject.container(node.id)
        if kind is not None and not kind.in_order:
            scope: Scope = ("container", node.id)
            yield scope, roots_of(subject, scope), frozenset(subject.graph.children(node.id))
        if node.fan_out and node.synthesis is not None:
            scope = ("fan_out", node.id)
            roots = tuple(root for root in roots_of(subject, scope) if root != node.synthesis)
            yield scope, roots, subject.graph.fan_out_region(node.id)


def check_order(subject: Subject) -> None:
    """`order_counts`: the document asks who comes first, so results can differ from run to run."""
    for scope, roots, inside in scopes(subject):
        if len(roots) > 1:
            for node_id in sorted(inside, key=subject.graph.order.__getitem__):
                _check_first_come(subject, node_id)
                _check_returns(subject, node_id)
        if scope[0] == "container" and scope[1] is not None:
            _check_stop(subject, scope[1], len(roots))
    for node in subject.nodes:
        if isinstance(node.config, ForEachConfig) and node.config.concurrency > 1:
            _check_stop(subject, node.id, 2)
            for child in subject.graph.children(node.id):
                _check_returns(subject, child)


def _check_first_come(subject: Subject, node_id: str) -> None:
    node = subject.node(node_id)
    if (node.join == "any" or isinstance(node.join, int)) and len(subject.graph.links_into(node_id)) > 1:
        told = f"{node_id!r} goes on with whichever paths arrive first, so the result depends on who is quicker."
        subject.report_node("order_counts", node_id, told, "/join")


def _check_returns(subject: Subject, node_id: str) -> None:
    inside = subject.graph.descendants(node_id) if subject.container(node_id) else ()
    for found in (node_id, *inside):
        if subject.node(found).type == "return":
            told = f"{found!r} ends the run while other paths may still be under way: what they did depends on time."
            subject.report_node("order_counts", found, told)


def _check_stop(subject: Subject, container: str, paths: int) -> None:
    config = subject.node(container).config
    has_stop = isinstance(config, (ParallelConfig, ForEachConfig)) and config.stop_when is not None
    if has_stop and paths > 1:
        told = f"{container!r} stops by whichever paths succeed first, so the result depends on who is quicker."
        subject.report_node("order_counts", container, told, "/config/stop_when")


def check_repeated_starts(subject: Subject) -> None:
    """`runs_more_than_once`: two paths that may live at once lead to one node that starts for each."""
    graph = subject.graph
    for _, roots, inside in scopes(subject):
        stop = frozenset(node_id for node_id in inside if merges(subject, node_id))
        for node_id in sorted(inside - stop, key=graph.order.__getitem__):
            if len(graph.links_into(node_id)) < 2:
                continue
            leading = [root for root in roots if root == node_id or graph.reaches(root, node_id, stop)]
            if len(leading) > 1:
                told = (
                    f"The paths from {names(leading)} both lead to {node_id!r}, which then runs once for each. "
                    "Give it a join if it is meant to run once."
                )
                subject.report_node("runs_more_than_once", node_id, told, "/join")
