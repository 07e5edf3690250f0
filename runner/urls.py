"""Paths of the pages. Those of sockets are routing.py's."""

from django.urls import path

from runner.views import (
    actions,
    approval,
    artifacts,
    editing,
    events,
    flows,
    home,
    inbox,
    people,
    runs,
    start,
    steps,
    tokens,
)

urlpatterns = [
    path("", home.home, name="home"),
    path("sign-in/", people.SignIn.as_view(), name="sign-in"),
    path("sign-out/", people.SignOut.as_view(), name="sign-out"),
    path("tokens/", tokens.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke/", tokens.revoke, name="revoke-token"),
    path("flows/", flows.flow_list, name="flows"),
    path("flows/<slug:flow_id>/", flows.flow_page, name="flow"),
    path("flows/<slug:flow_id>/edit/", editing.edit_flow, name="edit-flow"),
    path("flows/<slug:flow_id>/start/", start.start, name="start-run"),
    path("runs/", runs.run_list, name="runs"),
    path("runs/<slug:run_id>/", runs.run_page, name="run"),
    path("runs/<slug:run_id>/parts/", runs.run_parts, name="run-parts"),
    path("runs/<slug:run_id>/events/", events.earlier_events, name="run-events"),
    path("runs/<slug:run_id>/values/<slug:name>/", steps.run_value, name="run-value"),
    path("runs/<slug:run_id>/values/<slug:name>/preview/", steps.run_value_preview, name="run-value-preview"),
    path("runs/<slug:run_id>/cancel/", actions.cancel, name="cancel-run"),
    path("runs/<slug:run_id>/pause/", actions.pause, name="pause-run"),
    path("runs/<slug:run_id>/resume/", actions.resume, name="resume-run"),
    path("runs/<slug:run_id>/signal/", actions.signal, name="send-signal"),
    path("runs/<slug:run_id>/artifacts/<slug:artifact_id>/", artifacts.artifact_file, name="artifact"),
    path(
        "runs/<slug:run_id>/artifacts/<slug:artifact_id>/preview/",
        artifacts.artifact_preview,
        name="artifact-preview",
    ),
    path("runs/<slug:run_id>/steps/<slug:step_id>/", steps.step_page, name="step"),
    path("runs/<slug:run_id>/steps/<slug:step_id>/retry/", actions.retry, name="retry-step"),
    path("runs/<slug:run_id>/steps/<slug:step_id>/values/<slug:name>/", steps.step_value, name="step-value"),
    path(
        "runs/<slug:run_id>/steps/<slug:step_id>/values/<slug:name>/preview/",
        steps.step_value_preview,
        name="step-value-preview",
    ),
    path("inbox/", inbox.inbox, name="inbox"),
    path("inbox/decided/", inbox.decided, name="inbox-decided"),
    path("inbox/<slug:approval_id>/", approval.approval_page, name="approval"),
    path("inbox/<slug:approval_id>/decide/", approval.decide, name="decide"),
]
