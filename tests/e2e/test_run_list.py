"""The list of runs while it is open: it changes in place, keeps focus and place, and leads to two runs compared."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import Window
from tests.e2e.scene import Program
from tests.support.site import Site

pytestmark = [pytest.mark.processes, pytest.mark.slow]


def test_an_open_list_changes_in_place_and_two_of_its_runs_are_compared(
    site: Site, sign_in: Callable[..., Window]
) -> None:
    program = Program(site, "analyst")
    first = program.post("runs/", {"flow": "invoice_approval"})["id"]
    page = sign_in("analyst").page
    page.goto("/runs/?flow=invoice_approval")
    expect(page.locator("#pill")).to_have_text("Live")
    row = page.locator(f"tr[data-run='{first}']")
    expect(row.locator(".mark")).to_have_text("Waiting for approval")
    link = row.get_by_role("link")
    link.focus()

    # What happens elsewhere shows, and nothing moves.
    second = program.post("runs/", {"flow": "invoice_approval", "inputs": {"file": "nothing.csv"}})["id"]
    bar = page.locator("#new-runs")
    expect(bar).to_have_text("1 new run. Show it")
    expect(page.locator("tr[data-run]")).to_have_count(1)
    program.post(f"runs/{first}/cancel/", {"reason": "a test"})
    expect(row.locator(".mark")).to_have_text("Canceled")
    expect(page.locator("[data-status=canceled] [data-count]")).to_have_text("1")
    expect(link).to_be_focused()

    bar.click()
    expect(page.locator("tr[data-run]")).to_have_count(2)
    expect(bar).to_be_hidden()
    expect(page.locator(f"tr[data-run='{second}'] a")).to_be_focused()
    expect(page.locator(f"tr[data-run='{second}'] .mark")).to_have_text("Failed")

    # Filters stand in the address, without empty names, and are kept under a name.
    page.get_by_label("Error").fill("file_not_found")
    page.get_by_role("button", name="Filter").click()
    expect(page).to_have_url(re.compile(r"/runs/\?flow=invoice_approval&error=file_not_found$"))
    expect(page.locator("tr[data-run]")).to_have_count(1)
    page.locator("summary", has_text="Save this view…").click()
    page.get_by_label("Name").fill("Lost files")
    page.get_by_role("button", name="Save the view").click()
    expect(page.get_by_role("navigation", name="Saved views").get_by_role("link", name="Lost files")).to_have_attribute(
        "aria-current", "true"
    )

    page.goto(f"/runs/{second}/")
    page.get_by_role("link", name="Compare with…").click()
    page.get_by_role("link", name="The run of this flow before it").click()
    expect(page.get_by_role("region", name="First difference")).to_contain_text("read")
    page.get_by_role("region", name="First difference").get_by_role("link", name=re.compile("B at event")).click()
    page.wait_for_url(re.compile(rf"/runs/{second}/\?node=read&seq=\d+$"))
