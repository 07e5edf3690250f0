"""Checks of writes by paths that live at once: who wins, and totals that concurrency takes apart."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

from editor.language.validation.certain import merges
from editor.language.validation.joins import scopes
from editor.language.validation.subject import Subject, names
from editor.language.validation.texts import Reading
from editor.language.validation.writes import Suppliers, Write, writes_of


def check_conflicts(subject: Subject) -> None:
    """`parallel_write_conflict`: two paths that may live at once set one key; the later declared one wins."""
    for scope, roots, inside in scopes(subject):
        stop = frozenset(node_id for node_id in inside if merges(subject, node_id))
        for key, writes in _writes_below(subject, inside).items():
            pair = _conflict(subject, roots, stop, writes)
            if pair is not None:
                told = (
                    f"{pair[0]!r} and {pair[1]!r} may both write {key!r} at the same time; what {pair[1]!r} writes "
                    "stays. Use two keys, or the output_mode append, extend, merge or add in both."
                )
                subject.report_node("parallel_write_conflict", scope[1] or pair[0], told)


def _writes_below(subject: Subject, inside: frozenset[str]) -> dict[str, list[tuple[str, Write]]]:
    """Writes by key, each with the node of the scope that makes it or holds the node that does."""
    found: dict[str, list[tuple[str, Write]]] = defaultdict(list)
    for holder in sorted(inside, key=subject.graph.order.__getitem__):
        deeper = subject.graph.descendants(holder) if subject.container(holder) else ()
        for node_id in (holder, *deeper):
            for write in writes_of(subject, subject.node(node_id)):
                if write.key is not None:
                    found[write.key].append((holder, write))
    return found


def _conflict(
    subject: Subject, roots: tuple[str, ...], stop: frozenset[str], writes: list[tuple[str, Write]]
) -> tuple[str, str] | None:
    modes = {write.mode for _, write in writes}
    if len(writes) < 2 or (len(modes) == 1 and "set" not in modes):
        return None
    graph = subject.graph
    for (one, first), (other, second) in combinations(writes, 2):
        if one == other or graph.reaches(one, other) or graph.reaches(other, one):
            continue
        starts = [
            {root for root in roots if root == node_id or graph.reaches(root, node_id, stop)}
            for node_id in (one, other)
        ]
        if starts[0] and starts[1] and len(starts[0] | starts[1]) > 1:
            return first.node, second.node
    return None


def check_carried(subject: Subject, readings: list[Reading]) -> None:
    """`loop_carried_write`, and `parallel_write_conflict` of iterations that run at once."""
    suppliers = Suppliers(subject)
    for node in subject.nodes:
        kind = subject.container(node.id)
        if kind is None or not kind.repeats or subject.concurrency(node.id) == 1:
            continue
        inside = frozenset(subject.graph.descendants(node.id))
        for key, writes in _writes_below(subject, frozenset(subject.graph.children(node.id))).items():
            setting = [write.node for _, write in writes if write.mode == "set"]
            if setting:
                reads = [found for found in readings if found.read.root == key and found.site.node is not None]
                _check_loop_key(suppliers, node.id, key, setting, reads, inside)


def _check_loop_key(
    suppliers: Suppliers, loop: str, key: str, setting: list[str], reads: list[Reading], inside: frozenset[str]
) -> None:
    report = suppliers.subject.report_node
    for found in reads:
        if found.site.node not in inside or key in found.site.names:
            continue
        if not any(suppliers.can_write_before(writer, found.site) for writer in setting):
            told = (
                f"{found.site.node!r} reads {key!r}, which {names(setting)} sets in the same loop. Iterations run at "
                "once and do not see one another's writes. Set it with the output_mode add or append, or let "
                "concurrency be 1."
            )
            report("loop_carried_write", loop, told, "/config/concurrency")
            return
    if any(found.site.node not in inside for found in reads):
        told = f"Iterations that run at once all set {key!r}; what the last item sets stays. Use output_mode append."
        report("parallel_write_conflict", loop, told, "/config/concurrency")
