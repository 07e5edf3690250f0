"""Values of a past run on the edited flow: on cards, edges, rows and in the inspector; by item and visit; marked when
the draft has changed since."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Window
from tests.e2e.scene import Program
from tests.e2e.test_every_page import findings
from tests.support.site import Site

pytestmark = [pytest.mark.processes, pytest.mark.slow]


def put(node_id: str, key: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"id": node_id, "type": "set_variable", "config": {"variable": key, "value": value}, **more}


FLOW: dict[str, Any] = {
    "format": 1,
    "id": "seen",
    "name": "Seen",
    "inputs": [{"name": "code", "type": "short_text", "sensitive": True, "default": "s3cret"}],
    "nodes": [
        put("first", "n", {"title": "cats"}, name="First"),
        {"id": "loop", "type": "for_each", "name": "Each", "config": {"items": [3, 5, 8]}},
        put("inner", "m", {"$expr": "item * 2"}, name="Double", parent="loop"),
        put("hidden", "h", {"$expr": "code"}, name="Hidden"),
        put("again", "k", {"$expr": "run.visit"}, name="Again", max_visits=5),
        {"id": "which", "type": "one_of", "name": "Which"},
        put("never", "z", 1, name="Never"),
        {"id": "done", "type": "return", "name": "Done", "config": {"value": "done"}},
    ],
    "edges": [
        {"id": "a", "source": "first", "target": "loop"},
        {"id": "b", "source": "loop", "target": "hidden"},
        {"id": "c", "source": "hidden", "target": "again"},
        {"id": "back", "source": "again", "target": "again", "when": "k < 3"},
        {"id": "d", "source": "again", "target": "which"},
        {"id": "e", "source": "which", "target": "never", "when": "k > 9"},
        {"id": "f", "source": "which", "target": "done"},
    ],
}


@pytest.fixture(scope="module")
def flow(site: Site) -> str:
    """A flow whose draft has run once."""
    program = Program(site, "analyst")
    program.post("imports/", {"document": FLOW})
    program.run({"flow": "seen", "version": "draft"})
    return "seen"


def card(page: Page, node: str) -> Any:
    return page.locator(f".react-flow__node[data-id='{node}'] .step-kind")


def row(page: Page, key: str) -> Any:
    return page.locator(f".outline-row[data-key='{key}']")


def test_every_node_and_edge_tells_what_it_gave(flow: str, sign_in: Callable[..., Window]):
    page = sign_in("analyst").page
    page.goto(f"/flows/{flow}/edit/")
    page.locator(".react-flow__node[data-id='first']").click()
    page.keyboard.press("v")
    expect(card(page, "first")).to_contain_text('{"title":"cats"}')
    expect(card(page, "inner")).to_contain_text("16")
    expect(page.locator(".line-label", has_text="[6,10,16]")).to_have_count(1)

    # Another item, another visit.
    strip = page.get_by_role("region", name="Values shown")
    strip.get_by_label("Item of Each").fill("1")
    expect(card(page, "inner")).to_contain_text("6")
    expect(card(page, "inner")).not_to_contain_text("16")
    strip.get_by_label("Visit").fill("2")
    expect(card(page, "again")).to_contain_text("2")

    # In the inspector, whole; and nothing of what is sensitive.
    part = page.get_by_role("region", name="What was observed")
    expect(part).to_contain_text('{"title":"cats"}')
    part.get_by_role("button", name="Whole value").click()
    expect(page.locator("dialog pre").first).to_contain_text('"title": "cats"')
    page.locator("dialog button:has-text('Close')").last.click()
    page.locator(".react-flow__node[data-id='hidden']").click()
    expect(part).to_contain_text("Its value is covered")
    expect(card(page, "hidden")).to_contain_text("covered")
    assert "s3cret" not in page.locator(".editor-work").inner_text()
    assert findings(page) == []

    # Put away by the same key.
    page.locator(".react-flow__node[data-id='first']").click()
    page.keyboard.press("v")
    expect(strip).to_have_count(0)
    expect(card(page, "first")).to_contain_text("Set variable")


def test_the_outline_says_the_same_and_what_changed_since(flow: str, sign_in: Callable[..., Window]):
    page = sign_in("analyst", width=390, scheme="dark").page
    page.goto(f"/flows/{flow}/edit/")
    page.get_by_role("button", name="Values").click()
    first = row(page, "node:first")
    expect(first).to_have_attribute("aria-label", 'First, set variable, Succeeded: {"title":"cats"}, step 1 of 8')
    expect(row(page, "node:never")).to_have_attribute("aria-label", "Never, set variable, Not reached, step 7 of 8")
    expect(row(page, "edge:f")).to_have_attribute("aria-label", "Else: to Done, edge, taken once with null")

    # Changed, the draft says which values are of before; as it was, they hold again.
    first.click()
    page.keyboard.press("d")
    strip = page.get_by_role("region", name="Values shown")
    expect(strip).to_contain_text("From an earlier draft")
    expect(first).to_have_attribute(
        "aria-label", 'First, set variable, disabled, Succeeded, changed since: {"title":"cats"}, step 1 of 8'
    )
    page.keyboard.press("Control+z")
    expect(strip).not_to_contain_text("From an earlier draft")
    assert findings(page) == []

    # Put away and shown again by the key, from a row; zooming is for the canvas alone.
    first.focus()
    page.keyboard.press("v")
    expect(strip).to_have_count(0)
    page.keyboard.press("v")
    expect(strip).to_be_visible()
    expect(first).to_be_focused()


def test_a_run_is_chosen_by_searching(flow: str, site: Site, sign_in: Callable[..., Window]):
    program = Program(site, "analyst")
    older = program.get(f"runs/?flow={flow}")["items"][0]["id"]
    newer = program.run({"flow": flow, "version": "draft"})
    page = sign_in("analyst").page
    page.goto(f"/flows/{flow}/edit/")
    page.get_by_role("button", name="Values").click()
    chooser = page.get_by_role("button", name=f"Values of run {newer[:8]}")
    chooser.click()
    page.get_by_role("combobox", name="Show the values of").fill(older[:8])
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name=f"Values of run {older[:8]}")).to_be_focused()
    expect(page.locator(".values-bar select")).to_have_value(older)
