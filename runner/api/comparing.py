"""The endpoint that compares two runs."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.base import ApiView
from editor.api.documenting import describe
from runner.api.base import find_run
from runner.serializers.api.comparisons import ComparisonQuery, ComparisonShape, told_comparison
from runner.services.comparisons import compare_runs


class CompareRuns(ApiView):
    """Two runs side by side."""

    @describe("runs_compare", "Compare two runs", query=ComparisonQuery, answers=ComparisonShape)
    def get(self, request: Request, run_id: str, other_id: str) -> Response:
        """Inputs, versions, steps by path and visit, and the first step whose input, outcome, output, state writes or
        way on differ. Values of steps are read from the step runs that are named."""
        before, after = find_run(request.user, run_id), find_run(request.user, other_id)
        compared = compare_runs(before, after, request.user)
        return Response(told_comparison(compared, show_all=self.asked["show"] == "all"))
