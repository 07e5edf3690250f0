"""A run on its flow: live marks on the canvas, the timeline, one step's attempts, and the run as it was at an event."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Window
from tests.support.site import Site

pytestmark = [pytest.mark.processes, pytest.mark.slow]


def start(page: Page) -> None:
    page.goto("/flows/invoice_approval/start/")
    page.click("button:has-text('Start run')")
    page.wait_for_url(re.compile(r"/runs/[0-9a-f]{32}/$"))
    expect(page.locator("#pill")).to_have_text("Live")


def node(page: Page, name: str) -> str:
    return f".react-flow__node[aria-label*='{name}']"


def test_a_run_is_seen_on_its_flow_over_time_and_as_it_was(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    start(page)
    view = page.locator("#run-view")
    expect(view.locator(node(page, "Read invoices"))).to_contain_text("Succeeded")
    expect(page.locator("[data-part=status] .mark")).to_have_text("Waiting for approval")

    view.get_by_role("button", name="Timeline").click()
    row = view.locator(".timeline-row", has_text="Read invoices")
    row.locator(".timeline-block").first.click()
    panel = view.get_by_role("complementary", name="Step")
    expect(panel).to_contain_text("Read invoices")
    expect(panel).to_contain_text("invoices-example.csv")

    # The address holds it all: a shared link shows the same.
    page.reload()
    expect(view.locator(".timeline-row[aria-current]")).to_contain_text("Read invoices")
    view.get_by_role("slider", name="Event").press("Home")
    expect(view).to_contain_text("As it was at event 1")
    expect(page).to_have_url(re.compile("seq=1"))
    view.get_by_role("button", name="Now").click()

    page.goto(page.url.split("?")[0] + "?node=write_report")
    expect(panel).to_contain_text("It has not run")
    expect(panel).to_contain_text("from which it is reached, did not run")
