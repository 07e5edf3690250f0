"""What two people who do the same at once are told: who was faster, with what."""

from __future__ import annotations

import json

from editor.language.errors import LanguageError
from editor.models import Draft, FlowVersion


class RevisionConflictError(LanguageError):
    """Somebody else has saved a newer draft; `details` holds both documents as JSON, so that they can be compared.

    `document` is the text of the caller's own.
    """

    def __init__(self, draft: Draft, document: str, revision: int) -> None:
        who = draft.updated_by.get_username() if draft.updated_by is not None else "somebody"
        super().__init__(
            "revision_conflict",
            f"The draft was changed by {who} in the meantime: it has revision {draft.revision}, yours began from "
            f"{revision}. Compare the two and save again from the newer one.",
            {
                "revision": draft.revision,
                "document": json.loads(draft.document),
                "yours": json.loads(document),
                "updated_by": who,
                "updated_at": draft.updated_at.isoformat(),
            },
        )


class VersionConflictError(LanguageError):
    """Somebody else has published since; `details` says which version, who, when, why, and whether it is `same`: made
    from the very draft that was to be published.
    """

    def __init__(self, newest: FlowVersion, *, same: bool) -> None:
        who = newest.created_by.get_username() if newest.created_by is not None else "the site"
        origin = "from this very draft " if same else ""
        hint = "There is nothing left to publish." if same else "Compare it with the draft, then publish again."
        super().__init__(
            "revision_conflict",
            f"Version {newest.number} was published {origin}by {who} in the meantime. {hint}",
            {
                "number": newest.number,
                "published_by": who,
                "published_at": newest.created_at.isoformat(),
                "note": newest.note,
                "same": same,
            },
        )
