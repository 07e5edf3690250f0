"""No field of an engine row is forgotten on its way to the tables and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from enum import StrEnum
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import pytest

from runner.engine import rows
from runner.engine.rows import Stored, Usage
from runner.models import Approval, Arrival, Artifact, Decision, Run, Scope, Signal, StateValue, StepRun, Timer
from runner.store.codec import runs, scopes, steps, waits
from runner.store.codec.stored import Blobs


def filled(kind: type[Any]) -> Any:
    """A row with a value of its own in every field."""
    hints = get_type_hints(kind)
    return kind(**{field.name: _value(hints[field.name], place) for place, field in enumerate(fields(kind), start=1)})


def _value(hint: Any, place: int) -> Any:
    if get_origin(hint) is UnionType or NoneType in get_args(hint):
        hint = next(part for part in get_args(hint) if part is not NoneType)
    base = get_origin(hint) or hint
    if base is Stored:
        return Stored.of({"value": place})
    if base is Usage:
        return Usage(place, place + 100, place + 200, place + 300.5)
    if isinstance(base, type) and issubclass(base, StrEnum):
        return list(base)[-1]
    if base is tuple:
        return (place, place) if int in get_args(hint) else (f"t{place}",)
    if base is list:
        return [["set", place]] if "list" in str(get_args(hint)) else [f"l{place}"]
    return {int: place, str: f"text {place}", bool: True, dict: {"key": place}, float: place + 0.5}[base]


def plain(row: Any) -> dict[str, Any]:
    """A row's fields, values by their text."""
    found = {field.name: getattr(row, field.name) for field in fields(row)}
    return {name: value.text if isinstance(value, Stored) else value for name, value in found.items()}


Case = tuple[type[Any], type[Any], Sequence[str], Callable[[Any, Blobs], tuple[Any, ...]], Callable[..., Any]]

CASES: list[Case] = [
    (rows.RunRow, Run, runs.RUN, lambda row, b: (*runs.run_fixed(row, b), *runs.run_changing(row, b)), runs.run_row),
    (
        rows.StepRow,
        StepRun,
        steps.STEP,
        lambda row, b: (*steps.step_fixed(row), *steps.step_changing(row, b)),
        steps.step_row,
    ),
    (rows.ScopeRow, Scope, scopes.SCOPE, lambda row, _: scopes.scope_params(row), scopes.scope_row),
    (rows.ValueRow, StateValue, scopes.VALUE, scopes.value_params, scopes.value_row),
    (rows.ArrivalRow, Arrival, scopes.ARRIVAL, lambda row, _: scopes.arrival_params(row), scopes.arrival_row),
    (rows.TimerRow, Timer, waits.TIMER, lambda row, _: waits.timer_params(row), waits.timer_row),
    (rows.ApprovalRow, Approval, waits.APPROVAL, waits.approval_params, waits.approval_row),
    (rows.SignalRow, Signal, waits.SIGNAL, waits.signal_params, waits.signal_row),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_a_row_comes_back_as_it_went_in(case: Case) -> None:
    kind, _, names, to_params, to_row = case
    row = filled(kind)
    params = to_params(row, {})
    assert len(params) == len(names)
    if kind is rows.RunRow:  # written once, apart, and read only where a history is rebuilt
        row.snapshot = None
    assert plain(to_row(params)) == plain(row)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_every_column_that_is_named_exists(case: Case) -> None:
    _, model, names, _, _ = case
    columns = {field.column for field in model._meta.concrete_fields}
    assert set(names) <= columns
    assert len(names) == len(set(names))


def test_decisions_and_artifacts_are_written_whole() -> None:
    for kind, model, names, to_params in (
        (rows.DecisionRow, Decision, waits.DECISION, waits.decision_params),
        (rows.ArtifactRow, Artifact, waits.ARTIFACT, waits.artifact_params),
    ):
        row = filled(kind)
        given = dict(zip(names, to_params(row, {}), strict=True))
        assert set(names) <= {field.column for field in model._meta.concrete_fields}
        for name, value in plain(row).items():
            assert given[name] == (value if not isinstance(value, dict) else steps.to_text(value)), name


def test_a_value_over_the_inline_limit_goes_to_the_blobs_once(settings: Any) -> None:
    settings.FLOWSITE = settings.FLOWSITE | {"INLINE_VALUE_BYTES": 300}
    blobs: Blobs = {}
    big = Stored.of("x" * 350)
    value = rows.ValueRow(1, "v", "k", big)
    _, _, _, text, ref, size, *_ = scopes.value_params(value, blobs)
    assert (text, ref, size) == (None, big.content_digest(), 352) and list(blobs) == [ref]
    blobs.clear()
    scopes.value_params(value, blobs)
    assert not blobs
