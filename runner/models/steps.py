"""Step runs, and the scopes, values, arrivals, blobs and artifacts they leave. `runner.store` writes them."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q

from runner.engine.statuses import STEP_LIVE, ScopeKind, ScopeStatus, StepStatus
from runner.models.fields import HoldsValues, InstantField, JsonTextField, RowNumberField
from runner.models.runs import Run
from runner.models.visibility import EVERYTHING, is_admin

LIVE_STEP = sorted(STEP_LIVE)
FAILED_STEP = [StepStatus.FAILED, StepStatus.BUDGET_EXHAUSTED]
"""Statuses of attempts that failed."""
CUT_SHORT_STEP = [StepStatus.CANCELED, StepStatus.SKIPPED]
"""Statuses of attempts that did nothing, or were stopped: seldom, so that lists of them need an index."""


class OfRunQuerySet(models.QuerySet[Any]):
    """Rows that belong to a run are seen by whoever sees the run."""

    def visible_to(self, user: Any) -> OfRunQuerySet:
        """The rows of runs that this user may see."""
        if is_admin(user):
            return self.filter(EVERYTHING)
        return self.filter(run__in=Run.objects.visible_to(user).values("pk"))


class StepRun(HoldsValues):
    """One attempt at one visit of one node. Rows are appended; an ended row never changes."""

    id = models.CharField(primary_key=True, max_length=32)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="step_runs", db_index=False)
    node = models.CharField(max_length=63)
    type = models.CharField(max_length=63)
    path = models.TextField()
    visit = models.IntegerField()
    attempt = models.IntegerField()
    scope = models.BigIntegerField()
    region = models.BigIntegerField()
    status = models.CharField(max_length=20, choices=[(status, status) for status in StepStatus])
    backend = models.CharField(max_length=20, default="inline")
    round = models.IntegerField(default=1)
    fence = models.IntegerField(default=0)
    lost = models.IntegerField(default=0)
    worker = models.CharField(max_length=200, default="")
    lease_expires_at = InstantField(null=True)
    not_before = InstantField(default=0)
    created_at = InstantField(default=0)
    started_at = InstantField(null=True)
    ended_at = InstantField(null=True)
    announced = models.BooleanField(default=False)
    seen = models.BooleanField(default=False)
    cancel_requested = models.BooleanField(default=False)
    restorable = models.BooleanField(default=False)
    inner = models.BigIntegerField(null=True)
    waits_for = models.CharField(max_length=20, default="")
    wait_key = models.TextField(default="")
    approval_id = models.CharField(max_length=64, null=True)
    input = JsonTextField(null=True)
    input_ref = models.CharField(max_length=80, null=True)
    input_size = models.BigIntegerField(default=0)
    input_digest = models.CharField(max_length=80, default="")
    output = JsonTextField(null=True)
    output_ref = models.CharField(max_length=80, null=True)
    output_size = models.BigIntegerField(default=0)
    delta = JsonTextField(null=True)
    delta_ref = models.CharField(max_length=80, null=True)
    delta_size = models.BigIntegerField(default=0)
    error = JsonTextField(null=True)
    input_tokens = models.BigIntegerField(default=0)
    output_tokens = models.BigIntegerField(default=0)
    cost_micros = models.BigIntegerField(default=0)
    units = models.FloatField(default=0)
    notes = JsonTextField(null=True)
    late_output = JsonTextField(null=True)
    hint_at = InstantField(default=0)
    dispatched_at = InstantField(null=True)
    dispatch_count = models.IntegerField(default=0)

    objects = OfRunQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(id=""), name="steprun_id_not_empty"),
            models.UniqueConstraint(fields=["run", "path", "visit", "attempt"], name="steprun_attempt"),
            models.UniqueConstraint(
                fields=["run", "path", "visit"],
                condition=Q(status__in=LIVE_STEP),
                name="steprun_one_live_attempt",
            ),
        ]
        indexes = [
            models.Index(fields=["run", "region"], condition=Q(restorable=True), name="steprun_restorable"),
            models.Index(
                fields=["run", "path", "visit", "attempt"], condition=Q(status__in=FAILED_STEP), name="steprun_failed"
            ),
            models.Index(
                fields=["run", "path", "visit", "attempt"],
                condition=Q(status__in=CUT_SHORT_STEP),
                name="steprun_cut_short",
            ),
            models.Index(fields=["hint_at"], condition=Q(status="pending"), name="steprun_to_hint"),
            models.Index(fields=["lease_expires_at"], condition=Q(status="running"), name="steprun_lease"),
            models.Index(fields=["wait_key"], condition=Q(status="waiting", waits_for="run"), name="steprun_for_run"),
        ]

    def __str__(self) -> str:
        return f"{self.path} (visit {self.visit}, attempt {self.attempt})"

    @property
    def ran_on(self) -> str:
        """The worker as people know it: its host and process."""
        return self.worker.partition("/")[0]

    @property
    def is_live(self) -> bool:
        """Whether this attempt has not ended."""
        return self.status in STEP_LIVE


class Scope(models.Model):
    """A place where paths live, or one path of it; numbered in its run, never deleted."""

    id = RowNumberField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="scope_rows", db_index=False)
    n = models.BigIntegerField()
    parent = models.BigIntegerField(null=True)
    kind = models.CharField(max_length=20, choices=[(kind, kind) for kind in ScopeKind])
    prefix = models.TextField(default="")
    status = models.CharField(max_length=20, choices=[(status, status) for status in ScopeStatus])
    node = models.CharField(max_length=63, null=True)
    step_id = models.CharField(max_length=32, null=True)
    overlay = models.BooleanField(default=False)
    rank = models.BigIntegerField(default=0)
    order = models.BigIntegerField(default=0)
    index = models.BigIntegerField(null=True)
    live = models.BigIntegerField(default=0)
    entries = JsonTextField(default=list)
    passed = JsonTextField(default=dict)
    loop = JsonTextField(default=dict)
    ending = JsonTextField(null=True)
    joined = JsonTextField(default=list)

    objects = OfRunQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "n"], name="scope_number")]
        indexes = [models.Index(fields=["run", "parent"], name="scope_children")]

    def __str__(self) -> str:
        return f"scope {self.n} ({self.kind})"


class StateValue(HoldsValues):
    """The current value of one key in one scope: state variables, results of nodes, items, counters.

    `seq` is the number of the run's newest event when the value was written.
    """

    id = RowNumberField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="state_values", db_index=False)
    scope = models.BigIntegerField()
    kind = models.CharField(max_length=1)
    key = models.CharField(max_length=255)
    value = JsonTextField(null=True)
    value_ref = models.CharField(max_length=80, null=True)
    value_size = models.BigIntegerField(default=0)
    ops = JsonTextField(null=True)
    inherited = models.BooleanField(default=False)
    seq = models.BigIntegerField(default=0)

    objects = OfRunQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "scope", "kind", "key"], name="statevalue_place"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}:{self.key} in scope {self.scope}"


class Arrival(models.Model):
    """One path that came to a join."""

    id = RowNumberField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="arrivals", db_index=False)
    region = models.BigIntegerField()
    node = models.CharField(max_length=63)
    branch = models.BigIntegerField()
    count = models.IntegerField()
    source = models.CharField(max_length=63)
    status = models.CharField(max_length=20, default="waiting")
    seq = models.BigIntegerField(default=0)

    objects = OfRunQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "region", "node", "branch", "count"], name="arrival_once"),
        ]
        indexes = [
            models.Index(fields=["run", "region"], condition=Q(status="waiting"), name="arrival_waiting"),
        ]

    def __str__(self) -> str:
        return f"arrival at {self.node} from {self.source}"


class Blob(models.Model):
    """A value over the inline limit, once for each run and content."""

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="blobs", db_index=False)
    digest = models.CharField(max_length=80)
    text = models.TextField()
    size = models.BigIntegerField()

    objects = OfRunQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "digest"], name="blob_content")]

    def __str__(self) -> str:
        return self.digest


class Artifact(HoldsValues):
    """Something that a step produced. The value row of kind `a` says which one a path sees."""

    id = models.CharField(primary_key=True, max_length=64)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="artifacts")
    artifact = models.CharField(max_length=200)
    step_run = models.ForeignKey(StepRun, on_delete=models.PROTECT, related_name="artifacts", db_column="step_id")
    scope = models.BigIntegerField()
    type = models.CharField(max_length=100, default="")
    filename = models.CharField(max_length=255, default="")
    content = JsonTextField(null=True)
    content_ref = models.CharField(max_length=80, null=True)
    content_size = models.BigIntegerField(default=0)
    created_at = InstantField()

    objects = OfRunQuerySet.as_manager()

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(id=""), name="artifact_id_not_empty")]

    def __str__(self) -> str:
        return self.filename or self.artifact
