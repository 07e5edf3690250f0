"""What happens to an open approval beside the decision: handed to somebody, reminded of, escalated; and mail about it.

The tables of `Routing` and of notices. `Routing` is appended and never changed: the database refuses.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from editor.models import VersionReview
from runner.models.approvals import Approval
from runner.models.fields import InstantField, JsonTextField
from runner.models.runs import Run
from runner.models.steps import OfRunQuerySet


class Routing(models.Model):
    """One thing that happened to an approval while it was open. `person`: whom it was handed to, or taken from.

    `key` makes what may happen only once happen only once; it is unique for each approval.
    """

    class Kind(models.TextChoices):
        DELEGATED = "delegated"
        TAKEN_BACK = "taken_back"
        REMINDED = "reminded"
        ESCALATED = "escalated"

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="routings")
    approval = models.ForeignKey(Approval, on_delete=models.PROTECT, related_name="routings", db_index=False)
    key = models.CharField(max_length=40)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    actor = JsonTextField()
    at = InstantField()
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    group = models.CharField(max_length=150, default="")
    reason = models.TextField(default="")

    objects = OfRunQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["approval", "key"], name="routing_once")]

    def __str__(self) -> str:
        return f"{self.kind} {self.approval_id}"


class Notice(models.Model):
    """A person is to be told of an approval by e-mail, once for each kind. `sent_at`: it was; `dropped`: no need."""

    class Kind(models.TextChoices):
        ASKED = "asked"
        DELEGATED = "delegated"
        REMINDED = "reminded"
        ESCALATED = "escalated"

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="notices")
    approval = models.ForeignKey(Approval, on_delete=models.PROTECT, related_name="notices", db_index=False)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    at = InstantField()
    sent_at = InstantField(null=True)
    dropped = models.BooleanField(default=False)

    objects = OfRunQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["approval", "person", "kind"], name="notice_once")]
        indexes = [
            models.Index(
                fields=["person", "id"], condition=Q(sent_at__isnull=True, dropped=False), name="notice_unsent"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.approval_id} to {self.person_id}"


class ReviewNotice(models.Model):
    """A person is to be told by e-mail that a version waits for their review, or how theirs was decided; once each."""

    class Kind(models.TextChoices):
        ASKED = "asked"
        DECIDED = "decided"

    review = models.ForeignKey(VersionReview, on_delete=models.CASCADE, related_name="notices", db_index=False)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    at = InstantField()
    sent_at = InstantField(null=True)
    dropped = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["review", "person", "kind"], name="review_notice_once")]
        indexes = [
            models.Index(
                fields=["person", "id"], condition=Q(sent_at__isnull=True, dropped=False), name="review_notice_unsent"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.review_id} to {self.person_id}"


class MailBox(models.Model):
    """How somebody is told by e-mail: whether at all, when they may get the next one, and what failed last."""

    person = models.OneToOneField(
        settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="mail_box"
    )
    wants_mail = models.BooleanField(default=True)
    next_at = InstantField(default=0)
    failures = models.IntegerField(default=0)
    error = models.TextField(default="")

    def __str__(self) -> str:
        return f"mail of {self.person_id}"
