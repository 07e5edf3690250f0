"""Where somebody is named in what people wrote: drafts, tests, pinned outputs, comments. It reads only."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from django.db.models import Q, QuerySet

from editor.models import Draft, KeptTest, NodeComment, PinnedOutput

MOST_PLACES = 100
SHORTEST = 3
"""Shorter names stand within other words everywhere."""


def places_naming(texts: Collection[str]) -> list[str]:
    """Where any of these texts stands, such as `draft of refunds` or `test 7 of refunds`; at most `MOST_PLACES`.

    Every draft, test and comment is looked through: a rare question, asked when somebody is erased.
    """
    rule_of = _Holding([text for text in texts if len(text) >= SHORTEST])
    found = [f"draft of {flow}" for (flow,) in rule_of.rows(Draft.objects.all(), "document", "flow_id")]
    found += [f"test {pk} of {flow}" for flow, pk in rule_of.rows(KeptTest.objects.all(), "content", "flow_id", "pk")]
    for field in ("output", "writes"):
        pins = rule_of.rows(PinnedOutput.objects.all(), field, "flow_id", "node")
        found += [f"output pinned to {node} of {flow}" for flow, node in pins]
    comments = rule_of.rows(NodeComment.objects.all(), "text", "flow_id", "node")
    found += [f"comment on {node} of {flow}" for flow, node in comments]
    return list(dict.fromkeys(found))[:MOST_PLACES]


class _Holding:
    """Finds rows with one of some texts, written as they are or as JSON writes them."""

    def __init__(self, texts: Collection[str]) -> None:
        self.written = {form for text in texts for form in (text, _in_json(text, True), _in_json(text, False))}

    def rows(self, rows: QuerySet[Any], field: str, *shown: str) -> list[tuple[Any, ...]]:
        rule = Q(pk__in=[])
        for text in sorted(self.written):
            rule |= Q(**{f"{field}__icontains": text})
        return list(rows.filter(rule).order_by(*shown).values_list(*shown)[:MOST_PLACES])


def _in_json(text: str, is_ascii: bool) -> str:
    return json.dumps(text, ensure_ascii=is_ascii)[1:-1]
