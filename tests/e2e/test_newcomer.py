"""Somebody who has never seen the site goes from its first page to a finished run in at most four clicks."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.site import Site

pytestmark = [pytest.mark.processes, pytest.mark.slow]

MOST_CLICKS = 4


class Newcomer:
    """Clicks, and counts it."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks = page, 0

    def click(self, what: str) -> None:
        self.clicks += 1
        self.page.locator(what).first.click()


def test_from_the_first_page_to_a_finished_run(site: Site, browser: Browser) -> None:
    context = browser.new_context(base_url=site.url)
    newcomer = Newcomer(context.new_page())
    page = newcomer.page
    page.goto("/")
    expect(page.locator("[name=username]")).to_be_focused()
    page.keyboard.type("analyst")
    page.keyboard.press("Tab")
    page.keyboard.type(site.passwords["analyst"])
    newcomer.click("button:has-text('Sign in')")
    newcomer.click("tr:has-text('Deep research') a:has-text('Start')")
    newcomer.click("button:has-text('Start run')")
    page.wait_for_url(re.compile(r"/runs/[0-9a-f]{32}/$"))
    expect(page.locator("[data-part=status] .mark")).to_have_text(re.compile("Succeeded"), timeout=120_000)
    newcomer.click("a:has-text('Preview')")
    expect(page.locator(".prose h3").first).to_be_visible()
    assert newcomer.clicks <= MOST_CLICKS
    context.close()
