"""The ledger and the outbox that the sample flows write to: tables of their own, behind tools. No run, no flow."""

from __future__ import annotations

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models.functions import Now


class LedgerEntry(models.Model):
    """One booked payment. `effect_key` makes it one for each call of the tool, however often that is repeated."""

    effect_key = models.CharField(max_length=100, unique=True)
    invoice_number = models.CharField(max_length=100)
    vendor = models.CharField(max_length=200)
    iban = models.CharField(max_length=34)
    amount_cents = models.BigIntegerField(validators=[MinValueValidator(1)])
    currency = models.CharField(max_length=3)
    review_above_cents = models.BigIntegerField()
    """The limit that applied: payments above it had been put to a person."""
    booked_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("id",)
        verbose_name = "ledger entry"
        verbose_name_plural = "ledger"
        constraints = (
            models.CheckConstraint(condition=models.Q(amount_cents__gt=0), name="samples_ledger_amount_positive"),
        )

    def __str__(self) -> str:
        return f"{self.invoice_number}: {self.amount_cents / 100:,.2f} {self.currency} to {self.vendor}"


class OutboxMessage(models.Model):
    """An answer to a customer. `effect_key` makes it one for each call of the tool, however often that is repeated."""

    effect_key = models.CharField(max_length=100, unique=True)
    recipient = models.CharField(max_length=200)
    subject = models.CharField(max_length=200)
    text = models.TextField()
    category = models.CharField(max_length=20)
    written_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("id",)
        verbose_name = "message"
        verbose_name_plural = "outbox"

    def __str__(self) -> str:
        return f"{self.subject}, to {self.recipient}"
