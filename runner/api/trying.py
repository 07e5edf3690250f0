"""Endpoints of pinned outputs, and of tries: in the simulator, and for real."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from editor.api.base import ApiView, body_of, find_flow
from editor.api.documenting import describe
from editor.installed import installed_catalog
from editor.models import Draft, Flow, PinnedOutput
from editor.permissions import demand_right
from editor.visibility import EDIT, RUN, may
from runner.api.base import find_step, find_whole_run, started_answer
from runner.api.runs import KEY
from runner.serializers.api.runs import RunShape
from runner.serializers.api.trying import PinGiven, PinList, PinShape, PinSummary, TrialGiven, TryGiven, TryShape
from runner.services import pins, trying
from runner.services.observing import Beginning
from runner.services.pins import Pin
from runner.services.previews import SHOWN_CHARACTERS, beginning_of
from runner.services.runs import actor_of
from runner.services.trial_calls import PlannedCall
from runner.services.trying import Attempt, TryAsked
from runner.simulation.told_events import told_events
from runner.simulation.trying import TriedStep

#: Steps that are told of a try.
MOST_STEPS = 500

_WRONG_PIN = "The value does not fit, or may be sensitive (`validation_failed`), or the body is not as documented."
_WRONG_TRY = "What is tried has errors (`flow_invalid`), or nothing can be tried so (`validation_failed`)."


class Pins(ApiView):
    """The outputs that are pinned to nodes of a flow."""

    @describe("pins_list", "List pinned outputs", answers=PinList)
    def get(self, request: Request, flow_id: str) -> Response:
        """All of them by node; with the beginnings of their values for those who may change the draft. They stand
        beside it, for tries."""
        flow = find_flow(request.user, flow_id)
        may_read, found = may(request.user, EDIT, flow), pins.pins_of(flow, installed_catalog())
        return Response({"items": [_pin(one, PinSummary, may_read=may_read) for one in found]})


class OnePin(ApiView):
    """The output that is pinned to one node."""

    scopes: ClassVar = {"PUT": "edit", "DELETE": "edit"}

    @describe("pins_read", "Read a pinned output", answers=PinShape)
    def get(self, request: Request, flow_id: str, node: str) -> Response:
        """With the whole value for those who may change the draft, unless it may be sensitive. Others are told that
        there is one, by whom and since when."""
        flow = find_flow(request.user, flow_id)
        return Response(_pin(_find(flow, node), PinShape, may_read=may(request.user, EDIT, flow)))

    @describe("pins_pin", "Pin an output to a node", body=PinGiven, answers=PinShape, errors={400: _WRONG_PIN})
    def put(self, request: Request, flow_id: str, node: str) -> Response:
        """In tries it takes the place of the node's work. It is no part of the document, nor of any version."""
        flow = find_flow(request.user, flow_id)
        demand_right(request.user, EDIT, flow)
        given = body_of(request, PinGiven)
        catalog, by = installed_catalog(), request.user
        if "from_node" in given:
            pins.move_pin(flow, given["from_node"], node, by=by, catalog=catalog)
            return Response(_pin(_find(flow, node), PinShape, may_read=True))
        if "run" in given:
            run = find_whole_run(by, given["run"])
            if "step" in given:
                find_step(run, given["step"])
            made = pins.pin_from_run(flow, node, run, given.get("step"), by=by, catalog=catalog)
        else:
            source = PinnedOutput.Source.TRY if given["tried"] else PinnedOutput.Source.TYPED
            value = {"output": given["output"], "writes": given.get("writes")}
            made = pins.pin_output(flow, node, **value, source=source, by=by, catalog=catalog)
        return Response(_pin(made, PinShape, may_read=True))

    @describe("pins_unpin", "Unpin an output", status=204, answers=None, more={204: None})
    def delete(self, request: Request, flow_id: str, node: str) -> Response:
        """Unpinning it again does nothing."""
        flow = find_flow(request.user, flow_id)
        demand_right(request.user, EDIT, flow)
        pins.unpin(flow, node, by=request.user)
        return Response(status=204)


class Tries(ApiView):
    """Trying nodes of a draft in the simulator."""

    scopes: ClassVar = {"POST": "read"}
    limits: ClassVar = {"POST": "simulate"}

    @describe("tries_simulate", "Try nodes of a draft", body=TryGiven, answers=TryShape, errors={400: _WRONG_TRY})
    def post(self, request: Request, flow_id: str) -> Response:
        """In the simulator: nothing is called, nothing is saved. Pinned outputs stand in for steps, then what they gave
        in a past run, then the replies of a flow test; where nothing does, the try stops and says so."""
        flow = find_flow(request.user, flow_id)
        given = body_of(request, TryGiven)
        asked = _asked(request, flow, given, given.get("document"))
        found = trying.plan(asked) if given["for_real"] else trying.simulate(asked)
        return Response(TryShape(_shown(found, asked)).data)


class Trials(ApiView):
    """Trying nodes of a draft for real."""

    scopes: ClassVar = {"POST": "run"}
    limits: ClassVar = {"POST": "start"}

    @describe(
        "tries_start",
        "Try nodes for real",
        body=TrialGiven,
        parameters=[KEY],
        status=201,
        answers=RunShape,
        more={200: RunShape},
        errors={
            400: _WRONG_TRY,
            409: "The draft is newer than `revision` (`revision_conflict`), or the key was used with another request "
            "(`idempotency_conflict`).",
        },
    )
    def post(self, request: Request, flow_id: str) -> Response:
        """A run of the draft in which these nodes do their work, and nothing else does: what came before them is stood
        in for, what comes after does not happen. Approvals hold as in every run. It is marked as a trial."""
        flow = find_flow(request.user, flow_id)
        demand_right(request.user, RUN, flow)
        demand_right(request.user, EDIT, flow)
        given = body_of(request, TrialGiven)
        started = trying.start_trial(
            _asked(request, flow, given, None),
            revision=given["revision"],
            actor=actor_of(request.user),
            user=request.user,
            idempotency_key=request.headers.get("Idempotency-Key"),
        )
        return started_answer(started)


def _asked(request: Request, flow: Flow, given: Mapping[str, Any], document: Mapping[str, Any] | None) -> TryAsked:
    run = None
    if "run" in given:
        run = find_whole_run(request.user, given["run"])
        if run.flow_id != flow.pk:
            raise NotFound(f"The run {run.pk} is none of this flow.")
    if document is None:
        document = json.loads(Draft.objects.get(flow=flow).document)
    nodes = tuple(dict.fromkeys(given["nodes"]))
    return TryAsked(
        flow, document, nodes, request.user, installed_catalog(), run, given.get("inputs"), given.get("preset")
    )


def _find(flow: Flow, node: str) -> Pin:
    found = next((one for one in pins.pins_of(flow, installed_catalog()) if one.row.node == node), None)
    if found is None:
        raise NotFound(f"Nothing is pinned to the node {node!r} of the flow {flow.pk!r}.")
    return found


def _pin(pin: Pin, shape: type[PinSummary], *, may_read: bool) -> dict[str, Any]:
    """A pin as it is told; `may_read`: to somebody who may change the draft. What others see of runs is less."""
    end, covered = pin.end, pin.is_covered or not may_read
    about: dict[str, Any] = {
        "row": pin.row,
        "run": pin.row.run if may_read else "",
        "is_orphaned": pin.is_orphaned,
        "is_covered": covered,
        "short": _short(end.output, covered),
        "output": None if covered else end.output,
        "writes": None if covered else end.writes,
    }
    shown: dict[str, Any] = shape(about).data
    return shown


def _short(value: Any, covered: bool) -> Beginning:
    if covered:
        return Beginning(0, is_covered=True)
    text, cut = beginning_of(value, SHOWN_CHARACTERS)
    return Beginning(len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")), text, cut)


def _shown(found: Attempt, asked: TryAsked) -> dict[str, Any]:
    about = ("reached", "told", "missing")
    return {
        "status": found.tried.status,
        "run": found.run.pk if found.run is not None else None,
        **{name: getattr(found, name) for name in about},
        "steps": [_step(step, found) for step in found.tried.steps[:MOST_STEPS]],
        "calls": [_call(call, found, asked) for call in found.calls],
        "events": told_events(found.tried.events),
    }


def _step(step: TriedStep, found: Attempt) -> dict[str, Any]:
    ended_well = step.error is None and not step.is_open
    return {
        **{name: getattr(step, name) for name in ("node", "type", "path", "visit", "status")},
        "source": found.sources.get(step.node, ""),
        "value": _short(step.output, found.covers(step.node)) if ended_well else None,
        "error": str((step.error or {}).get("code", "")),
    }


def _call(call: PlannedCall, found: Attempt, asked: TryAsked) -> dict[str, Any]:
    tool = asked.catalog.tool(call.tool) if call.tool else None
    covered = call.sure and found.covers(call.node)  # what else is told stands in a document
    return {
        **{name: getattr(call, name) for name in ("node", "type", "path", "label", "flow", "tool", "asks", "sure")},
        "effect": tool.effect if tool is not None else "",
        "value": None if call.value is None else _short(call.value, covered),
    }
