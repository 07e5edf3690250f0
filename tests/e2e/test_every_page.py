"""Every page of the site, for each role, light and dark: nothing serious for axe, nothing wider than 360 px.

The pages come from the URL configuration: a new one is judged as soon as it has an address.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import URLPattern, reverse
from playwright.sync_api import BrowserContext, Page, expect

from runner.urls import urlpatterns
from tests.e2e.conftest import Window
from tests.e2e.scene import Scene, make_scene
from tests.support.site import Site

pytestmark = [pytest.mark.processes, pytest.mark.slow]

BAD = ("serious", "critical")
NARROW, WIDE = {"width": 360, "height": 740}, {"width": 1280, "height": 900}
QUERIES = {
    "search": ["?q=invoice", "?q=nothing+like+it"],
    "runs": ["?status=failed", "?status=succeeded", "?version=1", "?flow=invoice_approval&input=limit&value=1000"],
    "compare-runs": ["?show=all"],
    "compare-with": ["?with=nothing"],
    "compare-versions": ["?before=1&after=1"],
    "run": ["?steps=failed", "?steps=latest"],
}


@pytest.fixture(scope="module")
def scene(site: Site) -> Scene:
    return make_scene(site)


def paths_of(scene: Scene) -> Iterator[str]:
    """An address for each page, with what lists and forms can show beside it."""
    for pattern in urlpatterns:
        if isinstance(pattern, URLPattern) and pattern.name:
            names = pattern.pattern.converters
            for values in scene.values_for(pattern.name):
                path = reverse(pattern.name, kwargs={name: values.get(name, "1") for name in names})
                yield path
                yield from (path + query for query in QUERIES.get(pattern.name, []))
    yield "/api/docs/"
    yield "/no/such/page/"


def is_page(context: BrowserContext, path: str) -> bool:
    """Whether an address answers with a page, rather than with a file, data, a part of a page, or "by POST only"."""
    answer = context.request.get(path, max_redirects=0)
    return answer.status != 405 and answer.text().lstrip().lower().startswith("<!doctype html")


def findings(page: Page) -> list[str]:
    """What axe holds against a page, in a line each."""
    response: Any = Axe().run(page).response
    return [
        f"{one['id']} ({one['impact']}): {one['nodes'][0]['html'][:160]} {one['nodes'][0]['failureSummary'][:200]}"
        for one in response["violations"]
        if one["impact"] in BAD
    ]


def sideways(page: Page) -> int:
    """By how many pixels a page is wider than the window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


@pytest.mark.parametrize("role", ["analyst", "reviewer", "admin"])
def test_every_page_is_for_everybody(scene: Scene, sign_in: Callable[..., Window], role: str) -> None:
    window = sign_in(role)
    page, bad, seen = window.page, [], 0
    for path in dict.fromkeys(paths_of(scene)):
        if not is_page(window.context, path):
            continue
        page.set_viewport_size(WIDE)  # type: ignore[arg-type]
        page.goto(path)
        seen += 1
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            bad += [f"{path} ({scheme}) {found}" for found in findings(page)]
        page.set_viewport_size(NARROW)  # type: ignore[arg-type]
        if sideways(page):
            bad.append(f"{path} is {sideways(page)} px too wide at {NARROW['width']} px")
    window.complaints.clear()  # the browser notes each page that answers 403 or 404
    assert not bad, "\n".join(bad)
    assert seen > 25


def test_the_pages_for_nobody_are_for_everybody_too(site: Site, browser: Any) -> None:
    context = browser.new_context(base_url=site.url, viewport=WIDE)
    page = context.new_page()
    for path in ("/sign-in/", "/runs/", "/join/wrong/", "/no/such/page/"):
        page.goto(path)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert findings(page) == [], (path, scheme)
        page.set_viewport_size(NARROW)
        assert sideways(page) == 0, path
        page.set_viewport_size(WIDE)
    context.close()


def test_this_would_notice_a_bad_page(sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    page.evaluate("document.querySelector('main').innerHTML = '<button></button><input><div id=wide>x</div>'")
    page.evaluate("document.getElementById('wide').style.width = '3000px'")
    assert any("button-name" in found for found in findings(page))
    assert sideways(page) > 0


def test_the_keyboard_leads_everywhere(scene: Scene, sign_in: Callable[..., Window]) -> None:
    page = sign_in("admin").page
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("/")
    box = page.locator("[data-search]")
    expect(box).to_be_focused()
    page.keyboard.type("invoice/approval")
    expect(box).to_have_value("invoice/approval")  # a slash in the box is a letter
    box.fill("invoice")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/search/\?q=invoice"))
    expect(page.locator("#found-flows")).to_be_visible()
    page.goto("/inbox/team/")
    page.keyboard.press("j")
    first = page.locator(".asks .title").first
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/inbox/[0-9a-f]{32}/$"))
    expect(page.locator("#card")).to_have_attribute("data-run", scene.asking)
