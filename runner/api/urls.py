"""Addresses below /api/ that need runs, approvals or the catalog. All others of flows are the editor's."""

from __future__ import annotations

from django.urls import URLPattern, path

from runner.api import (
    actions,
    approvals,
    catalog,
    flow_runs,
    forks,
    history,
    operations,
    previews,
    run_files,
    runs,
)

urlpatterns: list[URLPattern] = [
    path("approvals/", approvals.Approvals.as_view(), name="api-approvals"),
    path("approvals/<slug:approval_id>/", approvals.OneApproval.as_view(), name="api-approval"),
    path("approvals/<slug:approval_id>/decision/", approvals.Decisions.as_view(), name="api-approval-decision"),
    path("approvals/<slug:approval_id>/delegation/", approvals.Delegation.as_view(), name="api-approval-delegation"),
    path("catalog/document-schema/", catalog.DocumentSchema.as_view(), name="api-catalog-document-schema"),
    path("catalog/handlers/", catalog.HandlerList.as_view(), name="api-catalog-handlers"),
    path("catalog/models/", catalog.ModelList.as_view(), name="api-catalog-models"),
    path("catalog/node-types/", catalog.NodeTypeList.as_view(), name="api-catalog-node-types"),
    path("catalog/roles/", catalog.RoleList.as_view(), name="api-catalog-roles"),
    path("catalog/skills/", catalog.SkillList.as_view(), name="api-catalog-skills"),
    path("catalog/tools/", catalog.ToolList.as_view(), name="api-catalog-tools"),
    path("flows/<slug:flow_id>/open-runs/", flow_runs.OpenRuns.as_view(), name="api-flow-open-runs"),
    path("flows/<slug:flow_id>/preview/", previews.PreviewOfFlow.as_view(), name="api-flow-preview"),
    path("runs/", runs.Runs.as_view(), name="api-runs"),
    path("runs/with-files/", run_files.RunsWithFiles.as_view(), name="api-runs-with-files"),
    path("runs/<slug:run_id>/", runs.OneRun.as_view(), name="api-run"),
    path("runs/<slug:run_id>/artifacts/", history.Artifacts.as_view(), name="api-run-artifacts"),
    path(
        "runs/<slug:run_id>/artifacts/<slug:artifact_id>/content/",
        history.ArtifactContent.as_view(),
        name="api-run-artifact-content",
    ),
    path("runs/<slug:run_id>/cancel/", actions.Cancel.as_view(), name="api-run-cancel"),
    path("runs/<slug:run_id>/document/", flow_runs.RunDocument.as_view(), name="api-run-document"),
    path("runs/<slug:run_id>/events/", history.Events.as_view(), name="api-run-events"),
    path("runs/<slug:run_id>/again/", forks.Again.as_view(), name="api-run-again"),
    path("runs/<slug:run_id>/fork/", forks.Fork.as_view(), name="api-run-fork"),
    path("runs/<slug:run_id>/fork-plan/", forks.ForkPlan.as_view(), name="api-run-fork-plan"),
    path("runs/<slug:run_id>/move/", forks.Move.as_view(), name="api-run-move"),
    path("runs/<slug:run_id>/pause/", actions.Pause.as_view(), name="api-run-pause"),
    path("runs/<slug:run_id>/resume/", actions.Resume.as_view(), name="api-run-resume"),
    path("runs/<slug:run_id>/signals/", actions.SendSignal.as_view(), name="api-run-signals"),
    path("runs/<slug:run_id>/state/", forks.State.as_view(), name="api-run-state"),
    path("runs/<slug:run_id>/steps/", history.Steps.as_view(), name="api-run-steps"),
    path("runs/<slug:run_id>/steps/<slug:step_id>/", history.OneStep.as_view(), name="api-run-step"),
    path("runs/<slug:run_id>/steps/<slug:step_id>/retry/", actions.Retry.as_view(), name="api-run-step-retry"),
    path("stops/", operations.Stops.as_view(), name="api-stops"),
    path("stops/<int:stop_id>/release/", operations.Release.as_view(), name="api-stop-release"),
    path("stuck/", operations.StuckThings.as_view(), name="api-stuck"),
]
