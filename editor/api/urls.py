"""Addresses below /api/ that are about flows. Those of runs are the runner's."""

from __future__ import annotations

from django.urls import URLPattern, path

from editor.api.comments import Comments, OneComment
from editor.api.drafts import Checks, ChecksOfFlow, DraftOfFlow, NamesOfFlow
from editor.api.explaining import DescriptionOfOne, Explanations
from editor.api.extractions import Extractions
from editor.api.flows import Archive, FlowCopies, Flows, OneFlow, Restore
from editor.api.people import OneInvitation, OnePerson, OpenInvitations, People
from editor.api.reviews import DecisionOfReview, Reviews, ReviewSetting
from editor.api.sharing import Me, Sharing
from editor.api.transfer import Conversions, Imports
from editor.api.versions import DifferenceOfVersions, OneVersion, Versions

urlpatterns: list[URLPattern] = [
    path("checks/", Checks.as_view(), name="api-checks"),
    path("conversions/", Conversions.as_view(), name="api-conversions"),
    path("explanations/", Explanations.as_view(), name="api-explanations"),
    path("flows/", Flows.as_view(), name="api-flows"),
    path("flows/<slug:flow_id>/", OneFlow.as_view(), name="api-flow"),
    path("flows/<slug:flow_id>/archive/", Archive.as_view(), name="api-flow-archive"),
    path("flows/<slug:flow_id>/checks/", ChecksOfFlow.as_view(), name="api-flow-checks"),
    path("flows/<slug:flow_id>/comments/", Comments.as_view(), name="api-flow-comments"),
    path("flows/<slug:flow_id>/comments/<int:comment_id>/", OneComment.as_view(), name="api-flow-comment"),
    path("flows/<slug:flow_id>/description/", DescriptionOfOne.as_view(), name="api-flow-description"),
    path("flows/<slug:flow_id>/difference/", DifferenceOfVersions.as_view(), name="api-flow-difference"),
    path("flows/<slug:flow_id>/draft/", DraftOfFlow.as_view(), name="api-flow-draft"),
    path("flows/<slug:flow_id>/duplicate/", FlowCopies.as_view(), name="api-flow-duplicate"),
    path("flows/<slug:flow_id>/extractions/", Extractions.as_view(), name="api-flow-extractions"),
    path("flows/<slug:flow_id>/names/", NamesOfFlow.as_view(), name="api-flow-names"),
    path("flows/<slug:flow_id>/restore/", Restore.as_view(), name="api-flow-restore"),
    path("flows/<slug:flow_id>/review-setting/", ReviewSetting.as_view(), name="api-flow-review-setting"),
    path("flows/<slug:flow_id>/reviews/", Reviews.as_view(), name="api-flow-reviews"),
    path(
        "flows/<slug:flow_id>/reviews/<int:review_id>/decision/",
        DecisionOfReview.as_view(),
        name="api-flow-review-decision",
    ),
    path("flows/<slug:flow_id>/sharing/", Sharing.as_view(), name="api-flow-sharing"),
    path("flows/<slug:flow_id>/versions/", Versions.as_view(), name="api-flow-versions"),
    path("imports/", Imports.as_view(), name="api-imports"),
    path("flows/<slug:flow_id>/versions/<int:number>/", OneVersion.as_view(), name="api-flow-version"),
    path("invitations/", OpenInvitations.as_view(), name="api-invitations"),
    path("invitations/<int:link_id>/", OneInvitation.as_view(), name="api-invitation"),
    path("me/", Me.as_view(), name="api-me"),
    path("people/", People.as_view(), name="api-people"),
    path("people/<int:person_id>/", OnePerson.as_view(), name="api-person"),
]
