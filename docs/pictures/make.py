"""Makes the pictures of the README from a running product: `python docs/pictures/make.py`, with what tests need.

Starts a site of its own, does what the tour tells, and takes each picture light and dark. About two minutes.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402 - found once the path is known

from tests.support.chromium import find_chromium, launch_arguments  # noqa: E402
from tests.support.site import Site  # noqa: E402

SIZE = {"width": 1180, "height": 760}
SETTLED_MS = 400


class Tour:
    """People at a site, and a camera."""

    def __init__(self, site: Site, browser: Browser) -> None:
        self.site, self.browser = site, browser

    def sign_in(self, name: str) -> Page:
        """A window in which somebody is signed in."""
        page = self.browser.new_context(base_url=self.site.url, viewport=SIZE, reduced_motion="reduce").new_page()  # type: ignore[arg-type]
        page.set_default_timeout(60_000)
        page.goto("/")
        page.fill("[name=username]", name)
        page.fill("[name=password]", self.site.passwords[name])
        page.click("button:has-text('Sign in')")
        page.wait_for_url("**/")
        return page

    def take(self, page: Page, name: str) -> None:
        """The page as it is now, light and dark."""
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.wait_for_timeout(SETTLED_MS)
            page.screenshot(path=HERE / f"{name}-{scheme}.png")
        print(f"{name}: light and dark")


def start(page: Page, flow: str) -> None:
    """Start a flow from the overview as it stands."""
    page.goto("/")
    page.click(f"tr:has-text('{flow}') a:has-text('Start')")
    page.click("button:has-text('Start run')")
    page.wait_for_url(re.compile(r"/runs/[0-9a-f]{32}/$"))


def is_at_rest(page: Page, words: str) -> None:
    """Wait until a run's page says so."""
    page.locator("[data-part=status] .mark", has_text=words).wait_for()


def tour(site: Site, browser: Browser) -> None:
    """Everything that the README tells, with pictures."""
    guide = Tour(site, browser)
    analyst, reviewer = guide.sign_in("analyst"), guide.sign_in("reviewer")
    start(analyst, "Deep research")
    is_at_rest(analyst, "Succeeded")
    analyst.click("a:has-text('Preview') >> nth=0")
    analyst.locator(".prose").wait_for()
    guide.take(analyst, "report")
    start(analyst, "Invoice approval")
    is_at_rest(analyst, "Waiting for approval")
    guide.take(analyst, "run")
    reviewer.goto("/inbox/")
    reviewer.click(".asks .title >> nth=0")
    reviewer.locator("button.approve").first.wait_for()
    guide.take(reviewer, "approval")
    analyst.goto("/")
    guide.take(analyst, "overview")
    analyst.goto("/flows/invoice_approval/edit/")
    analyst.locator(".react-flow__node").first.wait_for()
    guide.take(analyst, "editor")


def with_site(work: Callable[[Site, Browser], None]) -> None:
    """Start a site and a browser for some work; nothing is left of the site."""
    browser_path = find_chromium()
    if browser_path is None:
        raise SystemExit("No Chromium is installed.")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        site = Site(Path(folder) / "var")
        site.start(timeout_s=180)
        browser = playwright.chromium.launch(executable_path=str(browser_path), args=launch_arguments())
        try:
            work(site, browser)
        finally:
            browser.close()
            site.kill_everything()


if __name__ == "__main__":
    with_site(tour)
