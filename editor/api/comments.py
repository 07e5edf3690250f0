"""Endpoints of comments on nodes: whoever sees the flow reads, writes and resolves them."""

from __future__ import annotations

from typing import ClassVar

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.base import ApiView, body_of, find_flow
from editor.api.documenting import describe
from editor.api.paging import PageQuery, PageShape, page_of
from editor.comments import add_comment, comments_of, resolve_comment
from editor.permissions import demand_right
from editor.serializers.comments import CommentChange, CommentGiven, CommentShape
from editor.visibility import VIEW


class CommentPage(PageShape):
    """Comments, the oldest first."""

    items = CommentShape(many=True)


class Comments(ApiView):
    """The comments on a flow's nodes."""

    scopes: ClassVar = {"POST": "edit"}

    @describe("comments_list", "List comments", query=PageQuery, answers=CommentPage)
    def get(self, request: Request, flow_id: str) -> Response:
        """All of them, resolved ones and those of nodes that are gone too."""
        flow = find_flow(request.user, flow_id)
        return Response(CommentPage(page_of(comments_of(flow), self.asked, order=("id",))).data)

    @describe("comments_add", "Comment on a node", body=CommentGiven, status=201, answers=CommentShape)
    def post(self, request: Request, flow_id: str) -> Response:
        """It is kept beside the draft and is no part of any version."""
        flow = find_flow(request.user, flow_id)
        demand_right(request.user, VIEW, flow)
        row = add_comment(flow, by=request.user, **body_of(request, CommentGiven))
        return Response(CommentShape(row).data, status=201)


class OneComment(ApiView):
    """One comment."""

    scopes: ClassVar = {"PATCH": "edit"}

    @describe("comments_resolve", "Resolve a comment", body=CommentChange, answers=CommentShape)
    def patch(self, request: Request, flow_id: str, comment_id: int) -> Response:
        """Mark it as done, or open it again."""
        flow = find_flow(request.user, flow_id)
        demand_right(request.user, VIEW, flow)
        row = comments_of(flow).filter(pk=comment_id).first()
        if row is None:
            raise NotFound(f"The flow {flow.pk!r} has no comment {comment_id}.")
        return Response(CommentShape(resolve_comment(row, by=request.user, **body_of(request, CommentChange))).data)
