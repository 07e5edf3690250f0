"""Explanations of the checks of values: expressions, names, the state, what is set where."""

from __future__ import annotations

from editor.language.explanations.explanation import Explanation, call, edge, flow, node, put, say

_AFTER = (edge("a", "b"),)
_PARALLEL = (edge("box", "c"),)

VALUES = (
    Explanation(
        "expression_invalid",
        "What stands there cannot be read as an expression, so it has no value. A condition like this would never "
        "hold.",
        flow(node("a", "evaluator", config={"expression": "1 +"})),
        flow(node("a", "evaluator", config={"expression": "1 + 1"})),
    ),
    Explanation(
        "template_invalid",
        "A placeholder that is opened must be closed, and hold something that can be read there. Otherwise it would be "
        "sent on as it is written.",
        flow(say("a", "Dear {{name")),
        flow(put("a", "name", "Ada"), say("b", "Dear {{name}}"), edges=_AFTER),
    ),
    Explanation(
        "state_schema_invalid",
        "The schema of the state says what values variables may have. One that is no schema itself allows nobody to "
        "tell.",
        flow(put("a", "x"), state={"type": "objekt"}),
        flow(put("a", "x"), state={"type": "object", "properties": {"x": {"type": "integer"}}}),
    ),
    Explanation(
        "state_schema_slow",
        "This rule can only be judged with the whole state at hand, so that each write reads all of it. Rules for "
        "single variables cost nothing.",
        flow(put("a", "x"), state={"dependentRequired": {"a": ["b"]}}),
        flow(put("a", "x"), state={"properties": {"x": {"type": "integer"}}}),
    ),
    Explanation(
        "undeclared_read",
        "The node says in `inputs` what it reads. That is a promise others rely on, and it reads something else too.",
        flow(
            put("a", "x"), put("b", "y"), say("c", "{{x}} {{y}}", inputs=["x"]),
            edges=(edge("a", "b"), edge("b", "c")),
        ),
        flow(
            put("a", "x"), put("b", "y"), say("c", "{{x}} {{y}}", inputs=["x", "y"]),
            edges=(edge("a", "b"), edge("b", "c")),
        ),
    ),
    Explanation(
        "unknown_variable",
        "No path on which this could have been set leads here, so reading it would always fail. It is misspelt, or set "
        "too late, or only in another branch.",
        flow(put("a", "name", "Ada"), say("b", "Dear {{nmae}}"), edges=_AFTER),
        flow(put("a", "name", "Ada"), say("b", "Dear {{name}}"), edges=_AFTER),
    ),
    Explanation(
        "maybe_unset",
        "A `$name` that has no value stays as it is written: the text would hold the name instead of the value. Set it "
        "on every path, or write `{{name}}`, which says that it is missing.",
        flow(say("a", "$days"), inputs=[{"name": "days", "type": "short_text"}]),
        flow(say("a", "$days"), inputs=[{"name": "days", "type": "short_text", "default": "14"}]),
    ),
    Explanation(
        "reserved_name",
        "`inputs`, `steps`, `policy` and `run` mean something in every expression. A variable of the same name could "
        "not be read.",
        flow(put("a", "run")),
        flow(put("a", "round")),
    ),
    Explanation(
        "read_only_writes",
        "A node that is marked as read-only may run beside others because it changes nothing. This one sets a "
        "variable.",
        flow(put("a", "x", read_only=True)),
        flow(put("a", "x")),
    ),
    Explanation(
        "parallel_write_conflict",
        "Two paths that run at once set the same variable. Which value remains follows from the order of the paths, "
        "and the other one is lost. Give each its own variable, or collect them (`output_mode: append`).",
        flow(node("box", "parallel"), put("a", "x", parent="box"), put("b", "x", parent="box")),
        flow(node("box", "parallel"), put("a", "x", parent="box"), put("b", "y", parent="box")),
    ),
    Explanation(
        "loop_carried_write",
        "Each iteration builds on what the one before left. Iterations that run at once do not see one another, so the "
        "total would be wrong. Let them run one after another, or add up with `output_mode: add`.",
        flow(
            put("a", "total", 0), node("box", "for_each", config={"items": 3, "concurrency": 2}),
            node("add", "evaluator", config={"expression": "total + item"}, parent="box", output_variable="total"),
            say("c", "{{total}}"), edges=(edge("a", "box"), *_PARALLEL),
        ),
        flow(
            put("a", "total", 0), node("box", "for_each", config={"items": 3}),
            node("add", "evaluator", config={"expression": "total + item"}, parent="box", output_variable="total"),
            say("c", "{{total}}"), edges=(edge("a", "box"), *_PARALLEL),
        ),
    ),
    Explanation(
        "secret_literal",
        "What stands in a document is read by everybody who sees the flow, in every version and export, for good. Keep "
        "the secret with the tool that needs it, and take this one back: it has been written down.",
        flow(node("a", "tool_call", config={"tool": "look", "arguments": {"password": "Hunter22"}})),
        flow(call("a", "look")),
    ),
)  # fmt: skip
"""In the order of the page."""
