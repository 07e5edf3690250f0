"""Flow tests in the editor: recorded from a run, broken and mended, crashed, and shown when the flow is published."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Window
from tests.e2e.test_editor_drafts import new_flow, take_in
from tests.e2e.test_every_page import findings
from tests.support.site import Site

pytestmark = [pytest.mark.processes, pytest.mark.slow]

#: A crash-test runs the flow some dozen times.
LONG_MS = 120_000


def sorts(when: str) -> dict[str, Any]:
    """A flow that calls a tool and branches on what it says."""
    return {
        "format": 1,
        "id": "any",
        "name": "Sorts",
        "inputs": [{"name": "message", "type": "long_text", "required": True}],
        "nodes": [
            {"id": "sort", "type": "tool_call", "output_variable": "sorted",
             "config": {"tool": "sort_by_keywords", "arguments": {"message": "{{message}}"}}},
            {"id": "which", "type": "one_of"},
            {"id": "bill", "type": "return", "config": {"value": "a bill"}},
            {"id": "rest", "type": "return", "config": {"value": "something else"}},
        ],
        "edges": [
            {"source": "sort", "target": "which"},
            {"source": "which", "target": "bill", "when": when},
            {"source": "which", "target": "rest"},
        ],
    }  # fmt: skip


RIGHT, WRONG = "sorted.category == 'billing'", "sorted.category == 'sales'"


def put(page: Page, when: str) -> None:
    take_in(page, sorts(when))
    expect(page.locator("dialog")).to_have_count(0)
    expect(page.locator(".save-state")).to_contain_text("Saved")


def publish(page: Page, note: str) -> None:
    page.fill("#publish-note", note)
    page.click("dialog button:has-text('Publish version')")
    expect(page.locator("dialog")).to_have_count(0)


def test_a_run_becomes_a_test_that_shows_what_a_change_breaks(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    flow_id = new_flow(page, "Sorts")
    put(page, RIGHT)
    page.click("button:has-text('Publish…')")
    expect(page.locator("dialog")).to_contain_text("The flow has no tests.")
    publish(page, "It sorts")

    # A run, and a test of it with one click on the run's page.
    page.click("button:has-text('Run…')")
    page.locator("dialog textarea").fill("My invoice was charged twice, I want a refund of the payment")
    page.click("dialog label:has-text('Version 1')")
    page.click("dialog button:has-text('Start')")
    expect(page.locator(".run-strip")).to_contain_text("Succeeded")
    page.click("a:has-text('Open the run')")
    page.click("a:has-text('Make a test of it')")
    expect(page.locator(".test-outcome")).to_contain_text("Passes against the draft")
    assert findings(page) == []
    page.fill("#test-name", "A bill is a bill")
    page.click("label:has-text('The result')")
    page.click("button:has-text('Keep this test')")
    tests = page.locator(".tests")
    expect(tests.locator(".test-mark")).to_have_text("Passed")

    # The draft is broken: the test says where, and leads there.
    put(page, WRONG)
    expect(tests).to_contain_text("The draft has changed since")
    tests.locator("button:has-text('Run all')").click()
    expect(tests.locator(".test-mark")).to_have_text("Failed")
    expect(tests).to_contain_text("step-complete bill")
    expect(tests.locator(".test-difference", has_text="The result")).to_contain_text('"something else"')
    assert findings(page) == []
    tests.locator("button:has-text('Show bill')").click()
    expect(page.locator(".inspector")).to_contain_text("bill")

    # What the test makes of the draft, on the canvas; up to a step only.
    tests.locator("button:has-text('On the canvas')").click()
    strip = page.locator(".run-strip")
    expect(strip).to_contain_text("Simulated: succeeded")
    strip.locator("button:has-text('Only up to bill')").click()
    expect(strip).to_contain_text("Simulated up to bill")
    strip.locator("button:has-text('Hide')").click()
    expect(strip).to_have_count(0)

    # The run that there was would go another way.
    tests.locator("button:has-text('Past runs')").click()
    tests.locator("button:has-text('Replay against the draft')").click()
    expect(tests).to_contain_text("1 takes another way")
    expect(tests).to_contain_text("which succeeded and went on to bill then, and succeeded and went on to rest now")
    tests.locator("summary:has-text('Compare')").click()
    expect(tests.locator(".past-run-steps")).to_contain_text("rest")

    # Publishing warns, and goes on with a tick only.
    page.click("button:has-text('Publish…')")
    expect(page.locator("dialog .mark-failed")).to_have_text("1 of 1 test failed")
    page.fill("#publish-note", "no")
    page.click("dialog button:has-text('Publish version')")
    expect(page.locator("dialog [role=alert]")).to_contain_text("Tick that you publish although 1 test fails")
    page.keyboard.press("Escape")

    # Mended, crashed at every boundary, and published.
    put(page, RIGHT)
    tests.locator("[aria-pressed]:has-text('Tests')").click()
    tests.locator("button:has-text('Crash-test this flow')").click()
    expect(tests).to_contain_text("the run survived each, and the same came of it", timeout=LONG_MS)
    page.click("button:has-text('Publish…')")
    expect(page.locator("dialog .mark-succeeded")).to_have_text("1 test passes")
    publish(page, "Still sorts")
    kept = page.request.get(f"/api/flows/{flow_id}/tests/").json()["items"]
    assert [one["name"] for one in kept] == ["A bill is a bill"]
    file = page.request.get(f"/api/flows/{flow_id}/tests/{kept[0]['id']}/file/?version=2").json()
    assert file["flow"]["edges"][1]["when"] == RIGHT and json.dumps(file["expect"]["result"]) == '"a bill"'
