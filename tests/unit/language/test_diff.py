"""What a comparison of two documents finds, and what it does not mistake for a change."""

from __future__ import annotations

import copy
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from editor.language.diff import compare_documents
from tests.unit.language.documents import edge, flow, node, put


def compare(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return compare_documents(before, after).as_json()


THREE = flow([put("a", "x"), put("b", "y", 2), node("c")], [edge("a", "b"), edge("b", "c", "error")])


def changed(**changes: Any) -> dict[str, Any]:
    return copy.deepcopy(THREE) | changes


def test_equal_documents_do_not_differ():
    found = compare(THREE, copy.deepcopy(THREE))
    assert found["same"] is True
    assert found["nodes"] == {"added": [], "removed": [], "changed": [], "order_changed": False}
    assert found["top"] == found["layout"] == []


def test_a_change_inside_a_node_is_told_by_id_and_place():
    after = changed(nodes=[put("a", "x"), put("b", "y", {"deep": [1, 3]}), node("c")])
    before = changed(nodes=[put("a", "x"), put("b", "y", {"deep": [1, 2]}), node("c")])
    assert compare(before, after)["nodes"]["changed"] == [
        {
            "id": "b",
            "kind": "changed",
            "path": "/nodes/1",
            "before_path": "/nodes/1",
            "changes": [{"path": "/config/value/deep/1", "kind": "changed", "before": 2, "after": 3}],
        }
    ]


def test_keys_that_come_and_go_have_one_side():
    before, after = changed(nodes=[node("a", name="A")]), changed(nodes=[node("a", enabled=False)])
    (part,) = compare(before, after)["nodes"]["changed"]
    assert part["changes"] == [
        {"path": "/name", "kind": "removed", "before": "A"},
        {"path": "/enabled", "kind": "added", "after": False},
    ]


def test_a_null_that_comes_is_told_as_added_with_its_value():
    before, after = changed(nodes=[put("a", "x", {})]), changed(nodes=[put("a", "x", {"k": None})])
    (part,) = compare(before, after)["nodes"]["changed"]
    assert part["changes"] == [{"path": "/config/value/k", "kind": "added", "after": None}]


def test_nodes_are_followed_by_id_when_one_comes_before_them():
    after = changed(nodes=[node("new"), *THREE["nodes"]])
    found = compare(THREE, after)["nodes"]
    assert [part["id"] for part in found["added"]] == ["new"]
    assert (found["removed"], found["changed"], found["order_changed"]) == ([], [], False)
    assert found["added"][0]["path"] == "/nodes/0" and found["added"][0]["part"] == node("new")


def test_a_removed_node_is_told_with_its_place_in_the_older_document():
    found = compare(THREE, changed(nodes=THREE["nodes"][1:]))["nodes"]
    assert [(part["id"], part["path"]) for part in found["removed"]] == [("a", "/nodes/0")]


def test_another_order_is_a_difference_because_order_has_a_meaning():
    found = compare(THREE, changed(nodes=[THREE["nodes"][place] for place in (1, 0, 2)]))
    assert found["same"] is False
    assert found["nodes"]["order_changed"] is True and found["nodes"]["changed"] == []


def test_moving_boxes_is_kept_apart():
    before = changed(nodes=[node("a", layout={"x": 1, "y": 2})])
    after = changed(nodes=[node("a", position={"x": 1, "y": 5})])
    found = compare(before, after)
    assert found["same"] is True and found["nodes"]["changed"] == []
    assert found["layout"][0]["id"] == "a"
    assert found["layout"][0]["changes"] == [{"path": "/y", "kind": "changed", "before": 2, "after": 5}]


def test_an_edge_whose_id_was_filled_in_is_the_same_edge():
    named = [{**one, "id": f"e{number}"} for number, one in enumerate(THREE["edges"])]
    for before, after in ((THREE, changed(edges=named)), (changed(edges=named), THREE)):
        assert compare(before, after)["same"] is True


def test_edges_without_ids_are_followed_by_their_ends_and_outcome():
    after = changed(edges=[edge("a", "c"), edge("a", "b", when="x > 1"), edge("b", "c", "error")])
    found = compare(THREE, after)["edges"]
    assert [part["id"] for part in found["added"]] == ["a>c:success"]
    assert [part["changes"] for part in found["changed"]] == [[{"path": "/when", "kind": "added", "after": "x > 1"}]]


def test_edges_with_other_ids_are_other_edges():
    before, after = changed(edges=[{**edge("a", "b"), "id": "e1"}]), changed(edges=[{**edge("a", "b"), "id": "e2"}])
    found = compare(before, after)["edges"]
    assert [part["id"] for part in found["added"]] == ["e2"]
    assert [part["id"] for part in found["removed"]] == ["e1"]


def test_inputs_presets_and_artifacts_are_followed_by_their_names():
    before = changed(inputs=[{"name": "a", "type": "number"}, {"name": "b", "type": "date"}])
    after = changed(inputs=[{"name": "b", "type": "date", "required": True}], presets=[{"id": "quick"}])
    found = compare(before, after)
    assert [part["id"] for part in found["inputs"]["removed"]] == ["a"]
    assert [part["id"] for part in found["inputs"]["changed"]] == ["b"]
    assert [part["id"] for part in found["presets"]["added"]] == ["quick"]


def test_the_rest_is_told_by_its_place():
    found = compare(changed(policy={"max_steps": 5}), changed(name="Other", policy={"max_steps": 6}))
    assert found["top"] == [
        {"path": "/name", "kind": "changed", "before": "t", "after": "Other"},
        {"path": "/policy/max_steps", "kind": "changed", "before": 5, "after": 6},
    ]


@pytest.mark.parametrize(("one", "other"), [(True, 1), (False, 0), (0, None), ("1", 1), ([], {}), ([1], [1, 2])])
def test_values_of_another_kind_differ(one: Any, other: Any):
    found = compare(changed(policy={"own": [one]}), changed(policy={"own": [other]}))
    assert found["top"] == [{"path": "/policy/own/0", "kind": "changed", "before": one, "after": other}]


@pytest.mark.parametrize("nodes", [None, 3, {"a": 1}, ["text", 1, {}, {}, {"id": 5}, {"id": "a"}, {"id": "a"}]])
def test_a_draft_of_any_shape_can_be_compared(nodes: Any):
    assert compare(changed(nodes=nodes), changed(nodes=nodes))["same"] is True
    assert compare(THREE, changed(nodes=nodes, edges=nodes))["same"] is False


def test_a_hundred_thousand_parts_without_names_are_compared_in_a_moment():
    before, after = changed(nodes=[{}] * 100_000, edges=[{}] * 50_000), changed(nodes=[{}] * 99_999, edges=[])
    began = time.process_time()
    assert len(compare(before, after)["nodes"]["removed"]) == 1
    assert time.process_time() - began < 5


scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=2)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("xy/~", max_size=2), inner, max_size=3)
)
parts = st.lists(st.fixed_dictionaries({}, optional={"id": st.sampled_from("abc"), "config": values}), max_size=4)
documents = st.fixed_dictionaries({}, optional={"nodes": parts | values, "edges": parts, "name": values})


def apply(document: Any, path: str, change: dict[str, Any]) -> Any:
    """Carry out one change on a copy of a part."""
    if not path:
        return change["after"]
    name, _, rest = path[1:].partition("/")
    key: Any = name.replace("~1", "/").replace("~0", "~")
    made = copy.copy(document)
    if isinstance(made, list):
        key = int(key)
    if not rest and "/" not in path[1:]:
        if change["kind"] == "removed":
            del made[key]
        else:
            made[key] = change["after"]
        return made
    made[key] = apply(made[key], "/" + rest, change)
    return made


@given(values, values)
def test_the_changes_of_a_value_lead_from_one_to_the_other(before: Any, after: Any):
    top = compare({"name": before}, {"name": after})["top"]
    made: Any = {"name": before}
    for change in top:
        made = apply(made, change["path"], change)
    assert made == {"name": after}


@given(documents, documents)
def test_nothing_is_lost_between_any_two_documents(before: dict[str, Any], after: dict[str, Any]):
    assert compare(before, before)["same"] and compare(after, after)["same"]
    there, back = compare(before, after), compare(after, before)
    for name in ("nodes", "edges"):
        assert len(there[name]["added"]) == len(back[name]["removed"])
        assert len(there[name]["changed"]) == len(back[name]["changed"])
