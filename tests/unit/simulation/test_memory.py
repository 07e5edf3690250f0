"""The rows of a run in memory: copies, atomic commits, and the way through text and back."""

from __future__ import annotations

import pytest

from runner.engine.codec import INLINE_BYTES, copy_row, decode_row, encode_row
from runner.engine.rows import ApprovalRow, RunRow, ScopeRow, StepRow, Stored, Usage, ValueRow
from runner.engine.slice import Changes
from runner.engine.statuses import ApprovalStatus, RunStatus, ScopeKind, StepStatus
from runner.simulation.memory import MemoryStore, StoreError


def store_with(**rows: object) -> MemoryStore:
    store = MemoryStore(RunRow(id="r", inputs=Stored.of({"a": 1})))
    store.commit(Changes(store.run, **rows))  # type: ignore[arg-type]
    return store


def step(**fields: object) -> StepRow:
    return StepRow(id="s", node="n", type="tool_call", path="n", visit=1, attempt=1, scope=1, region=1, **fields)  # type: ignore[arg-type]


def test_what_a_reader_hands_out_is_a_copy() -> None:
    store = store_with(new_steps=[step(notes={"k": [1]})])
    first = store.step("s")
    assert first is not None and first.notes is not None
    first.status = StepStatus.RUNNING
    first.notes["k"].append(2)
    again = store.step("s")
    assert again is not None
    assert (again.status, again.notes) == (StepStatus.PENDING, {"k": [1]})


def test_what_was_committed_is_a_copy_too() -> None:
    row = step()
    store = store_with(new_steps=[row])
    row.status = StepStatus.RUNNING
    again = store.step("s")
    assert again is not None and again.status is StepStatus.PENDING


def test_a_row_inserted_twice_is_refused_and_nothing_is_changed() -> None:
    store = store_with(new_steps=[step()])
    run = store.run
    run.steps = 7
    with pytest.raises(StoreError, match="inserted twice"):
        store.commit(Changes(run, new_scopes=[ScopeRow(2, 1, ScopeKind.BRANCH, "")], new_steps=[step()]))
    assert store.run.steps == 0
    assert store.rows("scopes") == []


def test_a_row_that_does_not_exist_cannot_be_changed() -> None:
    store = store_with()
    with pytest.raises(StoreError, match="no row of steps"):
        store.commit(Changes(store.run, changed_steps=[step()]))


def test_every_kind_of_field_survives_the_way_through_text() -> None:
    approval = ApprovalRow(
        "a", "tool", "s", "n", "n", 1, ApprovalStatus.OPEN, arguments=Stored.of({"x": [1.5, None]}), reasons=["r"]
    )
    scope = ScopeRow(3, 1, ScopeKind.LOOP, "n", entries=("e", "f"), loop={"total": 2}, ending={"as": "stop"})
    worked = step(usage=Usage(1, 2, 3, 0.5), output=Stored.of("é"), error={"code": "x", "details": {"a": 1}})
    values = [ValueRow(1, "v", "k", Stored.of({"z": 1}), [["append", {"q": 1}]], inherited=True)]
    store = store_with(new_approvals=[approval], new_scopes=[scope], new_steps=[worked], values=values)
    restored = MemoryStore.restore(store.save())
    assert restored.save() == store.save()
    assert restored.scope(3) == scope
    found = restored.step("s")
    assert found is not None and found.output is not None
    assert (found.usage, found.error, found.output.text) == (worked.usage, worked.error, '"é"')
    assert restored.run.status is RunStatus.ACTIVE


def test_a_large_value_lies_in_the_blobs_and_is_referred_to() -> None:
    text = "x" * (INLINE_BYTES + 1)
    store = store_with(values=[ValueRow(1, "v", "k", Stored.of(text))])
    (row,) = store.values([1], [("v", "k")])
    assert row.stored.text is None and row.stored.ref is not None
    assert store.load(row.stored.ref) == f'"{text}"'
    restored = MemoryStore.restore(store.save())
    assert restored.load(row.stored.ref) == f'"{text}"'


def test_a_dropped_overlay_is_gone_before_the_values_of_the_same_commit_are_written() -> None:
    store = store_with(values=[ValueRow(2, "v", "old", Stored.of(1)), ValueRow(1, "v", "k", Stored.of(1))])
    new = ValueRow(2, "v", "new", Stored.of(2))
    store.commit(Changes(store.run, values=[new], dropped_overlays=[2]))
    assert [row.key for row in store.scope_values(2, ["v"])] == ["new"]
    assert len(store.rows("values")) == 2


def test_a_copy_of_a_row_is_equal_but_for_parsed_values() -> None:
    row = step(input=Stored.of({"a": 1}))
    assert encode_row(copy_row(row)) == encode_row(row)
    assert decode_row(StepRow, encode_row(row)).input is not row.input
