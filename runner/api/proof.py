"""The endpoint that proves a run. What it means is docs/howto/audit.md's."""

from __future__ import annotations

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.access import demand
from editor.api.base import ApiView
from editor.api.documenting import describe
from runner.api.base import find_run
from runner.api.operations import OPERATORS
from runner.permissions import may_operate
from runner.serializers.api.proof import VerdictShape
from runner.services.checking import check_run


class Verify(ApiView):
    """The proof of a run."""

    scopes: ClassVar = {"POST": "admin"}

    @describe("runs_verify", "Check that nobody has altered a run", answers=VerdictShape)
    def post(self, request: Request, run_id: str) -> Response:
        """Recomputes hashes and signatures, compares every row with the history, and names the first that was
        altered. That you asked is kept in the audit."""
        run = find_run(request.user, run_id)
        demand(may_operate(request.user), OPERATORS)
        return Response(VerdictShape(check_run(run.pk, by=request.user).as_json()).data)
