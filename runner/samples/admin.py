"""The ledger and the outbox in the admin: to be read, never changed."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from runner.samples.models import LedgerEntry, OutboxMessage


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # no generic at run time
    """What tools have written, as they wrote it."""

    list_per_page = 50

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(LedgerEntry)
class LedgerEntryAdmin(ReadOnlyAdmin):
    list_display = ("id", "invoice_number", "vendor", "amount", "currency", "booked_at")
    search_fields = ("invoice_number", "vendor")

    @admin.display(description="amount")
    def amount(self, entry: LedgerEntry) -> str:
        """The amount with its cents."""
        return f"{entry.amount_cents / 100:,.2f}"


@admin.register(OutboxMessage)
class OutboxMessageAdmin(ReadOnlyAdmin):
    list_display = ("id", "recipient", "subject", "category", "written_at")
    search_fields = ("recipient", "subject")
    list_filter = ("category",)
