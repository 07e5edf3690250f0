"""Checks of limits: times, retries, waits, policy keys."""

from __future__ import annotations

import difflib

from editor.language.definition import Node
from editor.language.nodes.wait import WaitConfig
from editor.language.outcomes import NEVER_RETRIED
from editor.language.policy import ENGINE_KEYS, Policy
from editor.language.validation.references import tools_of
from editor.language.validation.subject import Subject, names

LONGEST_NAME = 200
"""Characters of a name or label that people read."""


def check_time_limits(subject: Subject) -> None:
    """`timeout_invalid`: a limit that a worker could not keep."""
    longest = subject.site.longest_attempt_ms
    for node in subject.nodes:
        kind = subject.kind(node.id)
        if kind is not None and kind.holds_worker and (node.timeout_ms or 0) > longest:
            told = f"An attempt may last at most {longest:,} ms on this site. Lower timeout_ms, or split the work."
            subject.report_node("timeout_invalid", node.id, told, "/timeout_ms")


def check_names(subject: Subject) -> None:
    """`config_invalid`: a name that no list, drawing or table can show."""
    _check_name(subject, "/name", subject.definition.name)
    for place, preset in enumerate(subject.definition.presets):
        _check_name(subject, f"/presets/{place}/name", preset.name)
    for node in subject.nodes:
        _check_name(subject, subject.node_path(node.id, "/name"), node.name, node=node.id)
    for edge in subject.definition.edges:
        _check_name(subject, subject.edge_path(edge.id, "/label"), edge.label, edge=edge.id)


def _check_name(subject: Subject, path: str, name: str | None, **where: str) -> None:
    if name is not None and len(name) > LONGEST_NAME:
        told = f"This name has {len(name):,} characters; at most {LONGEST_NAME} can be shown. Shorten it."
        subject.report("config_invalid", path, told, **where)


def check_retries(subject: Subject) -> None:
    """`retry_invalid` for codes that are never tried again; `retry_not_idempotent`."""
    for node in subject.nodes:
        for place, code in enumerate(node.retry.on or () if node.retry else ()):
            if code in NEVER_RETRIED:
                told = f"{code} is never tried again. Remove it from retry.on."
                subject.report_node("retry_invalid", node.id, told, f"/retry/on/{place}")
        holder = _retried_by(subject, node)
        if holder is not None:
            once = [name for _, name in tools_of(subject, node) if _acts_once(subject, name)]
            if once:
                told = (
                    f"{names(once)} must not act twice, but {holder!r} is tried again after an error, which may come "
                    "after the effect. Remove the retry, or name in retry.on only errors that come before it."
                )
                subject.report_node("retry_not_idempotent", node.id, told, hint=None)


def _retried_by(subject: Subject, node: Node) -> str | None:
    for node_id in (node.id, *subject.graph.ancestors(node.id)):
        retry = subject.node(node_id).retry
        if retry is not None and retry.max_attempts > 1:
            return node_id
    return None


def _acts_once(subject: Subject, tool: str) -> bool:
    spec = subject.catalog.tool(tool)
    return spec is not None and spec.effect == "at_most_once"


def check_waits(subject: Subject) -> None:
    """`waits_without_limit`: a signal that may never come."""
    for node in subject.nodes:
        if not isinstance(node.config, WaitConfig) or node.config.signal is None:
            continue
        around = (node.id, *subject.graph.ancestors(node.id))
        if all(subject.node(node_id).timeout_ms is None for node_id in around):
            told = f"{node.id!r} waits for a signal without a limit, so the run may never end. Give it timeout_ms."
            subject.report_node("waits_without_limit", node.id, told, "/timeout_ms")


def check_policy_keys(subject: Subject) -> None:
    """`policy_key_unknown`: a key of the flow's own that looks like one of the engine's."""
    _check_policy(subject, "/policy", subject.definition.policy)
    for place, preset in enumerate(subject.definition.presets):
        _check_policy(subject, f"/presets/{place}/policy", preset.policy)


def _check_policy(subject: Subject, path: str, policy: Policy) -> None:
    plain = {key.replace("_", ""): key for key in ENGINE_KEYS}
    for key in policy.values:
        if key in ENGINE_KEYS:
            continue
        bare = key.replace("_", "").replace("-", "").lower()
        near = difflib.get_close_matches(bare, plain, 1, cutoff=0.8)
        if near:
            told = f"{key!r} is no limit that is enforced. If you mean {plain[near[0]]!r}, write it so."
            subject.report("policy_key_unknown", f"{path}/{key}", told)
