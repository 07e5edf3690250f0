"""Ed25519 as verify.py works it out without any package: the vectors of RFC 8032, section 7.1, and what is forged."""

from __future__ import annotations

import hashlib

import pytest

from runner.services.dossier.verify import Q, is_signed, verify_ed25519

VECTORS = {
    "TEST 1": (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        b"",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    "TEST 2": (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        bytes.fromhex("72"),
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    "TEST 3": (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        bytes.fromhex("af82"),
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
    "TEST SHA(abc)": (
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        hashlib.sha512(b"abc").digest(),
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
    ),
}


@pytest.mark.parametrize("name", VECTORS)
def test_the_vectors_of_the_rfc_are_right_by_both_ways(name: str) -> None:
    public, message, signature = VECTORS[name]
    given = (bytes.fromhex(public), message, bytes.fromhex(signature))
    assert verify_ed25519(*given)
    assert is_signed(*given)


@pytest.mark.parametrize("name", VECTORS)
def test_anything_else_is_not_signed_by_both_ways(name: str) -> None:
    public, message, signature = bytes.fromhex(VECTORS[name][0]), VECTORS[name][1], bytes.fromhex(VECTORS[name][2])
    s = int.from_bytes(signature[32:], "little")
    forged = [
        (public, message + b"x", signature),
        (public, message, signature[:-1]),
        (public, message, bytes([signature[0] ^ 1]) + signature[1:]),
        (public, message, signature[:32] + (s + Q).to_bytes(32, "little")),  # the same point by a number too large
        (bytes([public[0] ^ 1]) + public[1:], message, signature),
        (public[:-1], message, signature),
        (b"\xff" * 32, message, signature),
    ]
    for one in forged:
        assert not verify_ed25519(*one)
        assert not is_signed(*one)
