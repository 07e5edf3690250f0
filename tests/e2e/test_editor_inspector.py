"""The editor's inspector and list of problems: forms out of schemas, expressions with completion and preview, fixes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Window
from tests.e2e.test_editor_drafts import new_flow, saved
from tests.support.site import Site

pytestmark = [pytest.mark.processes, pytest.mark.slow]


def field(page: Page, name: str) -> Locator:
    return page.get_by_label("Inspector").get_by_role("textbox", name=name, exact=True)


def write(page: Page, name: str, text: str) -> None:
    """Write a field of code anew, as a person does: `fill` would have the browser make up styles of its own."""
    field(page, name).click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(text)


def take_document(page: Page, change: Callable[[dict[str, Any]], None], flow_id: str) -> None:
    """Change the whole document as JSON, in the settings."""
    document = saved(page, flow_id)
    change(document)
    page.locator("summary", has_text="Whole document").click()
    # The code editor comes a moment after the section is opened, in the place of a plain field.
    expect(page.locator(".cm-content[aria-label='Document as JSON']")).to_be_visible()
    write(page, "Document as JSON", json.dumps(document))
    page.click("button:has-text('Apply'):not([aria-disabled])")


def add_call(document: dict[str, Any]) -> None:
    document["nodes"] = [
        {"id": "call", "type": "tool_call", "config": {}},
        {"id": "done", "type": "end", "config": {"value": "{{steps.call.output}}"}, "x-note": "kept"},
    ]
    document["edges"] = [{"id": "on", "source": "call", "target": "done"}]


def test_a_tool_call_is_filled_in_until_nothing_is_wrong(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    flow_id = new_flow(page, "Inspected")

    # Settings: an input, by its form.
    page.get_by_label("Inspector").locator("summary", has_text="Inputs").click()
    page.click("button:has-text('Add input')")
    page.get_by_label("Inspector").get_by_label("Name").nth(1).fill("topic")
    expect(page.locator(".save-state")).to_contain_text("Saved")
    take_document(page, add_call, flow_id)

    # A problem appears, leads to the very field, and goes away.
    toggle = page.locator(".problems-toggle")
    expect(toggle).to_contain_text("1 error")
    toggle.click()
    row = page.locator(".problem", has_text="tool: Is missing")
    row.get_by_role("button", name="Go to").click()
    expect(page.get_by_role("combobox", name="Tool", exact=True)).to_be_focused()
    page.get_by_role("combobox", name="Tool", exact=True).select_option("send_answer")
    expect(row).to_have_count(0)

    # The tool's own arguments: a text with a completed name and its preview, and an expression.
    write(page, "Recipient", "{{to")
    page.locator(".cm-completionLabel", has_text="topic").first.click()
    expect(field(page, "Recipient")).to_have_text("{{topic}}")
    page.locator("summary", has_text="Edit sample values").click()
    write(page, "Sample values, by name, as JSON", '{"topic": "cats"}')
    field(page, "Recipient").click()
    expect(page.locator(".preview-value").first).to_contain_text('"cats" : text of 4')
    page.get_by_role("group", name="How subject is given").get_by_role("button", name="fx").click()
    write(page, "Subject, expression", "topic.toUpperCase() + wrong")
    expect(page.locator(".problem", has_text="Nothing can have set 'wrong'")).to_have_count(1)
    expect(page.locator(".preview", has_text="Without a value: wrong")).to_be_visible()
    write(page, "Subject, expression", "topic.toUpperCase(")
    expect(page.locator(".preview-caret").last).to_contain_text("^")
    write(page, "Subject, expression", "topic.toUpperCase() + '!'")
    expect(page.locator(".preview-value").last).to_contain_text('"CATS!"')
    write(page, "Text", "{{total}}")

    # A fix is one step, and the document holds what was filled in, with the keys that nobody knows.
    page.get_by_role("button", name="Declare “total”").click()
    expect(toggle).to_contain_text("none")
    page.get_by_role("button", name="Undo: Declare “total”").click()
    expect(toggle).to_contain_text("1 error")
    page.get_by_role("button", name="Redo").click()
    expect(toggle).to_contain_text("none")
    expect(page.locator(".save-state")).to_contain_text("Saved")
    document = saved(page, flow_id)
    assert document["inputs"] == [{"name": "topic", "type": "short_text"}]
    assert document["state"] == {"type": "object", "properties": {"total": {}}}
    assert document["nodes"][0]["config"] == {
        "tool": "send_answer",
        "arguments": {
            "recipient": "{{topic}}",
            "subject": {"$expr": "topic.toUpperCase() + '!'"},
            "text": "{{total}}",
        },
    }
    assert document["nodes"][1]["x-note"] == "kept"


def test_a_node_is_renamed_with_all_that_names_it(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    flow_id = new_flow(page, "Renamed")
    take_document(page, add_call, flow_id)
    page.locator(".problems-toggle").click()
    expect(page.locator(".problem")).to_contain_text("tool: Is missing")
    page.keyboard.press("F8")
    expect(page.get_by_role("combobox", name="Tool", exact=True)).to_be_focused()
    field(page, "Id").fill("ask")
    page.keyboard.press("Tab")
    expect(page.locator(".inspector-head")).to_contain_text("ask")
    expect(page.locator(".save-state")).to_contain_text("Saved")
    document = saved(page, flow_id)
    assert [node["id"] for node in document["nodes"]] == ["ask", "done"]
    assert document["edges"][0]["source"] == "ask"
    assert document["nodes"][1]["config"] == {"value": "{{steps.ask.output}}"}
