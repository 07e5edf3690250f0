"""Selected nodes become a sub-flow: by keys in the outline, refused with reasons, run with a real worker, undone."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Window
from tests.e2e.test_editor_canvas import settled, wires
from tests.e2e.test_editor_drafts import new_flow, take_in
from tests.e2e.test_every_page import findings
from tests.support.site import Site, wait_until

pytestmark = [pytest.mark.processes, pytest.mark.slow]

DOCUMENT: dict[str, Any] = {
    "format": 1,
    "id": "any",
    "name": "Prices",
    "inputs": [{"name": "net", "type": "number", "required": True}],
    "nodes": [
        {"id": "tax", "type": "evaluator", "config": {"expression": "net * 0.2"}, "output_variable": "tax"},
        {"id": "sum", "type": "evaluator", "config": {"expression": "net + tax"}},
        {"id": "dear", "type": "return", "config": {"value": "dear: {{steps.sum.output}}"}},
        {"id": "cheap", "type": "return", "config": {"value": "cheap: {{steps.sum.output}}, {{tax}}"}},
    ],
    "edges": [
        {"id": "a", "source": "tax", "target": "sum"},
        {"id": "b", "source": "sum", "target": "dear", "when": "output > 100"},
        {"id": "c", "source": "sum", "target": "cheap"},
    ],
}


def result(page: Page, flow_id: str, net: int) -> Any:
    """What a run of the draft gives."""
    asked = {"flow": flow_id, "version": "draft", "inputs": {"net": net}}
    csrf = {one["name"]: one["value"] for one in page.context.cookies()}["flowsite_csrf"]
    headers = {"X-CSRFToken": csrf, "Content-Type": "application/json", "Referer": page.url}
    answer = page.request.post("/api/runs/", data=json.dumps(asked), headers=headers)
    assert answer.ok, answer.text()
    run = answer.json()["id"]
    found: dict[str, Any] = {}

    def has_ended() -> bool:
        found.update(page.request.get(f"/api/runs/{run}/?values=true").json())
        return found["status"] in ("succeeded", "failed")

    wait_until(has_ended, 60, "the run ends")
    return found["values"]["result"]


def choose(page: Page, *names: str) -> None:
    """Select rows of the outline."""
    for place, name in enumerate(names):
        modifiers: list[Any] = ["ControlOrMeta"] if place else []
        page.locator(f'.outline-row[data-key="node:{name}"]').click(modifiers=modifiers)


def ask(page: Page, name: str) -> None:
    """Name the sub-flow in the dialog that the command palette opens."""
    page.keyboard.press("Control+k")
    page.keyboard.type("sub-flow of it")
    page.keyboard.press("Enter")
    page.fill("#extract-name", name)
    page.keyboard.press("Enter")


def test_selected_nodes_become_a_sub_flow(site: Site, sign_in: Callable[..., Window]) -> None:
    window = sign_in("analyst")
    page = window.page
    flow_id = new_flow(page, "Prices")
    take_in(page, DOCUMENT)
    expect(page.locator("dialog")).to_have_count(0)
    settled(page, flow_id)
    before = [result(page, flow_id, net) for net in (10, 200)]

    name = f"Part of {flow_id}"
    part = name.lower().replace(" ", "_")
    page.get_by_role("button", name="Outline").click()
    choose(page, "sum", "dear")
    ask(page, name)
    expect(page.locator("dialog [role=alert]")).to_contain_text("'dear' ends the whole run")
    window.forgive("/extractions/")  # the browser notes the answer 400
    assert findings(page) == []
    page.get_by_role("button", name="Cancel").click()

    choose(page, "tax", "sum")
    ask(page, name)
    expect(page.locator(".toast")).to_contain_text(f"{name} is a flow of its own now.")
    expect(page.locator(".outline-row", has_text=name)).to_have_count(1)
    document = settled(page, flow_id)
    assert wires(document)[:1] == [f"{part} > {part}_set_1"]
    assert [result(page, flow_id, net) for net in (10, 200)] == before == ["cheap: 12, 2", "dear: 240"]

    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".outline-row", has_text=name)).to_have_count(0)
    assert [one["id"] for one in settled(page, flow_id)["nodes"]] == ["tax", "sum", "dear", "cheap"]
    version = page.request.get(f"/api/flows/{part}/versions/1/")
    assert [one["id"] for one in version.json()["document"]["nodes"]][:2] == ["tax", "sum"]
