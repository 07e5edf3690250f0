"""Checks of loops: each has a bound."""

from __future__ import annotations

from editor.language.validation.subject import Subject, names


def check_bounds(subject: Subject) -> None:
    """`loop_without_bound`: neither the policy nor a node of the loop says how often it may go round."""
    definition = subject.definition
    presets = definition.presets
    if definition.policy.max_iterations is not None:
        return
    if presets and all(preset.policy.max_iterations is not None for preset in presets):
        return
    bounded = frozenset(node.id for node in subject.nodes if node.max_visits is not None)
    for cycle in subject.graph.cycles:
        if subject.graph.has_cycle_without(cycle, bounded):
            inside = [node.id for node in subject.nodes if node.id in cycle]
            told = (
                f"Nothing bounds the loop over {names(inside)}, so the site's bound holds "
                f"({subject.site.default_max_iterations} visits). Set max_iterations in the policy, or max_visits "
                "on a node."
            )
            subject.report_node("loop_without_bound", inside[0], told)
