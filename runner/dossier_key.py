"""The key that signs dossiers: Ed25519, its secret outside the database. Whoever has the public half can verify them.

The secret is 64 hex digits in the settings (from the environment or a key file). Public keys of the past stay listed.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key by which dossiers of this site are verified; `is_current`: new ones are signed with it."""

    id: str
    hex: str
    is_current: bool


def _secret() -> Ed25519PrivateKey:
    try:
        return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(settings.DOSSIER_SIGNING_KEY))
    except ValueError:
        told = "FLOWSITE_DOSSIER_KEY (or keys/dossier_signing_key) is no key: give 64 hex digits: openssl rand -hex 32"
        raise ImproperlyConfigured(told) from None


def public_key() -> str:
    """The public key of today, as 64 hex digits."""
    return _secret().public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()


def key_id(public: str | None = None) -> str:
    """The name of a public key: today's if none is given."""
    return hashlib.sha256(b"flowsite dossier key|" + bytes.fromhex(public or public_key())).hexdigest()[:16]


def public_keys() -> list[PublicKey]:
    """Today's key, then those of the past that the settings list."""
    now = public_key()
    old = [one.strip().lower() for one in settings.DOSSIER_OLD_PUBLIC_KEYS if one.strip()]
    return [PublicKey(key_id(one), one, one == now) for one in dict.fromkeys([now, *old])]


def sign(message: bytes) -> dict[str, str]:
    """Algorithm, key and signature, as `signature.json` holds them."""
    public = public_key()
    signature = _secret().sign(message).hex()
    return {"algorithm": "Ed25519", "key_id": key_id(public), "public_key": public, "signature": signature}
