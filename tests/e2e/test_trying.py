"""Trying steps in the editor: pinned by a key, simulated up to a node, tried for real, stale once the draft changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Window
from tests.e2e.test_editor_drafts import new_flow, take_in
from tests.e2e.test_every_page import findings
from tests.support.site import Site

pytestmark = [pytest.mark.processes, pytest.mark.slow]

SORTS: dict[str, Any] = {
    "format": 1,
    "id": "any",
    "name": "Sorts twice",
    "inputs": [{"name": "message", "type": "long_text"}],
    "nodes": [
        {"id": "first", "name": "Sort it", "layout": {"x": 0, "y": 0}, "type": "tool_call", "output_variable": "sorted",
         "config": {"tool": "sort_by_keywords", "arguments": {"message": "{{message}}"}}},
        {"id": "second", "name": "Sort again", "type": "tool_call", "output_variable": "again",
         "layout": {"x": 0, "y": 160},
         "config": {"tool": "sort_by_keywords", "arguments": {"message": "{{sorted.words}}"}}},
        {"id": "after", "name": "Never come to", "type": "return", "layout": {"x": 0, "y": 320},
         "config": {"value": "{{again}}"}},
    ],
    "edges": [{"source": "first", "target": "second"}, {"source": "second", "target": "after"}],
}  # fmt: skip


def choose(page: Page, node: str) -> None:
    """Select a node on the canvas; keys act on it then."""
    page.locator(f'.react-flow__node[data-id="{node}"]').click()
    expect(page.locator(f'.react-flow__node[data-id="{node}"]')).to_be_focused()


def pin(page: Page, text: str) -> None:
    field = page.locator("dialog .cm-content").first
    field.click()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.insert_text(text)
    page.click("dialog button:has-text('Pin this value')")
    expect(page.locator("dialog")).to_have_count(0)


def test_a_step_is_tried_with_pinned_data_and_for_real(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    flow_id = new_flow(page, "Sorts twice")
    take_in(page, SORTS)
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".save-state")).to_contain_text("Saved")

    # Nothing stands in for the first step: the try says so, and leads to pinning.
    choose(page, "second")
    page.keyboard.press("r")
    dialog = page.locator("dialog")
    expect(dialog).to_contain_text("“Sort it” calls sort_by_keywords, and nothing stands in for it")
    assert findings(page) == []
    page.keyboard.press("Escape")

    # Pinned by a key: a mark on the card, and a part of the inspector.
    choose(page, "first")
    page.keyboard.press("p")
    assert findings(page) == []
    pin(page, '{"words": "My invoice was charged twice, I want a refund"}')
    card = page.locator('.react-flow__node[data-id="first"]')
    expect(card.get_by_role("img", name="Pinned output")).to_be_visible()
    expect(page.locator(".try-part")).to_contain_text("Typed, by analyst")
    assert findings(page) == []

    # For real: what will be called is named, what stands in too; only that step works.
    choose(page, "second")
    page.keyboard.press("Shift+R")
    expect(dialog).to_contain_text("Sort again calls sort_by_keywords.")
    expect(dialog).to_contain_text("My invoice was charged twice")
    expect(dialog).to_contain_text("Sort it (its pinned output)")
    assert findings(page) == []
    page.click("dialog button:has-text('Try it for real')")
    expect(dialog).to_have_count(0)
    strip = page.locator(".run-strip")
    expect(strip).to_contain_text("Values of run")
    expect(strip).to_contain_text("try of second")
    expect(page.locator('.react-flow__node[data-id="second"]')).to_contain_text("billing")
    (run,) = page.request.get(f"/api/runs/?flow={flow_id}").json()["items"]
    assert (run["trial"], run["version"]["number"], run["status"]) == (["second"], None, "succeeded")

    # Its value is pinned by one click, and a try in the simulator takes it.
    page.click(".try-part button:has-text('Pin the value shown')")
    expect(page.locator(".try-part")).to_contain_text("From the try")
    choose(page, "second")
    page.keyboard.press("r")
    expect(strip).to_contain_text("Values of the try up to Sort again")
    expect(page.locator('.react-flow__node[data-id="after"]')).to_contain_text("Not reached")
    expect(strip).not_to_contain_text("From an earlier draft")

    # The draft changes: what was tried is marked.
    choose(page, "after")
    page.keyboard.press("d")
    expect(strip).to_contain_text("From an earlier draft")

    # All that is pinned, in a list; the list lets go of it.
    page.keyboard.press("ControlOrMeta+K")
    page.keyboard.insert_text("Pinned outputs")
    page.keyboard.press("Enter")
    expect(dialog.locator(".pin")).to_have_count(2)
    assert findings(page) == []
    dialog.locator("button:has-text('Unpin')").first.click()
    expect(dialog.locator(".pin")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(card.get_by_role("img", name="Pinned output")).to_have_count(0)


def test_what_is_pinned_is_typed_under_the_pages_policy(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page  # which complains of nothing in the end, the policy included
    new_flow(page, "Typed by hand")
    take_in(page, SORTS)
    expect(page.locator("dialog")).to_have_count(0)
    choose(page, "first")
    page.keyboard.press("p")
    field = page.locator("dialog .cm-content").first
    field.click()
    # Over several lines, faulty on the way, then written over: brackets still go around what is selected.
    page.keyboard.type('{"words": "late')
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.type("tru")
    expect(page.locator("dialog .cm-lint-marker-error")).to_have_count(1)
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("1")
    expect(field).to_have_text("1")
    page.keyboard.type("2")
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("[")
    expect(field).to_have_text("[12]")
    page.click("dialog button:has-text('Pin this value')")
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".try-part")).to_contain_text("Typed, by analyst")
