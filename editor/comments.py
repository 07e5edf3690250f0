"""Comments on the nodes of a draft: saying something, and marking it as done. Who sees the flow may do both."""

from __future__ import annotations

import json
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from editor.audit import record
from editor.language.errors import LanguageError
from editor.models import Draft, Flow, NodeComment
from editor.signals import tell_draft_changed

MOST_OPEN = 1_000


def comments_of(flow: Flow) -> QuerySet[NodeComment]:
    """All comments of a flow, those of nodes that are gone too; the oldest first."""
    return NodeComment.objects.filter(flow=flow).select_related("author", "resolved_by").order_by("pk")


@transaction.atomic
def add_comment(flow: Flow, *, node: str, text: str, by: Any) -> NodeComment:
    """Say something about a node that the draft has now.

    Raises LanguageError: `not_found` for a node that it does not have, `validation_failed` for nothing but blanks,
    `limit_exceeded` where so many are open that nobody reads them.
    """
    said = text.strip()
    if not said:
        raise LanguageError("validation_failed", "The comment is empty. Write what you think.")
    if NodeComment.objects.filter(flow=flow, resolved_at__isnull=True).count() >= MOST_OPEN:
        raise LanguageError("limit_exceeded", f"There are {MOST_OPEN} open comments. Resolve some first.")
    row = NodeComment.objects.create(flow=flow, node=node, node_name=_name_of(flow, node), text=said, author=by)
    record(by, "comment-add", flow, after={"comment": row.pk, "node": node})
    tell_draft_changed(flow.pk)
    row.refresh_from_db(fields=["created_at"])
    return row


@transaction.atomic
def resolve_comment(comment: NodeComment, *, resolved: bool, by: Any) -> NodeComment:
    """Mark a comment as done, or open it again. Saying the same again does nothing."""
    row = NodeComment.objects.select_for_update(of=("self",)).select_related("flow").get(pk=comment.pk)
    if (row.resolved_at is not None) != resolved:
        NodeComment.objects.filter(pk=row.pk).update(
            resolved_at=Now() if resolved else None, resolved_by=by if resolved else None
        )
        about = {"comment": row.pk, "node": row.node}
        record(by, "comment-resolve" if resolved else "comment-reopen", row.flow, after=about)
        tell_draft_changed(row.flow_id)
    return NodeComment.objects.select_related("author", "resolved_by").get(pk=row.pk)


def _name_of(flow: Flow, node_id: str) -> str:
    document: Any = json.loads(Draft.objects.get(flow=flow).document)
    nodes = document.get("nodes") if isinstance(document.get("nodes"), list) else []
    for node in nodes:
        if isinstance(node, dict) and node.get("id") == node_id:
            return str(node.get("name") or node_id)[:200]
    raise LanguageError("not_found", f"The draft has no node {node_id!r} now. Save it first, or comment on another.")
