"""What a run did at each node, in short: passages chosen by item and visit, values cut, covered, never read whole."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from runner.models import Run, StepRun
from runner.services import observing
from tests.integration.api.conftest import Program, refusal
from tests.support.flows import begin, publish


def put(node_id: str, key: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"id": node_id, "type": "set_variable", "config": {"variable": key, "value": value}, **more}


FLOW: dict[str, Any] = {
    "format": 1,
    "id": "seen",
    "inputs": [
        {"name": "long", "type": "long_text", "default": "x"},
        {"name": "secret", "type": "short_text", "sensitive": True, "default": "s3cret"},
    ],
    "nodes": [
        put("one", "n", {"$expr": "long"}),
        {"id": "loop", "type": "for_each", "config": {"items": [3, 5, 8]}},
        put("inner", "m", {"$expr": "item * 2"}, parent="loop"),
        put("hidden", "h", {"$expr": "secret"}),
        put("again", "k", {"$expr": "run.visit"}),
        put("never", "z", 0),
    ],
    "edges": [
        {"id": "a", "source": "one", "target": "loop"},
        {"id": "b", "source": "loop", "target": "hidden"},
        {"id": "c", "source": "hidden", "target": "again"},
        {"id": "back", "source": "again", "target": "again", "when": "k < 3"},
        {"id": "on", "source": "again", "target": "never", "when": "k > 9"},
    ],
}


def flow(**others: Any) -> dict[str, Any]:
    """A copy of the flow, with other keys."""
    return copy.deepcopy(FLOW) | others


@pytest.fixture
def run(people: dict[str, User]) -> Run:
    return begin(publish(flow(), people["analyst"]), people["analyst"], inputs={"long": "x" * 100})


@pytest.fixture
def seen(analyst: Program, run: Run) -> Any:
    def ask(**asked: Any) -> dict[str, Any]:
        answer = analyst.post(f"runs/{run.pk}/observed/", asked)
        assert answer.status_code == 200, answer.content
        found: dict[str, Any] = answer.json()
        found["by_node"] = {one["node"]: one for one in found["nodes"]}
        return found

    return ask


def test_each_node_tells_how_it_stands_and_what_it_gave(seen: Any):
    found = seen()
    nodes = found["by_node"]
    assert {node: one["status"] for node, one in nodes.items()} == dict.fromkeys(
        ("one", "loop", "inner", "hidden", "again"), "succeeded"
    )
    assert nodes["one"]["output"] == {"shown": f'"{"x" * 100}"', "cut": False, "size": 102, "covered": False}
    assert nodes["inner"]["path"] == "loop[2].inner"
    assert nodes["inner"]["output"]["shown"] == "16"
    assert found["whole"] is True
    assert found["earlier"] is None


def test_one_chooses_the_item_and_the_visit(seen: Any):
    assert seen()["loops"] == [{"node": "loop", "items": 3, "item": 2, "failed": []}]
    first = seen(items={"loop": 0}, visit=2)
    assert first["by_node"]["inner"]["output"]["shown"] == "6"
    assert (first["by_node"]["again"]["visit"], first["by_node"]["again"]["visits"]) == (2, 3)
    assert first["by_node"]["again"]["output"]["shown"] == "2"
    assert first["by_node"]["one"]["visit"] == 1
    # What there is not is the nearest that there is.
    assert seen(items={"loop": 99}, visit=99)["by_node"]["again"]["visit"] == 3
    assert seen(items={"loop": 99})["loops"][0]["item"] == 2


def test_edges_tell_how_often_they_were_taken_and_whether_now(seen: Any):
    edges = {one["edge"]: (one["count"], one["now"]) for one in seen(visit=2)["edges"]}
    assert edges["a"] == (1, True)
    assert edges["back"] == (2, True)
    assert {one["edge"]: one["now"] for one in seen()["edges"]}["back"] is False
    assert "on" not in edges


def test_what_is_sensitive_is_covered(seen: Any):
    found = seen()
    assert found["by_node"]["hidden"]["output"] == {"shown": "", "cut": False, "size": 8, "covered": True}
    assert "s3cret" not in str(found)


def test_the_first_item_that_failed_is_looked_at(analyst: Program, people: dict[str, User]):
    document = {
        "format": 1,
        "id": "failing",
        "nodes": [
            {"id": "loop", "type": "for_each", "config": {"items": [1, 0, 2], "on_item_error": "collect"}},
            {"id": "check", "type": "one_of", "parent": "loop"},
            {"id": "bad", "type": "throw", "parent": "loop", "config": {"code": "no_zero", "message": "Zero."}},
            put("good", "g", 1, parent="loop"),
        ],
        "edges": [
            {"id": "zero", "source": "check", "target": "bad", "when": "item == 0"},
            {"id": "else", "source": "check", "target": "good"},
        ],
    }
    run = begin(publish(document, people["analyst"]), people["analyst"])
    found = analyst.post(f"runs/{run.pk}/observed/", {}).json()
    assert found["loops"] == [{"node": "loop", "items": 3, "item": 1, "failed": [1]}]
    bad = next(one for one in found["nodes"] if one["node"] == "bad")
    assert (bad["status"], bad["error"], bad["path"]) == ("failed", "Zero.", "loop[1].bad")


def test_large_values_are_never_read_whole(analyst: Program, people: dict[str, User]):
    long = "y" * 60_000
    run = begin(publish(flow(), people["analyst"]), people["analyst"], inputs={"long": long})
    assert StepRun.objects.get(run=run, path="one").output_ref is not None
    with CaptureQueriesContext(connection) as captured:
        nodes = analyst.post(f"runs/{run.pk}/observed/", {}).json()["nodes"]
    output = next(one["output"] for one in nodes if one["node"] == "one")
    assert (output["cut"], output["size"], len(output["shown"])) == (True, 60_002, observing.SHOWN_CHARACTERS)
    values = [one["sql"] for one in captured.captured_queries if "runner_blob" in one["sql"]]
    assert values and all("SUBSTR" in sql.upper() for sql in values)


def test_it_asks_as_often_for_many_nodes_as_for_few(analyst: Program, people: dict[str, User]):
    counts = []
    for number, size in enumerate((3, 60)):
        nodes = [put(f"n{at}", "v", at) for at in range(size)]
        edges = [{"id": f"e{at}", "source": f"n{at}", "target": f"n{at + 1}"} for at in range(size - 1)]
        document = {"format": 1, "id": f"wide{number}", "nodes": nodes, "edges": edges}
        run = begin(publish(document, people["analyst"]), people["analyst"])
        analyst.post(f"runs/{run.pk}/observed/", {})
        with CaptureQueriesContext(connection) as captured:
            assert len(analyst.post(f"runs/{run.pk}/observed/", {}).json()["nodes"]) == size
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_it_says_how_a_document_differs_from_what_ran(seen: Any):
    same = flow(name="Other name")
    same["nodes"][0] |= {"name": "First", "layout": {"x": 5, "y": 6}}
    assert seen(document=same)["earlier"] == {"differs": False, "changed": [], "absent": []}
    other = flow()
    other["nodes"][0]["config"]["value"] = "new"
    other["nodes"].append(put("added", "q", 1))
    assert seen(document=other)["earlier"] == {"differs": True, "changed": ["one"], "absent": ["added"]}
    assert seen(document={"format": 1, "id": "seen", "nodes": "none"})["earlier"]["differs"] is True


def test_too_much_is_said_to_be_cut(seen: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(observing, "MOST_ATTEMPTS", 3)
    assert seen()["whole"] is False
    monkeypatch.setattr(observing, "MOST_ATTEMPTS", 100)
    monkeypatch.setattr(observing, "MOST_EVENTS", 3)
    assert seen()["whole"] is False


def test_only_what_one_sees(analyst: Program, run: Run):
    refusal(analyst.post(f"runs/{'0' * 32}/observed/", {}), 404)
    refusal(analyst.post(f"runs/{run.pk}/observed/", {"items": {"loop": -1}}), 400)
    refusal(analyst.post(f"runs/{run.pk}/observed/", {"visit": 0}), 400)
