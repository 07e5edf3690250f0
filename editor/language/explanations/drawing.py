"""Explanations of the checks of the drawing: ids, edges, containers, starts, what can be reached."""

from __future__ import annotations

from editor.language.explanations.explanation import Explanation, edge, flow, node, put, say

_NESTED = [node(f"s{deep}", "sequence", **({"parent": f"s{deep - 1}"} if deep else {})) for deep in range(33)]

DRAWING = (
    Explanation(
        "format_unsupported",
        "The number says how the document is to be read. Of another one this site does not know what its words mean, "
        "so it does not guess.",
        {**flow(node("a")), "format": 2},
        flow(node("a")),
    ),
    Explanation(
        "duplicate_id",
        "Runs, edges and expressions name a node by its id. With two of the same id nobody could say which one is "
        "meant.",
        flow(put("a", "x"), put("a", "y")),
        flow(put("a", "x"), put("b", "y"), edges=(edge("a", "b"),)),
    ),
    Explanation(
        "unknown_type",
        "A type says what a node does. This site has none of this name: it is misspelt, or belongs to an app that is "
        "not installed.",
        flow(node("a", "tool_cal")),
        flow(node("a", "tool_call", config={"tool": "look"})),
    ),
    Explanation(
        "config_invalid",
        "The settings do not fit the type of the node (or this part of the flow), so a run could not know what to do.",
        flow(node("a", "evaluator", config={"expresion": "1 + 1"})),
        flow(node("a", "evaluator", config={"expression": "1 + 1"})),
    ),
    Explanation(
        "edge_dangling",
        "An edge leads from one node to another. One of the two is not in the flow, so the path would lead nowhere.",
        flow(node("a"), edges=(edge("a", "b"),)),
        flow(node("a"), node("b"), edges=(edge("a", "b"),)),
    ),
    Explanation(
        "edge_crosses_container",
        "A container begins and ends as a whole: nothing jumps into it or out of it. Lead the edge to the container "
        "itself, or put both nodes into it.",
        flow(node("a"), node("box", "parallel"), node("b", parent="box"), edges=(edge("a", "box"), edge("a", "b"))),
        flow(node("a"), node("box", "parallel"), node("b", parent="box"), edges=(edge("a", "box"),)),
    ),
    Explanation(
        "container_cycle",
        "Each container holds the other, so none is the outer one and neither could ever begin.",
        flow(node("p", "sequence", parent="q"), node("q", "sequence", parent="p"), node("a")),
        flow(node("p", "sequence"), node("q", "sequence", parent="p"), node("a", parent="q")),
    ),
    Explanation(
        "nesting_too_deep",
        "Containers stand in one another at most 32 deep. A flow that needs more is easier to read, and to run, as "
        "several: call one from the other as a sub-flow.",
        flow(*_NESTED, node("a", parent="s32")),
        flow(*_NESTED[:2], node("a", parent="s1")),
    ),
    Explanation(
        "no_start",
        "A run needs a node to begin with: one that no edge leads to, or the one that `start` names.",
        flow(put("a", "x", max_visits=2), node("b"), edges=(edge("a", "b"), edge("b", "a"))),
        flow(put("a", "x", max_visits=2), node("b"), edges=(edge("a", "b"), edge("b", "a")), start="a"),
    ),
    Explanation(
        "start_ambiguous",
        "Several nodes could come first, and which one is meant changes what the flow does. Connect them, or name one "
        "as `start`.",
        flow(put("a", "x"), put("b", "y")),
        flow(put("a", "x"), put("b", "y"), edges=(edge("a", "b"),)),
    ),
    Explanation(
        "unreachable_node",
        "No path leads to this node, so it never runs, in no run. Usually an edge was forgotten.",
        flow(put("a", "x"), put("b", "y"), start="a"),
        flow(put("a", "x"), put("b", "y"), start="a", edges=(edge("a", "b"),)),
    ),
    Explanation(
        "no_default_edge",
        "If none of the conditions holds, the path ends here without a word, and the run succeeds with work left "
        "undone. An edge without a condition takes the remaining cases.",
        flow(
            put("n", "n", 5), node("ask"), say("big", "big"), say("small", "small"),
            edges=(edge("n", "ask"), edge("ask", "big", when="n > 9"), edge("ask", "small", when="n < 3")),
        ),
        flow(
            put("n", "n", 5), node("ask"), say("big", "big"), say("small", "small"),
            edges=(edge("n", "ask"), edge("ask", "big", when="n > 9"), edge("ask", "small")),
        ),
    ),
)  # fmt: skip
"""In the order of the page."""
