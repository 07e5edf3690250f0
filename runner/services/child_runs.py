"""Which version a sub-flow's run is bound to, and to whom it belongs. Starting it is after_commit.py's."""

from __future__ import annotations

from typing import Any

from editor.models import FlowVersion
from editor.services import freeze_trial
from runner.engine.errors import RunError
from runner.engine.rows import RunRow
from runner.services.programs import stand_in_catalog
from runner.simulation.flow_test_file import FlowTest
from runner.store.children import starter_of
from runner.store.claims import version_place
from runner.store.transactions import NewRun, RunTransaction

Setup = dict[str, Any] | None


def child_version(work: RunTransaction, flow: str, version: int | str) -> tuple[FlowVersion, Setup]:
    """The version of a sub-flow: the run's own, a published one, or in a flow test the document it brought along.

    Raises RunError `flow_invalid` if there is none.
    """
    place = version_place(work.run_id)
    flow_test = place.flow_test if place is not None else None
    if version == "self":
        return FlowVersion.objects.get(pk=work.version_id), flow_test
    if flow_test is not None:
        test = FlowTest.model_validate(flow_test)
        document = test.flows[f"{flow}@{version}"]
        return freeze_trial(document, by=None, catalog=stand_in_catalog(flow_test)), flow_test
    found = FlowVersion.objects.filter(flow_id=flow, number=version).first()
    if found is None:
        raise RunError("flow_invalid", f"There is no version {version} of flow '{flow}'. Publish it, or name another.")
    return found, None


def child_of(parent_run: str, row: RunRow, version: FlowVersion, flow_test: Setup) -> NewRun:
    """A child run belongs to whoever started its parent."""
    user_id, actor = starter_of(parent_run)
    return NewRun(
        row=row,
        version_id=version.pk,
        flow_id=version.flow_id,
        started_by_id=user_id,
        actor=actor,
        starter=f"run:{parent_run}",
        idempotency_key=None,
        request_digest="",
        flow_test=flow_test,
    )
