"""Endpoints of approvals: list, read, decide. Who may decide is the service's rule."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.base import ApiView, body_of
from editor.api.documenting import describe
from editor.api.paging import PageQuery, PageShape, page_of
from runner.deciding import refusal
from runner.models import Approval, ApprovalQuerySet, Decision, to_instant
from runner.serializers.api.approvals import ApprovalFilter, ApprovalShape, ApprovalSummary, Decide, HandOver
from runner.services.approvals import decide_approval
from runner.services.routing import delegate_approval, take_back_approval
from runner.services.runs import actor_of
from runner.services.seeing import note_card_seen

_COLUMNS = (
    "id", "run_id", "kind", "status", "node", "path", "visit", "tool", "title", "group", "assignees", "digest",
    "created_at", "expires_at", "needed", "approved_by", "delegate__username", "escalated_to",
    "run__flow_id", "run__started_by_id", "run__flow__owner", "run__flow__is_restricted",
)  # fmt: skip


class ApprovalQuery(ApprovalFilter, PageQuery):
    """Which page of which approvals."""


class ApprovalPage(PageShape):
    """Approvals: open ones the oldest first, others the newest first."""

    items = ApprovalSummary(many=True)


class Approvals(ApiView):
    """All approvals that the caller sees."""

    @describe("approvals_list", "List approvals", query=ApprovalQuery, answers=ApprovalPage)
    def get(self, request: Request) -> Response:
        """Open ones, the oldest first, or with `status` others, the newest first; without what they are about."""
        rows = Approval.objects.listed_for(request.user).select_related("run", "run__flow", "delegate")
        rows = rows.only(*_COLUMNS).filter(status=self.asked["status"])
        if "run" in self.asked:
            rows = rows.filter(run=self.asked["run"])
        order = ("created_at", "id") if self.asked["status"] == "open" else ("-created_at", "-id")
        page = page_of(rows, self.asked, order=order)
        for approval in page.items:
            _with_right(request.user, approval)
        return Response(ApprovalPage(page).data)


class OneApproval(ApiView):
    """One approval."""

    @describe("approvals_read", "Read an approval", answers=ApprovalShape)
    def get(self, request: Request, approval_id: str) -> Response:
        """With exactly the arguments that would be used, and their digest, which a decision must repeat."""
        return Response(_shown(request.user, approval_id))


class Decisions(ApiView):
    """The decision about an approval."""

    scopes: ClassVar = {"POST": "decide"}
    limits: ClassVar = {"POST": "decide"}

    @describe(
        "approvals_decide",
        "Decide an approval",
        body=Decide,
        answers=ApprovalShape,
        errors={
            403: "It is not yours to decide (`permission_denied`), or you started the run (`self_approval`).",
            409: "Somebody was first (`approval_already_decided`), it has expired (`approval_expired`), or what you "
            "read is not what would be used (`approval_digest_mismatch`).",
        },
    )
    def post(self, request: Request, approval_id: str) -> Response:
        """Once, and for good."""
        _find(request.user, approval_id)
        given = body_of(request, Decide)
        decide_approval(approval_id, actor=actor_of(request.user), user=request.user, **given)
        return Response(_shown(request.user, approval_id))


_NOT_TO_ROUTE = {
    403: "It is not yours to decide (`permission_denied`), or you started the run (`self_approval`).",
    409: "It does not wait any more (`approval_already_decided`, `approval_expired`).",
}


class Delegation(ApiView):
    """Whom an approval waits for, of those who may decide it."""

    scopes: ClassVar = {"POST": "decide", "DELETE": "decide"}
    limits: ClassVar = {"POST": "decide", "DELETE": "decide"}

    @describe(
        "approvals_delegate",
        "Hand an approval to somebody",
        body=HandOver,
        answers=ApprovalShape,
        errors={
            400: "The other person does not exist or may not decide it (`validation_failed`).",
            **_NOT_TO_ROUTE,
        },
    )
    def post(self, request: Request, approval_id: str) -> Response:
        """It waits in their inbox alone until it is decided, or taken back by who may decide. It gives no rights."""
        _find(request.user, approval_id)
        given = body_of(request, HandOver)
        delegate_approval(approval_id, user=request.user, **given)
        return Response(_shown(request.user, approval_id))

    @describe(
        "approvals_take_back",
        "Take an approval back",
        answers=ApprovalShape,
        errors={
            400: "Nobody has handed it to anybody (`validation_failed`).",
            **_NOT_TO_ROUTE,
        },
    )
    def delete(self, request: Request, approval_id: str) -> Response:
        """It waits for everybody again who may decide it."""
        _find(request.user, approval_id)
        take_back_approval(approval_id, user=request.user)
        return Response(_shown(request.user, approval_id))


def _visible(user: Any) -> ApprovalQuerySet:
    return Approval.objects.visible_to(user).select_related("run", "run__flow", "delegate")


def _find(user: Any, approval_id: str) -> Approval:
    found = _visible(user).defer("run__inputs", "run__result", "run__policy", "run__error")
    approval = found.filter(pk=approval_id).first()
    if approval is None:
        raise NotFound("There is no such approval, or it is not for you to see.")
    return approval


def _with_right(user: Any, approval: Any) -> Any:
    """Note why this user may not decide it, if so. Nobody decides what is decided."""
    refused = refusal(user, approval)
    approval.refusal = refused.as_json() if refused else None
    approval.may_decide = refused is None and approval.status == "open"
    approval.approved = len(approval.approved_by)
    return approval


def _shown(user: Any, approval_id: str) -> dict[str, Any]:
    approval: Any = _with_right(user, _find(user, approval_id))
    note_card_seen(user, approval)
    approval.arguments = approval.asked_arguments()
    approval.approved_by = [one | {"at": to_instant(one["at"])} for one in approval.approved_by]
    decision = Decision.objects.filter(approval=approval_id).first()
    if decision is not None:
        for name in ("arguments", "form"):
            setattr(decision, name, decision.value_of(name))
    approval.decision = decision
    shown: dict[str, Any] = ApprovalShape(approval).data
    return shown
