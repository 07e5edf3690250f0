"""Endpoints of flow tests: those kept with a flow, running and crashing them, and making one of a run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.base import ApiView, body_of, find_flow
from editor.api.documenting import describe
from editor.installed import installed_catalog
from editor.models import Draft, Flow, FlowVersion, KeptTest
from editor.permissions import demand_right
from editor.visibility import EDIT
from runner.api.base import find_whole_run
from runner.serializers.api.flow_tests import (
    CrashGiven,
    CrashShape,
    KeptTestShape,
    RecordingShape,
    TestFileQuery,
    TestList,
    TestMake,
    TestResults,
    TestRunGiven,
    TestSave,
)
from runner.services import flow_tests
from runner.services.flow_test_files import kept_part, surroundings, whole_test
from runner.services.flow_test_runs import Ground, Portion, TestResult, crash_test, run_test
from runner.services.recordings import record_run
from runner.simulation.told_events import told_events

_TAKEN = "It is no flow test (`validation_failed`: `details.problems` lists the faults), or its name is taken."


class KeptTests(ApiView):
    """The tests of a flow."""

    scopes: ClassVar = {"POST": "edit"}

    @describe("tests_list", "List the tests of a flow", answers=TestList)
    def get(self, request: Request, flow_id: str) -> Response:
        """All of them by name, without their contents."""
        flow = find_flow(request.user, flow_id)
        return Response(TestList({"items": flow_tests.tests_of(flow)}).data)

    @describe(
        "tests_make",
        "Keep a test with a flow",
        body=TestMake,
        status=201,
        answers=KeptTestShape,
        errors={400: _TAKEN},
    )
    def post(self, request: Request, flow_id: str) -> Response:
        """A flow-test file; its `flow` is not kept, since tests are run against the draft, nor what the site has as the
        file declares it."""
        flow = find_flow(request.user, flow_id)
        demand_right(request.user, EDIT, flow)
        given = body_of(request, TestMake)
        content = flow_tests.read_content(given["content"])
        base = surroundings(_document(flow, None), installed_catalog(), request.user, names=content.get("replies"))
        made = flow_tests.make_test(flow, kept_part(content, base), by=request.user, made_of=given.get("made_of", ""))
        return Response(_shown(made), status=201, headers={"Location": f"/api/flows/{flow.pk}/tests/{made.pk}/"})


class OneTest(ApiView):
    """One test of a flow."""

    scopes: ClassVar = {"PUT": "edit", "DELETE": "edit"}

    @describe("tests_read", "Read a test", answers=KeptTestShape)
    def get(self, request: Request, flow_id: str, test_id: int) -> Response:
        """With its content, and the revision to save over."""
        return Response(_shown(flow_tests.find_test(find_flow(request.user, flow_id), test_id)))

    @describe(
        "tests_save",
        "Save a test",
        body=TestSave,
        answers=KeptTestShape,
        errors={
            400: _TAKEN,
            409: "Somebody has saved a newer state (`revision_conflict`): `details` holds it.",
        },
    )
    def put(self, request: Request, flow_id: str, test_id: int) -> Response:
        """The answer has the new revision."""
        flow = find_flow(request.user, flow_id)
        demand_right(request.user, EDIT, flow)
        given = body_of(request, TestSave)
        kept = flow_tests.find_test(flow, test_id)
        saved = flow_tests.save_test(kept, given["content"], revision=given["revision"], by=request.user)
        return Response(_shown(saved))

    @describe("tests_delete", "Delete a test", status=204, answers=None, more={204: None})
    def delete(self, request: Request, flow_id: str, test_id: int) -> Response:
        """The audit keeps that there was one. Deleting it again does nothing."""
        flow = find_flow(request.user, flow_id)
        demand_right(request.user, EDIT, flow)
        flow_tests.delete_test(flow, test_id, by=request.user)
        return Response(status=204)


class TestFile(ApiView):
    """A test as a file."""

    @describe("tests_file", "Export a test", query=TestFileQuery, answers=OpenApiTypes.OBJECT)
    def get(self, request: Request, flow_id: str, test_id: int) -> Response:
        """A whole flow-test file, as `manage.py test_flow` runs it: with the draft or a version as its `flow`, and
        what that refers to."""
        flow = find_flow(request.user, flow_id)
        kept = flow_tests.find_test(flow, test_id)
        document = _document(flow, None, self.asked.get("version"))
        whole = whole_test(json.loads(kept.content), document, installed_catalog(), request.user)
        disposition = f'attachment; filename="{flow.pk}-test-{kept.pk}.json"'
        return Response(whole, headers={"Content-Disposition": disposition})


class TestRuns(ApiView):
    """Running tests."""

    scopes: ClassVar = {"POST": "read"}
    limits: ClassVar = {"POST": "simulate"}

    @describe("tests_run", "Run tests", body=TestRunGiven, answers=TestResults)
    def post(self, request: Request, flow_id: str) -> Response:
        """In the simulator, with fixed replies and a virtual clock: nothing is called, nothing is saved. It works for
        about two seconds; `left` names the tests to ask for again."""
        flow = find_flow(request.user, flow_id)
        given = body_of(request, TestRunGiven)
        ground = _ground(request, flow, given)
        items: list[dict[str, Any]]
        if "content" in given:
            result = run_test(flow_tests.read_content(given["content"]), ground, with_offers=given["offers"])
            items = [_result(None, result, with_events=given["events"])]
            return Response(TestResults({"items": items, "left": []}).data)
        kept = {row.pk: row for row in KeptTest.objects.filter(flow=flow).order_by("name")}
        asked = [number for number in dict.fromkeys(given.get("tests", list(kept))) if number in kept]
        portion = Portion()
        items = []
        while asked and not (items and portion.is_over):
            row = kept[asked.pop(0)]
            result = run_test(json.loads(row.content), ground, with_offers=given["offers"])
            items.append(_result(row.pk, result, with_events=given["events"]))
        return Response(TestResults({"items": items, "left": asked}).data)


class TestCrashes(ApiView):
    """Running a test with the process killed at every boundary."""

    scopes: ClassVar = {"POST": "read"}
    limits: ClassVar = {"POST": "simulate"}

    @describe("tests_crash", "Crash-test a test", body=CrashGiven, answers=CrashShape)
    def post(self, request: Request, flow_id: str) -> Response:
        """Runs it once for each boundary between what is stored, killed there and resumed from what was stored: the
        same must come of it. It works for about two seconds; `next` says where to go on."""
        flow = find_flow(request.user, flow_id)
        given = body_of(request, CrashGiven)
        if "content" in given:
            content = flow_tests.read_content(given["content"])
        else:
            content = json.loads(flow_tests.find_test(flow, given["test"]).content)
        found = crash_test(content, _ground(request, flow, given), given["start"], Portion())
        return Response(CrashShape(found).data)


class Recordings(ApiView):
    """A test made of a run."""

    scopes: ClassVar = {"POST": "read"}
    limits: ClassVar = {"POST": "simulate"}

    @describe("runs_record", "Record a test from a run", answers=RecordingShape)
    def post(self, request: Request, run_id: str) -> Response:
        """Its inputs, the replies of its calls, what people decided and did, and how it ended, as a flow test.
        Sensitive values are replaced. Nothing is saved: `POST /api/flows/{flow_id}/tests/` keeps it."""
        run = find_whole_run(request.user, run_id)
        made = record_run(run, catalog=installed_catalog(), by=request.user)
        shown = {"run": run.pk, "content": made.content, "offers": made.offers, "notes": list(made.notes)}
        return Response(RecordingShape(shown).data)


def _shown(kept: KeptTest) -> dict[str, Any]:
    about = ("id", "name", "revision", "made_of", "updated_by", "updated_at")
    shown: dict[str, Any] = KeptTestShape(
        {**{name: getattr(kept, name) for name in about}, "content": json.loads(kept.content)}
    ).data
    return shown


def _result(test: int | None, result: TestResult, *, with_events: bool) -> dict[str, Any]:
    about = ("name", "passed", "status", "fault", "differences", "offers")
    events = told_events(result.events) if with_events else []
    return {"test": test, "events": events, **{name: getattr(result, name) for name in about}}


def _ground(request: Request, flow: Flow, given: Mapping[str, Any]) -> Ground:
    return Ground(_document(flow, given.get("document")), installed_catalog(), request.user)


def _document(flow: Flow, given: Mapping[str, Any] | None, version: int | None = None) -> Mapping[str, Any]:
    """The document that was sent, that of a version, or the draft. Raises NotFound."""
    if given is not None:
        return given
    if version is None:
        text = Draft.objects.get(flow=flow).document
    else:
        found = FlowVersion.objects.filter(flow=flow, number=version).first()
        if found is None:
            raise NotFound(f"The flow {flow.pk!r} has no version {version}.")
        text = found.document
    document: dict[str, Any] = json.loads(text)
    return document
