"""The outbox: one message for each effect key, whoever asks at the same time and however often. Nothing leaves it."""

from __future__ import annotations

from runner.samples.models import OutboxMessage


class MessageKeyTakenError(Exception):
    """The effect key stands for another message already."""


def put_into_outbox(effect_key: str, **message: str) -> OutboxMessage:
    """Write a message (fields of OutboxMessage), or give the one that this key wrote before.

    Raises MessageKeyTakenError if that one says something else, and ValueError for an empty key.
    """
    if not effect_key:
        raise ValueError("a message needs an effect key; without one it could be sent twice")
    written, _ = OutboxMessage.objects.get_or_create(effect_key=effect_key, defaults=message)
    if any(getattr(written, name) != value for name, value in message.items()):
        raise MessageKeyTakenError(f"message {written.pk} was written under this key with other words")
    return written
