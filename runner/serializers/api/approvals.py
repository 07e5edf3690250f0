"""Approvals and decisions as programs see them, and how one is decided."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from editor.serializers.errors import Error
from editor.serializers.fields import AnyJson, Given, JsonObject, Matching, Query, Text
from runner.engine.statuses import ApprovalStatus
from runner.serializers.api.runs import RUN_ID, Actor

STATUSES = [status.value for status in ApprovalStatus]
VERDICTS = ["approved", "rejected", "happened", "not_happened", "try_again"]


class ApprovalFilter(Query):
    """Which approvals."""

    status = serializers.ChoiceField(choices=STATUSES, default="open")
    run = Matching(RUN_ID, required=False, help_text="Of this run.")


class ApprovalSummary(serializers.Serializer[Any]):
    """A request to a person, in a list. `kind`: about a call of a `tool`, from a `node`, or about a call whose
    outcome is `unknown`. `may_decide`: the caller is one of those who may."""

    id = serializers.CharField()
    run = serializers.CharField(source="run_id")
    flow = serializers.CharField(source="run.flow_id", allow_null=True)
    kind = serializers.ChoiceField(choices=["tool", "node", "unknown"])
    status = serializers.ChoiceField(choices=STATUSES)
    node = serializers.CharField()
    path = serializers.CharField()
    visit = serializers.IntegerField()
    tool = serializers.CharField(allow_null=True)
    title = serializers.CharField(allow_blank=True)
    group = serializers.CharField(allow_null=True)
    assignees = serializers.ListField(child=serializers.CharField())
    digest = serializers.CharField()
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True)
    needed = serializers.IntegerField(help_text="How many people have to approve it.")
    approved = serializers.IntegerField(help_text="How many have approved what is asked now.")
    delegate = serializers.CharField(
        source="delegate.username", default=None, allow_null=True, help_text="Whom it was handed to; null: nobody."
    )
    escalated_to = serializers.CharField(allow_null=True, help_text="The group that was asked besides; null: none.")
    may_decide = serializers.BooleanField()


class OneApproval(serializers.Serializer[Any]):
    """One of several approvals."""

    actor = Actor()
    at = serializers.DateTimeField()
    comment = serializers.CharField(allow_blank=True)


class DecisionShape(serializers.Serializer[Any]):
    """What somebody decided. `arguments`: what the reviewer changed them to; null: nothing was changed."""

    verdict = serializers.ChoiceField(choices=VERDICTS)
    actor = Actor()
    at = serializers.DateTimeField()
    comment = serializers.CharField(allow_blank=True)
    arguments = AnyJson()
    form = AnyJson()


class ApprovalShape(ApprovalSummary):
    """One request with exactly what would be used: what the flow asked for, or what one of several approvers changed
    it to. `refusal`: why the caller may not decide it, if so."""

    step = serializers.CharField(source="step_run_id")
    arguments = AnyJson()
    reasons = serializers.ListField(child=serializers.CharField())
    editable = serializers.BooleanField(help_text="A reviewer may change the arguments.")
    instructions = serializers.CharField(allow_blank=True)
    form = AnyJson(help_text="JSON Schema of what the reviewer fills in, or null.")
    approved_by = OneApproval(many=True, help_text="Where several have to approve: who did so far.")
    decision = DecisionShape(allow_null=True)
    refusal = Error(allow_null=True)


class Decide(Given):
    """A decision. `digest` is that of the approval as it was read: what was seen is what is decided about.

    `approved` and `rejected`; where the outcome of a call is unknown, `happened` (`form` is then what the call
    returned), `not_happened` or `try_again`.
    """

    verdict = serializers.ChoiceField(choices=VERDICTS)
    digest = Text(max_length=80)
    comment = Text(required=False, max_length=10_000)
    arguments = JsonObject(required=False)
    form = AnyJson(required=False)


class HandOver(Given):
    """Whom to hand an approval to, by user name; it has to be somebody who may decide it."""

    to = Text(max_length=150)
    reason = Text(required=False, max_length=2_000, allow_blank=True)
