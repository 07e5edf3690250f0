"""Explanations of the checks of paths: fan-outs, joins, loops, and what runs at once."""

from __future__ import annotations

from typing import Any

from editor.language.explanations.explanation import Explanation, Json, edge, flow, node, put, say

_TWO = (edge("plan", "web"), edge("plan", "docs"))
_MET = (edge("web", "sum"), edge("docs", "sum"))


def _fan_out(*more: Json, edges: tuple[Json, ...] = (*_TWO, *_MET), **plan: Any) -> Json:
    keys = {"read_only": True, "fan_out": True, "synthesis": "sum", **plan}
    given = {key: value for key, value in keys.items() if value is not None}
    searched = (node("plan", **given), put("web", "w"), put("docs", "d"), say("sum", "found"))
    return flow(*searched, *more, edges=edges, start="plan")


def _parallel(*edges: Json, join: object) -> Json:
    inner = (say(name, name, parent="box") for name in ("a", "b", "c"))
    return flow(node("box", "parallel"), *inner, say("last", "all", parent="box", join=join), edges=edges)


_ALL = (edge("a", "last"), edge("b", "last"), edge("c", "last"))
_LOOP = (edge("a", "b"), edge("b", "a", when="output > 1"), edge("b", "c"))
_CROSSED = (edge("a", "b"), edge("b", "c"), edge("c", "a", when="output"), edge("c", "d"))

PATHS = (
    Explanation(
        "fan_out_not_read_only",
        "The paths of a fan-out begin from one state at once. The node that starts them must not change it, or they "
        "would not begin from the same.",
        _fan_out(read_only=None),
        _fan_out(),
    ),
    Explanation(
        "fan_out_without_synthesis",
        "A fan-out starts several paths at once. `synthesis` names the node where they come together again; without it "
        "nobody knows when all is done.",
        _fan_out(synthesis=None),
        _fan_out(),
    ),
    Explanation(
        "synthesis_not_reached",
        "A path of the fan-out has no way to the node where all come together. It would be lost on the way.",
        _fan_out(put("lost", "l"), edges=(*_TWO, *_MET, edge("plan", "lost"))),
        _fan_out(put("lost", "l"), edges=(*_TWO, *_MET, edge("plan", "lost"), edge("lost", "sum"))),
    ),
    Explanation(
        "fan_out_not_closed",
        "Between a fan-out and its synthesis several paths live at once. A way in from outside, or past its beginning, "
        "lets one of them run where nobody has started the others.",
        _fan_out(edges=(*_TWO, *_MET, edge("plan", "web", "error"))),
        _fan_out(say("rescue", "nothing found"), edges=(*_TWO, *_MET, edge("plan", "rescue", "error"))),
    ),
    Explanation(
        "join_in_cycle",
        "Each of the two waits for paths that only the other one could send on: both would wait for good.",
        flow(say("a", "a", join="active"), say("b", "b", join="active"), node("c"), node("d"), edges=_CROSSED,
             start="a", policy={"max_iterations": 3}),
        flow(say("a", "a", join="active"), say("b", "b"), node("c"), node("d"), edges=_CROSSED,
             start="a", policy={"max_iterations": 3}),
    ),
    Explanation(
        "join_may_starve",
        "The join waits for a path that does not come in every case: one is taken only under a condition, or only on "
        "an error. The run would stop here. `active` waits for those that were taken.",
        _parallel(*_ALL[:2], edge("c", "last", "error"), join="all"),
        _parallel(*_ALL[:2], edge("c", "last", "error"), join="active"),
    ),
    Explanation(
        "runs_more_than_once",
        "Paths that live at once lead here one by one, and the node runs for each of them. If it shall run once, it "
        "waits for them: `join: active`.",
        _parallel(*_ALL, join="each"),
        _parallel(*_ALL, join="active"),
    ),
    Explanation(
        "order_counts",
        "What comes first decides, and what comes first is chance: two runs with the same inputs may differ. That can "
        "be meant; a test of this flow should allow both.",
        _parallel(*_ALL, join="any"),
        _parallel(*_ALL, join="all"),
    ),
    Explanation(
        "loop_without_bound",
        "A loop that never meets its condition would run, and cost, until the site's own limit ends it. Say how often "
        "is enough: `max_visits` of a node, or `max_iterations` of the policy.",
        flow(node("a"), put("b", "x"), node("c"), edges=_LOOP, start="a"),
        flow(node("a", max_visits=3), put("b", "x"), node("c"), edges=_LOOP, start="a"),
    ),
)  # fmt: skip
"""In the order of the page."""
