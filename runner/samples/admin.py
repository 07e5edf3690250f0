"""The ledger in the admin: to be read, never changed."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from runner.samples.models import LedgerEntry


@admin.register(LedgerEntry)
class LedgerEntryAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # no generic at run time
    list_display = ("id", "invoice_number", "vendor", "amount", "currency", "booked_at")
    search_fields = ("invoice_number", "vendor")
    list_per_page = 50

    @admin.display(description="amount")
    def amount(self, entry: LedgerEntry) -> str:
        """The amount with its cents."""
        return f"{entry.amount_cents / 100:,.2f}"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: LedgerEntry | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: LedgerEntry | None = None) -> bool:
        return False
