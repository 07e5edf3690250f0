"""Every operation of the API, asked with what its description allows and with what it forbids.

Whatever comes in: never a 500, never an answer that the description does not have, and what is forbidden is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from django.contrib.auth.models import User
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, settings
from schemathesis import GenerationMode
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import positive_data_acceptance

from editor.invitations import invite
from editor.models import KeptTest, NodeComment, PinnedOutput, VersionReview
from editor.tokens import SCOPES, make_token
from flowsite.api_pages import openapi_document
from runner.models import Approval, Artifact, Run, StepRun
from runner.services.stops import stop
from tests.integration.pages.samples import ASKS, FAILS, LARGE, WAITS
from tests.support.flows import begin, make_person, publish

EXAMPLES = int(os.environ.get("FLOWSITE_TEST_API_EXAMPLES", "10"))
"""Random requests for each operation; those at the bounds of every parameter come on top."""

schema = schemathesis.openapi.from_dict(openapi_document())
schema.app = get_wsgi_application()


class Objects:
    """Real ids for the paths: each call gets the next of its kind, so that what is asked for is often there."""

    def __init__(self, admin: User) -> None:
        self.admin = admin
        self.waits = publish(WAITS, admin)
        self.asks = publish(ASKS, admin)
        large, failed = publish(LARGE, admin), publish(FAILS, admin)
        self.runs = [begin(version, admin).pk for version in (self.asks, self.waits, large, failed)]
        self.large = self.runs[2]
        self.person = make_person("somebody", "analyst")
        self.link = invite(role="analyst", by=admin).row
        self.stop = stop("tool", "pay_invoice", reason="a test", user=admin)
        self.turn = 0

    def of(self, names: Any) -> dict[str, str]:
        """A value for each name in a path."""
        self.turn += 1
        place = self.turn % len(self.runs)
        run = Run.objects.get(pk=self.large if "artifact_id" in names else self.runs[place])
        if not run.is_live and run.version_id in (self.waits.pk, self.asks.pk):
            run = begin(run.version, self.admin)
            self.runs[place] = run.pk
        known = {
            "flow_id": run.flow_id,
            "number": "1",
            "run_id": run.pk,
            "other_id": run.pk,
            "step_id": StepRun.objects.filter(run=run).order_by("-path").values_list("pk", flat=True)[0],
            "approval_id": Approval.objects.order_by("-created_at").values_list("pk", flat=True)[0],
            "artifact_id": Artifact.objects.filter(run=self.large).get().pk,
            "person_id": self.person.pk,
            "link_id": self.link.pk,
            "stop_id": self.stop.pk,
            "node": PinnedOutput.objects.get_or_create(
                flow_id=run.flow_id, node="a", defaults={"output": "1", "source": "typed"}
            )[0].node,
            "test_id": KeptTest.objects.get_or_create(flow_id=run.flow_id, name="t", content='{"name": "t"}')[0].pk,
            "comment_id": NodeComment.objects.get_or_create(flow_id=run.flow_id, node="a", text="t")[0].pk,
            "review_id": VersionReview.objects.get_or_create(flow_id=run.flow_id, content_hash="v1:0")[0].pk,
        }
        return {name: str(known[name]) for name in names}


@pytest.fixture(autouse=True)
def _connection_stays() -> Iterator[None]:
    """The end of a request closes the connection to the database; here the whole test has one transaction."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def objects(people: dict[str, User]) -> Objects:
    return Objects(people["admin"])


@pytest.fixture
def headers(people: dict[str, User]) -> Iterator[dict[str, str]]:
    made = make_token(people["admin"], name="a test", scopes=tuple(SCOPES))
    yield {"Authorization": f"Bearer {made.text}"}


def is_as_described(case: Any, where: ParameterLocation) -> bool:
    """Whether this part of the request was not made wrong on purpose."""
    part = case.meta.components.get(where)
    return part is None or part.mode is GenerationMode.POSITIVE


REFUSABLE = {"after", "version", "since", "until", "input", "value", "error"}
"""Parameters of lists that may be refused although each is as described."""


def ask(case: Any, objects: Objects, headers: dict[str, str]) -> None:
    """Send one request, and hold the answer against the description."""
    if case.path_parameters and is_as_described(case, ParameterLocation.PATH):
        case.path_parameters = objects.of(case.path_parameters)
    # What fits the description may still not fit the flow, the run or the list (a cursor that nobody was given,
    # a filter without the one that it goes with).
    may_refuse = case.method != "GET" or bool(REFUSABLE & set(case.query or {}))
    case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance] if may_refuse else [])


def make_test(operation_id: str) -> Any:
    """The test of one operation, under a name of its own: parallel workers share out tests by their names."""

    @schema.include(operation_id=operation_id).parametrize()
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def asked(case: Any, objects: Objects, headers: dict[str, str]) -> None:
        ask(case, objects, headers)

    return asked


OPERATIONS = [one["operationId"] for methods in openapi_document()["paths"].values() for one in methods.values()]
globals().update({f"test_{name}_is_as_it_is_described": make_test(name) for name in OPERATIONS})
