"""Cutting nodes of a flow out into a flow of their own. What is cut where is the language's."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from editor.audit import record
from editor.language.catalog import Catalog
from editor.language.extracting import Extraction, extract
from editor.models import Flow
from editor.services import create_flow, demand_in_use, publish_version
from editor.sharing import Grant, grants_of, share_flow
from editor.visibility import RIGHTS


@dataclass(frozen=True)
class ExtractedFlow:
    """The new flow, its version (None: it is a draft yet), and the document of the flow around it, not saved."""

    flow: Flow
    version: int | None
    document: dict[str, Any]
    node: str


@transaction.atomic
def extract_flow(
    flow: Flow,
    document: Mapping[str, Any],
    nodes: Collection[str],
    *,
    new_id: str,
    name: str,
    by: Any,
    catalog: Catalog,
    publish: bool = True,
) -> ExtractedFlow:
    """Make a flow of its own out of nodes of a document of `flow`, for the same people; that document is not saved.

    `publish`: also make it version 1, which the document then runs. Raises ExtractionRefusedError with every reason,
    LanguageError `validation_failed` for an id that is no slug or is taken, FlowArchivedError.
    """
    demand_in_use(flow.pk)
    found: Extraction = extract(document, nodes, part_id=new_id, name=name, catalog=catalog)
    made = create_flow(new_id, by=by, name=name, document=found.part)
    if flow.is_restricted:
        share_flow(made, restricted=True, grants=_same_people(flow, by), by=by)
    record(by, "flow-extract", made, after={"from": flow.pk, "nodes": sorted(nodes)})
    version = publish_version(made, by=by, catalog=catalog).number if publish else None
    return ExtractedFlow(made, version, found.document, found.node)


def _same_people(flow: Flow, by: Any) -> list[Grant]:
    """Whom the flow is shared with; its owner, too, where somebody else makes the new one."""
    grants = grants_of(flow)
    if flow.owner is None or flow.owner == by:
        return grants
    owner = flow.owner.get_username()
    return [*(one for one in grants if one.is_group or one.name != owner), Grant(owner, False, RIGHTS)]
