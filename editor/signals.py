"""News that the editor tells whoever listens: it knows none of them. Losing one loses nothing but time."""

from __future__ import annotations

from django.db import transaction
from django.dispatch import Signal

rights_changed = Signal()
"""What somebody may see or do has become less or more: open pages should ask again. Sent after the commit."""


def tell_rights_changed() -> None:
    """Send `rights_changed` once the transaction is committed; a listener's failure is logged and hurts nobody."""
    transaction.on_commit(lambda: rights_changed.send_robust(sender=None), robust=True)


draft_changed = Signal()
"""Something beside a draft's document has changed: comments, a review. Sent after the commit with `flow`, its id."""


def tell_draft_changed(flow_id: str) -> None:
    """Send `draft_changed` once the transaction is committed; a listener's failure is logged and hurts nobody."""
    transaction.on_commit(lambda: draft_changed.send_robust(sender=None, flow=flow_id), robust=True)


draft_saved = Signal()
"""A newer draft has been saved. Sent after the commit with `flow`, its id."""


def tell_draft_saved(flow_id: str) -> None:
    """Send `draft_saved` once the transaction is committed; a listener's failure is logged and hurts nobody."""
    transaction.on_commit(lambda: draft_saved.send_robust(sender=None, flow=flow_id), robust=True)


review_moved = Signal()
"""A review was asked, decided, closed, or waits for others. Sent inside the transaction, with `kind` (`asked`,
`decided`, `closed`) and the `review`, None for several: what a listener writes is kept or lost with it."""
