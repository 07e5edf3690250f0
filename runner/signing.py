"""Signatures over the newest event of a run, by a key kept outside the database. The store says when.

The key is a text in the settings (from the environment or a key file); older keys stay there for checking.
"""

from __future__ import annotations

import hashlib
import hmac

from django.conf import settings


def key_id(key: str) -> str:
    """The name of a key: it tells keys apart and nothing about them."""
    return hashlib.sha256(b"flowsite event signing key|" + key.encode()).hexdigest()[:16]


def sign(run_id: str, seq: int, head_hash: str) -> tuple[str, str]:
    """The signature over an event's place and hash, and the id of the key that made it."""
    key = settings.EVENT_SIGNING_KEY
    return _signature(key, run_id, seq, head_hash), key_id(key)


def is_genuine(run_id: str, seq: int, head_hash: str, signature: str, by_key: str) -> bool | None:
    """Whether a signature is right; None if the key that made it is not among the settings' keys."""
    keys = [settings.EVENT_SIGNING_KEY, *getattr(settings, "EVENT_SIGNING_OLD_KEYS", [])]
    key = next((key for key in keys if key_id(key) == by_key), None)
    if key is None:
        return None
    return hmac.compare_digest(_signature(key, run_id, seq, head_hash), signature)


def _signature(key: str, run_id: str, seq: int, head_hash: str) -> str:
    message = f"v1|{run_id}|{seq}|{head_hash}".encode()
    return "v1:" + hmac.new(key.encode(), message, hashlib.sha256).hexdigest()
