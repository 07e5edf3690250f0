"""A running site with its sample flow, and a browser in which several people are signed in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

from tests.support.chromium import launch_arguments
from tests.support.site import Site

expect.set_options(timeout=20_000)  # a busy machine takes its time; what is wrong stays wrong


@dataclass
class Window:
    """One person's browser, with everything that its pages complained about."""

    context: BrowserContext
    page: Page
    complaints: list[str] = field(default_factory=list)

    def note(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.text} {message.location['url']}")

    def forgive(self, part: str) -> None:
        """Take back what a page had to complain about: a complaint with this part, which must be there."""
        assert [one for one in self.complaints if part in one], self.complaints
        self.complaints = [one for one in self.complaints if part not in one]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site on SQLite, as `manage.py up` starts it; one for all tests of a file."""
    started = Site(tmp_path_factory.mktemp("site") / "var")
    started.start()
    yield started
    started.kill_everything()


@pytest.fixture
def browser(chromium: Path) -> Iterator[Browser]:
    """The system's Chromium, driven by Playwright."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=str(chromium), args=launch_arguments())
        yield launched
        launched.close()


@pytest.fixture
def sign_in(browser: Browser, site: Site) -> Iterator[Callable[..., Window]]:
    """A function that opens a browser for somebody and signs in; pages must not have complained in the end."""
    windows: list[Window] = []

    def open_window(name: str, *, width: int = 1440, scheme: str = "light") -> Window:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
            base_url=site.url,
        )
        context.set_default_timeout(20_000)
        window = Window(context, context.new_page())
        window.page.on("console", window.note)
        window.page.on("pageerror", lambda error: window.complaints.append(str(error)))
        window.page.goto("/")
        window.page.fill("[name=username]", name)
        window.page.fill("[name=password]", site.passwords[name])
        window.page.click("button:has-text('Sign in')")
        window.page.wait_for_url("**/")
        windows.append(window)
        return window

    yield open_window
    for window in windows:
        window.context.close()
    assert [complaint for window in windows for complaint in window.complaints] == []
