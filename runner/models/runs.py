"""The run: one execution of one flow version. Rows are written by `runner.store` only; the rest reads."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.expressions import RawSQL

from runner.engine.rows import ENGINE_FORMAT
from runner.engine.statuses import RUN_LIVE, RunStatus
from runner.models.few import few_runs, sees_only_own
from runner.models.fields import HoldsValues, InstantField, JsonTextField
from runner.models.visibility import runs_rule

LIVE_RUN = sorted(RUN_LIVE)
_WITH_FAILURES = """"runner_run"."failed_steps" > 0"""
_TROUBLED = """("runner_run"."failed_steps" > 0 OR "runner_run"."status" = 'failed')"""
"""The conditions of two indexes, word for word: SQLite uses a partial index for constants only."""


class RunQuerySet(models.QuerySet["Run"]):
    """Questions about runs."""

    def visible_to(self, user: Any) -> RunQuerySet:
        """The runs that this user may see."""
        return self.filter(runs_rule(user))

    def listed_for(self, user: Any) -> RunQuerySet:
        """The runs that this user may see, for lists: somebody who sees few runs is not led past all others."""
        visible, few = self.visible_to(user), few_runs(user)
        if few is not None:
            return visible.filter(pk__in=few)
        return visible.filter(started_by=user.pk) if sees_only_own(user) else visible

    def with_failed_steps(self) -> RunQuerySet:
        """Runs that ended well although steps of them failed for good."""
        return self.filter(RawSQL(_WITH_FAILURES, [], output_field=models.BooleanField()))

    def troubled(self) -> RunQuerySet:
        """Runs that failed, and those that ended well although steps of them failed for good."""
        return self.filter(RawSQL(_TROUBLED, [], output_field=models.BooleanField()))

    def live(self) -> RunQuerySet:
        """Runs that have not ended."""
        return self.filter(status__in=LIVE_RUN)

    def for_lists(self) -> RunQuerySet:
        """Newest first, with flow, version and starter, without the columns that may be long."""
        return (
            self.select_related("flow", "version", "started_by")
            .defer("inputs", "result", "policy", "snapshot", "given_ends", "version__document")
            .order_by("-started_at", "-id")
        )


class Run(HoldsValues):
    """One run. Nothing in its row grows with the run: state, steps and events are rows of their own.

    `X`, `X_ref`, `X_size` belong together: a value's JSON text, or the digest of the blob that holds it.
    `value_of("X")` gives the value from wherever it lies. `flow_test` is set on runs of flow tests only: the
    stand-ins that take the place of this installation's tools. `trial` is set on tries of single steps: their
    nodes; `given_ends` is how those before them ended, by node: none of them runs again. A run of a sub-flow names the
    run that started it, and, where that run waits for it, the step run that does. A fork names the run and the event
    from which it went on; `snapshot` is what it took over. `failed_steps`: of a run that ended well, how many of its
    steps failed for good.
    """

    id = models.CharField(primary_key=True, max_length=32)
    # No index of its own, nor has `started_by`: the lists' indexes begin with it.
    flow = models.ForeignKey("editor.Flow", null=True, on_delete=models.PROTECT, related_name="runs", db_index=False)
    version = models.ForeignKey(
        "editor.FlowVersion",
        on_delete=models.PROTECT,
        related_name="runs",
        db_index=False,  # run_by_version
    )
    salt = models.CharField(max_length=64, default="")
    parent_run = models.CharField(max_length=32, null=True)
    parent_step = models.CharField(max_length=32, null=True)
    depth = models.IntegerField(default=0)
    forked_from = models.CharField(max_length=32, null=True)
    forked_seq = models.BigIntegerField(null=True)
    snapshot = JsonTextField(null=True)
    snapshot_ref = models.CharField(max_length=80, null=True)
    snapshot_size = models.BigIntegerField(default=0)
    preset = models.CharField(max_length=200, null=True)
    status = models.CharField(max_length=20, choices=[(status, status) for status in RunStatus])
    engine_format = models.IntegerField(default=ENGINE_FORMAT)
    rev = models.BigIntegerField(default=0)
    seq = models.BigIntegerField(default=0)
    head_hash = models.CharField(max_length=80, default="")
    last_ts = InstantField(default=0)
    scopes = models.BigIntegerField(default=0)
    steps = models.BigIntegerField(default=0)
    live = models.BigIntegerField(default=0)
    running = models.BigIntegerField(default=0)
    waiting_person = models.BigIntegerField(default=0)
    waiting_other = models.BigIntegerField(default=0)
    approval_pause = models.BooleanField(default=False)
    input_tokens = models.BigIntegerField(default=0)
    output_tokens = models.BigIntegerField(default=0)
    cost_micros = models.BigIntegerField(default=0)
    units = models.FloatField(default=0)
    state_bytes = models.BigIntegerField(default=0)
    policy = JsonTextField(default=dict)
    inputs = JsonTextField(null=True)
    inputs_ref = models.CharField(max_length=80, null=True)
    inputs_size = models.BigIntegerField(default=0)
    result = JsonTextField(null=True)
    result_ref = models.CharField(max_length=80, null=True)
    result_size = models.BigIntegerField(default=0)
    error = JsonTextField(null=True)
    failed_steps = models.IntegerField(default=0, db_default=0)
    started_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="started_runs", db_index=False
    )
    actor = JsonTextField(default=dict)
    starter = models.CharField(max_length=200, default="")
    idempotency_key = models.CharField(max_length=200, null=True)
    request_digest = models.CharField(max_length=80, default="")
    flow_test = JsonTextField(null=True)
    trial = JsonTextField(null=True)
    given_ends = JsonTextField(null=True)
    started_at = InstantField()
    ended_at = InstantField(null=True)
    paused_at = InstantField(null=True)
    moved_at = InstantField(null=True)
    signed_at = InstantField(default=0)

    objects = RunQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(id=""), name="run_id_not_empty"),
            models.UniqueConstraint(
                fields=["starter", "idempotency_key"],
                condition=Q(idempotency_key__isnull=False),
                name="run_idempotency_key",
            ),
        ]
        indexes = [
            models.Index(fields=["-started_at", "-id"], name="run_newest"),
            models.Index(fields=["status", "-started_at", "-id"], name="run_by_status"),
            models.Index(fields=["flow", "-started_at", "-id"], name="run_by_flow"),
            models.Index(fields=["started_by", "-started_at", "-id"], name="run_by_starter"),
            models.Index(fields=["version", "-started_at", "-id"], name="run_by_version"),
            models.Index(
                fields=["preset", "-started_at", "-id"], condition=Q(preset__isnull=False), name="run_by_preset"
            ),
            models.Index(fields=["-started_at", "-id"], condition=Q(failed_steps__gt=0), name="run_with_failures"),
            models.Index(
                fields=["-started_at", "-id"], condition=Q(failed_steps__gt=0) | Q(status="failed"), name="run_troubled"
            ),
            models.Index(fields=["ended_at"], condition=Q(ended_at__isnull=False), name="run_ended"),
            models.Index(fields=["signed_at"], condition=Q(status__in=LIVE_RUN), name="run_to_sign"),
            models.Index(fields=["parent_run"], condition=Q(parent_run__isnull=False), name="run_children"),
            models.Index(fields=["forked_from"], condition=Q(forked_from__isnull=False), name="run_forks"),
            models.Index(
                fields=["parent_step"],
                condition=Q(status__in=LIVE_RUN, parent_step__isnull=False),
                name="run_waited_for",
            ),
        ]

    @property
    def whole_trial(self) -> dict[str, Any] | None:
        """What a try of single steps is made of, `{targets, given}`; None: this is no try."""
        return None if self.trial is None else {"targets": self.trial, "given": self.given_ends}

    def __str__(self) -> str:
        return f"run {self.id}"

    @property
    def is_live(self) -> bool:
        """Whether the run has not ended."""
        return self.status in RUN_LIVE
