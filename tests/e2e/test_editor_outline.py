"""The outline: a flow built, put in order and published in rows, by keys alone and by touch on a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Window
from tests.e2e.test_editor_canvas import pick, settled, wires
from tests.e2e.test_editor_drafts import new_flow
from tests.support.site import Site

pytestmark = [pytest.mark.processes, pytest.mark.slow]


def row(page: Page, name: str) -> Locator:
    """The row that is read out with this beginning."""
    return page.get_by_role("treeitem", name=name)


def at_row(page: Page, name: str) -> None:
    expect(page.locator(".outline-row:focus .outline-name")).to_have_text(name)


def add(page: Page, key: str, words: str, name: str) -> None:
    """A key that asks for a node, what to look for, Enter; the new row has the focus."""
    page.keyboard.press(key)
    pick(page, words)
    at_row(page, name)


def test_five_nodes_by_keys_in_the_outline_alone(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    flow_id = new_flow(page, "In rows")
    page.get_by_role("button", name="Outline").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".flow-canvas")).to_have_count(0)
    first = page.get_by_role("button", name="Add the first node")
    first.focus()
    page.keyboard.press("Enter")
    pick(page, "evaluator")
    at_row(page, "Evaluator")

    # Settings by Enter: the focus goes into the fields, and Esc brings it back to the row.
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Name", exact=True)).to_be_focused()
    expression = page.get_by_role("textbox", name="Expression")
    expression.focus()
    page.keyboard.type("1 + 1")
    page.keyboard.press("Escape")
    if not page.locator(".outline-row:focus").count():
        page.keyboard.press("Escape")
    at_row(page, "Evaluator")

    add(page, "a", "return", "Return")
    add(page, "Shift+A", "transform", "Transform")
    page.keyboard.press("ArrowUp")
    at_row(page, "Evaluator")
    add(page, "Shift+A", "sequence", "Sequence")
    add(page, "i", "transform", "Transform 2")
    expect(row(page, "Transform 2")).to_have_attribute("aria-level", "2")
    expect(page.locator("[role=status]", has_text="Added Transform 2.")).to_have_count(1)
    document = settled(page, flow_id)
    assert wires(document) == ["evaluator > transform", "transform > return", "sequence > evaluator"]
    assert {one["id"]: one.get("parent") for one in document["nodes"]}["transform_2"] == "sequence"

    # In another order, with a name, connected on error; and what was done is undone where it was done.
    page.keyboard.press("ArrowLeft")
    at_row(page, "Sequence")
    page.keyboard.press("Alt+ArrowDown")
    expect(page.locator("[role=status]", has_text="Sequence stands after Evaluator now.")).to_have_count(1)
    at_row(page, "Sequence")
    page.keyboard.press("F2")
    expect(page.get_by_role("textbox", name="Name of Sequence")).to_be_focused()
    page.keyboard.type("Prepare")
    page.keyboard.press("Enter")
    at_row(page, "Prepare")
    page.keyboard.press("o")
    page.get_by_role("menuitem", name="Error").focus()
    page.keyboard.press("Enter")
    pick(page, "end")
    at_row(page, "End")
    expect(row(page, "On error: to End")).to_be_visible()
    page.keyboard.press("Control+d")
    expect(page.locator('.outline-row[data-key="node:end_2"]')).to_be_focused()
    page.keyboard.press("Delete")
    expect(page.locator(".toast")).to_have_text("Deleted End.")
    document = settled(page, flow_id)
    assert "evaluator > sequence" in wires(document) and "sequence error> end" in wires(document)
    assert len(document["nodes"]) == 6

    # The canvas shows the same, with the same selection and one undo for both.
    page.keyboard.press("Control+z")
    expect(page.locator('.outline-row[data-key="node:end_2"]')).to_be_visible()
    page.keyboard.press("Control+Shift+Z")
    page.keyboard.press("F4")
    expect(page.locator(".react-flow__node")).to_have_count(6)
    page.keyboard.press("F4")
    expect(page.locator(".outline-row:focus")).to_have_count(1)

    page.get_by_role("button", name="Publish…").focus()
    page.keyboard.press("Enter")
    publish = page.locator("dialog")
    note = publish.get_by_role("textbox").first
    expect(note).to_be_visible()
    note.focus()
    page.keyboard.type("Built in rows")
    for tick in publish.get_by_role("checkbox").all():
        tick.focus()
        page.keyboard.press("Space")
    publish.get_by_role("button", name="Publish version 1").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_contain_text("Version 1 is published.")


def test_by_touch_on_a_phone(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst", width=390).page
    flow_id = new_flow(page, "On a phone")
    expect(page.get_by_role("button", name="Add the first node")).to_be_visible()
    expect(page.locator(".flow-canvas")).to_have_count(0)
    page.get_by_role("button", name="Add the first node").click()
    page.locator(".popover").get_by_role("option", name="Evaluator").first.click()
    page.get_by_role("toolbar", name="What to do in the outline").get_by_role("button", name="Add a node").click()
    page.locator(".popover").get_by_role("option", name="Return").first.click()
    row(page, "Evaluator").get_by_role("button", name="What to do with").click()
    page.get_by_role("menuitem", name="Add a node before it").click()
    page.locator(".popover").get_by_role("option", name="Transform").first.click()
    expect(row(page, "Transform")).to_be_visible()
    assert wires(settled(page, flow_id)) == ["evaluator > return", "transform > evaluator"]
    row(page, "Evaluator").get_by_role("button", name="Configure").click()
    expect(page.get_by_role("textbox", name="Expression")).to_be_visible()
    page.get_by_role("button", name="Close the inspector").click()
    page.get_by_role("button", name="Move up").click()
    assert wires(settled(page, flow_id)) == ["transform > return", "evaluator > transform"]
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide == 0
