"""A kept test as a whole flow-test file: with a document, and with what that refers to on this site. It reads only."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from editor.language.catalog import Catalog, ToolSpec
from editor.language.schema import document_text
from editor.models import Flow
from editor.visibility import VIEW, may

#: Flows within flows are brought along to this depth.
DEEPEST = 8


def whole_test(content: Mapping[str, Any], document: Mapping[str, Any], catalog: Catalog, by: Any) -> dict[str, Any]:
    """A flow-test file: what is kept, with `flow`, and declarations of whatever it does not declare itself.

    `by`: sub-flows that this person may not see are left out. What this site does not have is left out too: the
    checks of the test say so.
    """
    about = surroundings(document, catalog, by, names=content.get("replies", {}))
    made: dict[str, Any] = {"name": content["name"], "flow": dict(document)}
    for key, value in content.items():
        made[key] = {**about[key], **value} if key in about and isinstance(value, Mapping) else value
    for key, value in about.items():
        if value:
            made.setdefault(key, value)
    return made


def kept_part(whole: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """What is worth keeping of a whole test: all but the flow and what the site says of itself (`base`)."""
    kept = {key: value for key, value in whole.items() if key != "flow"}
    for key in ("tools", "skills", "roles", "flows"):
        own = {name: one for name, one in whole.get(key, {}).items() if base.get(key, {}).get(name) != one}
        kept.pop(key, None)
        if own:
            kept[key] = own
    return kept


def surroundings(
    document: Mapping[str, Any], catalog: Catalog, by: Any, *, names: Mapping[str, Any] | None = None
) -> dict[str, dict[str, Any]]:
    """What a document refers to, as a flow test declares it: `tools`, `skills`, `roles`, `flows`.

    `names`: further tools, by the queues of their replies.
    """
    flows = _sub_flows(document, catalog, by)
    documents = [document, *flows.values()]
    roles = {name: bound for name in _named(documents, "role") if (bound := catalog.role(name)) is not None}
    skills = {ref: skill for ref in _named(documents, "skill") if (skill := catalog.skill(ref)) is not None}
    tools = {*_named(documents, "tool"), *_listed(documents), *(name for bound in roles.values() for name in bound)}
    tools |= {name for skill in skills.values() for name in skill.tools}
    tools |= {name for name in names or () if ":" not in name}
    return {
        "tools": {name: _declared(tool) for name in sorted(tools) if (tool := catalog.tool(name)) is not None},
        "skills": {
            ref: {"tools": list(skill.tools), "output_schema": skill.output_schema} for ref, skill in skills.items()
        },
        "roles": {name: list(bound) for name, bound in roles.items()},
        "flows": flows,
    }


def _declared(tool: ToolSpec) -> dict[str, Any]:
    """A tool as a stand-in. Whether it asks may depend on its arguments, which a test cannot say: then it does not."""
    shown: dict[str, Any] = {"schema": tool.schema, "effect": tool.effect}
    if tool.read_only:
        shown["read_only"] = True
    if tool.needs_approval is True:
        shown["needs_approval"] = True
    return shown


def _configs(documents: list[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The configs of all nodes. Documents are as written: whatever may stand in them."""
    for document in documents:
        nodes = document.get("nodes")
        for node in nodes if isinstance(nodes, list) else []:
            config = node.get("config") if isinstance(node, dict) else None
            if isinstance(config, dict):
                yield config


def _named(documents: list[Mapping[str, Any]], key: str) -> set[str]:
    return {config[key] for config in _configs(documents) if isinstance(config.get(key), str)}


def _listed(documents: list[Mapping[str, Any]]) -> set[str]:
    """The tools that agents may call."""
    lists = [config.get("tools") for config in _configs(documents)]
    return {name for given in lists if isinstance(given, list) for name in given if isinstance(name, str)}


def _sub_flows(document: Mapping[str, Any], catalog: Catalog, by: Any) -> dict[str, dict[str, Any]]:
    """The documents of the flows that a document runs, and of those that they run, as `id@version`."""
    found: dict[str, dict[str, Any]] = {}
    todo = [document]
    for _ in range(DEEPEST):
        asked = {
            (config["flow"], config["version"])
            for config in _configs(todo)
            if isinstance(config.get("flow"), str) and isinstance(config.get("version"), int)
        }
        fresh = {place for place in asked if f"{place[0]}@{place[1]}" not in found}
        seen = {flow.pk for flow in Flow.objects.filter(pk__in={one for one, _ in fresh}) if may(by, VIEW, flow)}
        todo = []
        for flow_id, version in sorted(fresh):
            definition = catalog.flow_version(flow_id, version) if flow_id in seen else None
            if definition is not None:
                found[f"{flow_id}@{version}"] = json.loads(document_text(definition))
                todo.append(found[f"{flow_id}@{version}"])
        if not todo:
            break
    return found
