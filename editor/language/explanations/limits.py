"""Explanations of the checks of limits, people, and what the flow refers to: tools, handlers, roles, skills, flows."""

from __future__ import annotations

from editor.language.explanations.explanation import Explanation, call, flow, node

_DAY = 86_400_000

LIMITS = (
    Explanation(
        "timeout_invalid",
        "This site lets no attempt of a worker last so long, so the limit would never count. Long work is parted into "
        "steps; people and waits have limits of their own.",
        flow(call("a", "look", timeout_ms=_DAY)),
        flow(call("a", "look", timeout_ms=60_000)),
    ),
    Explanation(
        "retry_invalid",
        "A call that was denied is denied again: to try it once more changes nothing. Name failures that may pass.",
        flow(call("a", "look", retry={"max_attempts": 2, "on": ["tool_denied"]})),
        flow(call("a", "look", retry={"max_attempts": 2, "on": ["tool_*"]})),
    ),
    Explanation(
        "retry_not_idempotent",
        "This tool does something in the world that cannot be done twice without harm. After a failure nobody knows "
        "whether it was done, and the retry might do it again.",
        flow(call("a", "pay", retry={"max_attempts": 3})),
        flow(call("a", "pay")),
    ),
    Explanation(
        "waits_without_limit",
        "If the signal never comes, the run waits for good. With a time limit it leaves by the edge for that.",
        flow(node("a", "wait", config={"signal": "paid"})),
        flow(node("a", "wait", config={"signal": "paid"}, timeout_ms=_DAY)),
    ),
    Explanation(
        "policy_key_unknown",
        "This looks like one of the limits, but is spelt otherwise, so it would limit nothing.",
        flow(node("a"), policy={"max_token": 5000}),
        flow(node("a"), policy={"max_tokens": 5000}),
    ),
    Explanation(
        "empty_assignees",
        "The approval asks nobody: no one could decide, and the run would wait until it expires. Name people or "
        "groups, or leave it out to ask all reviewers.",
        flow(node("a", "approval", config={"title": "Pay?", "assignees": []})),
        flow(node("a", "approval", config={"title": "Pay?", "assignees": ["reviewer"]})),
    ),
    Explanation(
        "unknown_tool",
        "This site has no tool of this name now: it is misspelt, or not installed here. A run would fail at this call.",
        flow(call("a", "lok")),
        flow(call("a", "look")),
    ),
    Explanation(
        "unknown_handler",
        "This site has no handler of this name now: it is misspelt, or its app is not installed here.",
        flow(node("a", "handler", config={"handler": "cuont"})),
        flow(node("a", "handler", config={"handler": "count"})),
    ),
    Explanation(
        "unknown_role",
        "No tool of this site has this role, so the group would call nothing.",
        flow(node("a", "tool_group", config={"role": "serch"})),
        flow(node("a", "tool_group", config={"role": "search"})),
    ),
    Explanation(
        "unknown_skill",
        "The agent follows a skill that this site does not have. Without it, it would not know what to do.",
        flow(node("a", "agent", config={"skill": "reserch", "prompt": "Find it"})),
        flow(node("a", "agent", config={"skill": "research", "prompt": "Find it"})),
    ),
    Explanation(
        "unknown_flow_version",
        "A sub-flow runs one published version, which never changes. There is none with this number.",
        flow(node("a", "subflow", config={"flow": "other", "version": 7})),
        flow(node("a", "subflow", config={"flow": "other", "version": 1})),
    ),
    Explanation(
        "artifact_never_produced",
        "The flow promises a document that no node makes: whoever starts it would wait for it in vain.",
        flow(node("a"), artifacts=[{"id": "report", "type": "text"}]),
        flow(
            node("a", "artifact", config={"artifact": "report", "content": "Done"}),
            artifacts=[{"id": "report", "type": "text"}],
        ),
    ),
)  # fmt: skip
"""In the order of the page."""
