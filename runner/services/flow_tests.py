"""Flow tests kept with a flow: made, saved, deleted. Running is flow_test_runs.py's; rights are asked before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from django.db import IntegrityError, transaction
from django.db.models import F
from django.db.models.functions import Now

from editor.audit import record
from editor.language.errors import LanguageError
from editor.language.json_gate import MIB, JsonLimits, clean_json
from editor.models import Flow, KeptTest
from editor.services import demand_in_use
from runner.simulation.flow_test_file import FlowTest, FlowTestError, read_flow_test

#: What a kept test may be. With its document a file may be larger.
TEST_LIMITS = JsonLimits(max_bytes=2 * MIB, max_depth=68)

MOST_TESTS = 500
"""Tests of one flow, at most."""


class TestConflictError(LanguageError):
    """Somebody else has saved a newer state of the test; `details` holds it."""

    __test__ = False

    def __init__(self, kept: KeptTest, revision: int) -> None:
        super().__init__(
            "revision_conflict",
            f"The test was changed in the meantime: it has revision {kept.revision}, yours began from {revision}. "
            "Read it again, then save your changes over the newer one.",
            {"revision": kept.revision, "content": json.loads(kept.content)},
        )


def read_content(content: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of a flow test: a file's content, without its `flow`.

    Raises LanguageError `validation_failed` that lists every fault, and the limits' codes.
    """
    given = {key: value for key, value in content.items() if key != "flow"}
    kept: dict[str, Any] = dict(cast("dict[str, Any]", clean_json({"expect": {}, **given}, limits=TEST_LIMITS)))
    as_flow_test({**kept, "flow": {}})
    if len(kept["name"]) > 200:
        raise LanguageError("validation_failed", "The name of a test has 200 characters at most.")
    return kept


def as_flow_test(whole: Mapping[str, Any]) -> FlowTest:
    """A whole file's content as a flow test. Raises LanguageError `validation_failed` that lists every fault."""
    try:
        return read_flow_test(json.dumps(whole, ensure_ascii=False), "The test")
    except FlowTestError as fault:
        first, *faults = str(fault).splitlines()
        problems = [one.strip() for one in faults] or [first]
        raise LanguageError("validation_failed", f"{first} {' '.join(problems)}", {"problems": problems}) from None


def tests_of(flow: Flow) -> list[KeptTest]:
    """The tests of a flow by name, without what stands in them."""
    rows = KeptTest.objects.filter(flow=flow).select_related("updated_by").defer("content")
    return list(rows.order_by("name")[:MOST_TESTS])


def find_test(flow: Flow, test_id: int) -> KeptTest:
    """A test of a flow. Raises LanguageError `not_found`."""
    kept = KeptTest.objects.select_related("updated_by").filter(flow=flow, pk=test_id).first()
    if kept is None:
        raise LanguageError("not_found", f"The flow {flow.pk!r} has no test {test_id}. It may have been deleted.")
    return kept


@transaction.atomic
def make_test(flow: Flow, content: Mapping[str, Any], *, by: Any, made_of: str = "") -> KeptTest:
    """Keep a new test with a flow.

    Raises LanguageError: `validation_failed` for what is no flow test and for a name that another test has,
    `limit_exceeded` for too many tests, FlowArchivedError.
    """
    demand_in_use(flow.pk)
    kept = read_content(content)
    if KeptTest.objects.filter(flow=flow).count() >= MOST_TESTS:
        raise LanguageError("limit_exceeded", f"A flow has {MOST_TESTS} tests at most. Delete some first.")
    try:
        with transaction.atomic():
            made = KeptTest.objects.create(
                flow=flow, name=kept["name"], content=_text(kept), made_of=made_of, updated_by=by
            )
    except IntegrityError:
        raise _name_taken(kept["name"]) from None
    record(by, "flow-test-make", flow, after={"test": made.name, **({"run": made_of} if made_of else {})})
    made.refresh_from_db()
    return made


@transaction.atomic
def save_test(kept: KeptTest, content: Mapping[str, Any], *, revision: int, by: Any) -> KeptTest:
    """Save a test over the revision it began from.

    Raises TestConflictError, and LanguageError as `make_test` does.
    """
    demand_in_use(kept.flow_id)
    given = read_content(content)
    try:
        with transaction.atomic():
            changed = KeptTest.objects.filter(pk=kept.pk, revision=revision).update(
                revision=F("revision") + 1,
                name=given["name"],
                content=_text(given),
                updated_by=by,
                updated_at=Now(),
            )
    except IntegrityError:
        raise _name_taken(given["name"]) from None
    now = KeptTest.objects.select_related("updated_by", "flow").filter(pk=kept.pk).first()
    if now is None:
        raise LanguageError("not_found", "The test was deleted in the meantime. Keep yours as a new one.")
    if not changed:
        raise TestConflictError(now, revision)
    record(
        by,
        "flow-test-save",
        now.flow,
        before={"test": kept.name, "revision": revision},
        after={"test": now.name, "revision": now.revision},
    )
    return now


@transaction.atomic
def delete_test(flow: Flow, test_id: int, *, by: Any) -> None:
    """Delete a test of a flow; one that is not there is deleted already. Raises FlowArchivedError."""
    demand_in_use(flow.pk)
    kept = KeptTest.objects.filter(flow=flow, pk=test_id).defer("content").first()
    if kept is not None and KeptTest.objects.filter(pk=kept.pk).delete()[0]:
        record(by, "flow-test-delete", flow, before={"test": kept.name, "revision": kept.revision})


def _name_taken(name: str) -> LanguageError:
    return LanguageError("validation_failed", f"The flow has a test {name!r} already. Give this one another name.")


def _text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))
