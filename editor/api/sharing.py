"""Endpoints of who a flow is for, and of who asks."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.base import ApiView, body_of, find_flow
from editor.api.documenting import describe
from editor.models import ApiToken, Flow
from editor.permissions import demand_right, may_archive, may_write_flows
from editor.serializers.sharing import MeShape, SharingGiven, SharingShape
from editor.sharing import Grant, grants_of, share_flow
from editor.visibility import ADMIN, GROUPS, SHARE, group_names, is_one_of, team_rights


class Sharing(ApiView):
    """Who a flow is for."""

    scopes: ClassVar = {"PUT": "admin"}

    @describe("flow_sharing_read", "Read who a flow is for", answers=SharingShape)
    def get(self, request: Request, flow_id: str) -> Response:
        """Whoever sees the flow sees who else does."""
        return Response(_shown(find_flow(request.user, flow_id)))

    @describe("flow_sharing_save", "Share a flow", body=SharingGiven, answers=SharingShape)
    def put(self, request: Request, flow_id: str) -> Response:
        """The whole list anew: who is not in it any more loses what it gave. For the owner and admins."""
        flow = find_flow(request.user, flow_id)
        demand_right(request.user, SHARE, flow)
        given = body_of(request, SharingGiven)
        grants = [
            Grant(one.get("group") or one["person"], "group" in one, frozenset(one["rights"]))
            for one in given["grants"]
        ]
        share_flow(flow, restricted=given["restricted"], grants=grants, by=request.user)
        return Response(_shown(flow))


def _shown(flow: Flow) -> dict[str, Any]:
    grants = [
        {
            "person": None if grant.is_group else grant.name,
            "group": grant.name if grant.is_group else None,
            "rights": grant.rights,
        }
        for grant in grants_of(flow)
    ]
    return SharingShape({"restricted": flow.is_restricted, "owner": flow.owner, "grants": grants}).data


class Me(ApiView):
    """Who asks."""

    @describe("me_read", "Read who you are", answers=MeShape)
    def get(self, request: Request) -> Response:
        """Your roles, groups and rights. What you may do to one flow stands with that flow, as `rights`."""
        user: Any = request.user
        names = group_names(user)
        token = request.auth if isinstance(request.auth, ApiToken) else None
        about = {
            "username": user.get_username(),
            "name": user.get_full_name(),
            "email": user.email,
            "roles": sorted(role for role in GROUPS if is_one_of(user, role)),
            "groups": sorted(names - GROUPS),
            "team_rights": sorted(team_rights(user)),
            "rights": {
                "make_flows": may_write_flows(user),
                "archive_flows": may_archive(user),
                "manage_people": is_one_of(user, ADMIN),
            },
            "token": token,
        }
        return Response(MeShape(about).data)
