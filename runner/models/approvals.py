"""Approvals and the decisions about them. Written by `runner.store` only; decisions are never changed."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q, Value
from django.db.models.functions import Coalesce

from runner.engine.statuses import ApprovalStatus
from runner.models.few import few_approvals
from runner.models.fields import HoldsValues, InstantField, JsonTextField
from runner.models.runs import Run
from runner.models.steps import OfRunQuerySet, StepRun
from runner.models.visibility import approvals_rule

NEVER = 253_370_764_800_000
"""The deadline, in milliseconds, of an approval that never expires: the year 9999, which is still a date."""


class ApprovalQuerySet(models.QuerySet["Approval"]):
    """Questions about approvals."""

    def visible_to(self, user: Any) -> ApprovalQuerySet:
        """The approvals that this user may see."""
        return self.filter(approvals_rule(user))

    def listed_for(self, user: Any) -> ApprovalQuerySet:
        """The approvals that this user may see, for lists of closed ones: they may be very many, and few of them
        the user's."""
        few = few_approvals(user)
        return self.visible_to(user) if few is None else self.visible_to(user).filter(pk__in=few)

    def with_deadline(self) -> ApprovalQuerySet:
        """With `deadline`: when each expires, or a time beyond all others."""
        return self.annotate(deadline=Coalesce(F("expires_at"), Value(NEVER)))

    def open(self) -> ApprovalQuerySet:
        """Approvals that nobody has decided yet."""
        return self.filter(status=ApprovalStatus.OPEN)


class Approval(HoldsValues):
    """A request to a person, with the exact arguments that will be used and their digest."""

    id = models.CharField(primary_key=True, max_length=64)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="approvals")
    kind = models.CharField(max_length=20)
    step_run = models.ForeignKey(StepRun, on_delete=models.PROTECT, related_name="approvals", db_column="step_id")
    node = models.CharField(max_length=63)
    path = models.TextField()
    visit = models.IntegerField()
    status = models.CharField(max_length=20, choices=[(status, status) for status in ApprovalStatus])
    tool = models.CharField(max_length=200, null=True)
    arguments = JsonTextField(null=True)
    arguments_ref = models.CharField(max_length=80, null=True)
    arguments_size = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=80, default="")
    reasons = JsonTextField(default=list)
    group = models.CharField(max_length=150, null=True)
    assignees = JsonTextField(default=list)
    editable = models.BooleanField(default=False)
    title = models.TextField(default="")
    instructions = models.TextField(default="")
    form = JsonTextField(null=True)
    created_at = InstantField()
    expires_at = InstantField(null=True)
    needed = models.IntegerField(default=1, db_default=1)
    approved_by = JsonTextField(default=list, db_default=[])
    offer = JsonTextField(null=True)
    offer_ref = models.CharField(max_length=80, null=True)
    offer_size = models.BigIntegerField(default=0, db_default=0)
    # Where it went after it was asked: services/routing.py writes these, the engine knows nothing of them.
    delegate = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    escalated_to = models.CharField(max_length=150, null=True)
    told_at = InstantField(null=True)

    objects = ApprovalQuerySet.as_manager()

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(id=""), name="approval_id_not_empty")]
        indexes = [
            models.Index(fields=["created_at", "id"], condition=Q(status=ApprovalStatus.OPEN), name="approval_open"),
            models.Index(fields=["run"], condition=Q(status=ApprovalStatus.OPEN), name="approval_open_of_run"),
            models.Index(
                Coalesce(F("expires_at"), Value(NEVER)),
                "id",
                condition=Q(status=ApprovalStatus.OPEN),
                name="approval_by_deadline",
            ),
            models.Index(fields=["status", "created_at", "id"], name="approval_by_status"),
            models.Index(
                fields=["-created_at", "-id"], condition=~Q(status=ApprovalStatus.OPEN), name="approval_closed"
            ),
            models.Index(fields=["group", "run"], name="approval_by_group"),
            models.Index(fields=["run"], condition=~Q(assignees=[]), name="approval_naming"),
            models.Index(fields=["node", "tool", "-created_at"], name="approval_same_call"),
            models.Index(
                fields=["escalated_to", "run"], condition=Q(escalated_to__isnull=False), name="approval_escalated"
            ),
            models.Index(
                fields=["delegate"],
                condition=Q(status=ApprovalStatus.OPEN, delegate__isnull=False),
                name="approval_delegated",
            ),
            models.Index(
                fields=["created_at"],
                condition=Q(status=ApprovalStatus.OPEN, told_at__isnull=True),
                name="approval_untold",
            ),
        ]

    def __str__(self) -> str:
        return self.title or f"{self.tool or self.node}"

    def asked_arguments(self) -> Any:
        """What is asked about now: as the flow made it, or as the last of several approvers changed it."""
        is_changed = self.offer is not None or self.offer_ref is not None
        return self.value_of("offer" if is_changed else "arguments")


class Decision(HoldsValues):
    """What somebody decided about an approval. Appended once, never changed: the database refuses."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="decisions")
    approval = models.OneToOneField(Approval, on_delete=models.PROTECT, related_name="decision")
    verdict = models.CharField(max_length=20)
    actor = JsonTextField()
    at = InstantField()
    comment = models.TextField(default="")
    arguments = JsonTextField(null=True)
    arguments_ref = models.CharField(max_length=80, null=True)
    arguments_size = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=80, default="")
    form = JsonTextField(null=True)
    form_ref = models.CharField(max_length=80, null=True)
    form_size = models.BigIntegerField(default=0)

    objects = OfRunQuerySet.as_manager()

    def __str__(self) -> str:
        return self.verdict
