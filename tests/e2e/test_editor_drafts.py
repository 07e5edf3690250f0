"""Drafts in the editor: saved as one changes them, lost by no closed tab, overwritten by nobody; published and run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Window
from tests.support.site import Site

pytestmark = [pytest.mark.processes, pytest.mark.slow]


def flow(name: str, *nodes: str, value: str = "hello") -> dict[str, Any]:
    """A document with a step for each id, and an end."""
    steps = [
        {"id": node, "type": "transform", "config": {"fields": {"said": value}}, "output_variable": "said"}
        for node in nodes
    ]
    ids = [*nodes, "done"]
    return {
        "format": 1,
        "id": "any",
        "name": name,
        "nodes": [*steps, {"id": "done", "type": "return", "config": {"value": "{{said}}"}}],
        "edges": [{"source": a, "target": b} for a, b in pairwise(ids)],
    }


def new_flow(page: Page, name: str) -> str:
    """Make a blank flow by the page for it; gives its id. The editor is open then."""
    page.goto("/flows/")
    page.click("a:has-text('New flow')")
    page.fill("[name=name]", name)
    known = {one["id"] for one in page.request.get("/api/flows/?limit=200").json()["items"]}
    slug = "_".join(re.findall("[a-z0-9]+", name.lower()))
    if slug in known:  # a test that is repeated
        page.fill("[name=id]", f"{slug}_{len(known)}")
    page.click("button:has-text('Make the flow')")
    page.wait_for_url("**/edit/")
    expect(page.locator(".save-state")).to_contain_text("Saved")
    return page.url.split("/flows/")[1].split("/")[0]


def take_in(page: Page, document: dict[str, Any]) -> None:
    """Import a document into the draft that is open."""
    give(page, document)
    page.click("button:has-text('Replace the draft')")


def give(page: Page, document: dict[str, Any]) -> None:
    """Open the dialog of imports and write a document into it."""
    page.click("button:has-text('More')")
    page.click("button:has-text('Import a document')")
    page.fill("#import-text", json.dumps(document))
    expect(page.locator("dialog [role=status]")).to_contain_text("Nothing of it is lost")


def saved(page: Page, flow_id: str) -> dict[str, Any]:
    document: dict[str, Any] = page.request.get(f"/api/flows/{flow_id}/draft/").json()["document"]
    return document


def test_a_draft_is_saved_published_run_and_compared(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    flow_id = new_flow(page, "Small talk")
    take_in(page, flow("Small talk", "say"))
    expect(page.locator(".save-state")).to_contain_text("Saved")
    expect(page.locator(".step-card")).to_have_count(2)
    assert [node["id"] for node in saved(page, flow_id)["nodes"]] == ["say", "done"]

    page.click("button:has-text('Publish…')")
    page.click("button:has-text('Publish version 1')")
    expect(page.locator("#publish-note-missing")).to_be_visible()
    page.fill("#publish-note", "It says hello")
    page.click("button:has-text('Publish version 1')")
    expect(page.locator("dialog")).to_have_count(0)

    take_in(page, flow("Small talk", "say", "again", value="good day"))
    expect(page.locator(".save-state")).to_contain_text("Saved")
    page.click("button:has-text('Publish…')")
    expect(page.locator("dialog summary")).to_contain_text("added")
    page.click("dialog summary")
    expect(page.locator(".difference")).to_contain_text("Node again added")
    page.keyboard.press("Escape")

    page.click("button:has-text('Run…')")
    page.click("dialog button:has-text('Start')")
    expect(page.locator(".run-strip")).to_contain_text("Succeeded")
    page.click("button:has-text('Versions')")
    page.click("button:has-text('Take up as draft')")
    expect(page.locator(".step-card")).to_have_count(2)
    expect(page.locator(".save-state")).to_contain_text("Saved")
    assert [node["id"] for node in saved(page, flow_id)["nodes"]] == ["say", "done"]


def test_two_people_do_not_overwrite_each_other(site: Site, sign_in: Callable[..., Window]) -> None:
    window = sign_in("analyst")
    first = window.page
    flow_id = new_flow(first, "Two of us")
    take_in(first, flow("Two of us", "one"))
    expect(first.locator(".save-state")).to_contain_text("Saved")
    second = sign_in("admin").page
    second.goto(f"/flows/{flow_id}/edit/")
    expect(second.locator(".step-card")).to_have_count(2)
    give(first, flow("The two of us", "one", "mine"))  # amid a dialog nothing newer is loaded by itself
    take_in(second, flow("Two of us", "one", "theirs"))
    expect(second.locator(".save-state")).to_contain_text("Saved")

    first.click("button:has-text('Replace the draft')")
    dialog = first.locator("dialog")
    expect(dialog).to_contain_text("admin has saved this draft in the meantime")
    window.complaints = [one for one in window.complaints if "409" not in one]  # or the news came before the refusal
    assert "mine" not in json.dumps(saved(first, flow_id)["nodes"])
    dialog.locator("button:has-text('Combine both')").click()
    expect(first.locator(".save-state")).to_contain_text("Saved")
    both = saved(first, flow_id)
    assert {"one", "theirs", "mine", "done"} == {node["id"] for node in both["nodes"]}
    assert both["name"] == "The two of us"


def test_of_two_who_publish_the_same_draft_the_second_is_told(site: Site, sign_in: Callable[..., Window]) -> None:
    first = sign_in("analyst").page
    flow_id = new_flow(first, "Published once")
    take_in(first, flow("Published once", "one"))
    expect(first.locator(".save-state")).to_contain_text("Saved")
    window = sign_in("admin")
    second = window.page
    second.goto(f"/flows/{flow_id}/edit/")
    for page in (first, second):
        page.click("button:has-text('Publish…')")
        page.fill("#publish-note", "It says hello")
    first.click("button:has-text('Publish version 1')")
    expect(first.locator("dialog")).to_have_count(0)
    second.click("button:has-text('Publish version 1')")
    expect(second.get_by_role("alert")).to_contain_text("Version 1 was published from this very draft by analyst")
    window.forgive("409")
    expect(second.get_by_role("heading", name="Publish version 2")).to_be_visible()
    expect(second.locator("#publish-note")).to_have_value("It says hello")
    assert len(second.request.get(f"/api/flows/{flow_id}/versions/").json()["items"]) == 1


def test_what_could_not_be_saved_is_offered_again(site: Site, sign_in: Callable[..., Window]) -> None:
    window = sign_in("analyst")
    page = window.page
    flow_id = new_flow(page, "Kept")
    page.click("button:has-text('More')")
    page.click("button:has-text('Import a document')")
    page.fill("#import-text", json.dumps(flow("Kept", "late")))
    expect(page.locator("dialog [role=status]")).to_contain_text("Nothing of it is lost")
    window.context.set_offline(True)
    page.click("button:has-text('Replace the draft')")
    expect(page.locator(".save-state")).to_contain_text("kept in this browser")
    page.close()  # as a crash would: no question is asked
    window.context.set_offline(False)
    window.complaints.clear()  # what the browser said about the lost connection
    page = window.context.new_page()
    assert saved(page, flow_id)["nodes"] == []
    page.goto(f"/flows/{flow_id}/edit/")
    expect(page.locator("dialog")).to_contain_text("changes that were not saved")
    page.click("button:has-text('Take them up')")
    expect(page.locator(".save-state")).to_contain_text("Saved")
    assert "late" in json.dumps(saved(page, flow_id)["nodes"])


def test_somebody_who_may_only_look_changes_nothing(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("reviewer").page
    page.goto("/flows/invoice_approval/edit/")
    expect(page.locator(".step-card").first).to_be_visible()
    expect(page.locator(".save-state")).to_contain_text("you may not change this flow")
    expect(page.locator("button:has-text('Publish…')")).to_have_count(0)


def test_a_draft_that_cannot_be_drawn_is_mended_as_text(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    page.goto("/new-flow/")
    page.fill("[name=name]", "By hand")
    page.check("[name=begin][value=document]")
    page.fill("[name=text]", '{"format": 1, "nodes": [{"id": "a", "config": {}}], "edges": []}')
    page.click("button:has-text('Make the flow')")
    page.wait_for_url("**/edit/")
    expect(page.locator(".mending")).to_contain_text("In nodes, type must be a text")
    page.fill("#mending-text", json.dumps({**flow("By hand"), "id": "by_hand"}))
    page.click("button:has-text('Save and open')")
    expect(page.locator(".step-card")).to_have_count(1)
