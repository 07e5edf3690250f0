"""What people keep beside a draft, no part of the document: copying it with a flow, the nodes that it is about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from editor.language.schema import parse_document
from editor.models import Draft, Flow, KeptTest, PinnedOutput
from editor.visibility import EDIT, may


def copy_what_stands_beside(flow: Flow, made: Flow, by: Any) -> None:
    """The tests and the pinned outputs of a flow; of pins, those of nodes that the copy has.

    Where the flow marks anything as sensitive its pins stay behind: in a copy the mark could be taken off them. They do
    too where who makes the copy may not change the flow: they are not told to them.
    """
    tests = KeptTest.objects.filter(flow=flow)
    KeptTest.objects.bulk_create(
        KeptTest(flow=made, name=one.name, content=one.content, made_of=one.made_of, updated_by=by) for one in tests
    )
    nodes = node_names(json.loads(Draft.objects.get(flow=made).document))
    pins = PinnedOutput.objects.filter(flow=flow, node__in=nodes)
    definition = parse_document(json.loads(Draft.objects.get(flow=flow).document)).definition
    if definition is None or definition.sensitive_keys or not may(by, EDIT, flow):
        pins = pins.none()
    about = ("node", "node_name", "output", "writes", "source", "run")
    PinnedOutput.objects.bulk_create(
        PinnedOutput(flow=made, updated_by=by, **{name: getattr(one, name) for name in about}) for one in pins
    )


def node_names(document: Mapping[str, Any]) -> dict[str, str]:
    """What the nodes of a document are called, by id. A document may say anything: what is no node is left out."""
    nodes = document.get("nodes")
    listed = [one for one in nodes if isinstance(one, dict)] if isinstance(nodes, list) else []
    return {one["id"]: str(one.get("name") or one["id"]) for one in listed if isinstance(one.get("id"), str)}
