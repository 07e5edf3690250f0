"""Review before publish: asked in the dialog, looked at and approved on the page that compares, void after a change."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Window
from tests.e2e.scene import Program
from tests.e2e.test_editor_canvas import node, open_flow
from tests.support.site import Site

pytestmark = [pytest.mark.processes, pytest.mark.slow]


def publish_dialog(page: Page) -> None:
    page.get_by_role("button", name="Publish…").click()
    expect(page.locator("dialog").get_by_role("region", name="Review")).to_be_visible()


def try_to_publish(page: Page) -> None:
    page.locator("#publish-note").fill("First")
    page.locator("dialog").get_by_role("button", name="Publish version 1").click()


def test_a_reviewer_approves_what_is_published(site: Site, sign_in: Callable[..., Window]) -> None:
    window, other = sign_in("analyst"), sign_in("reviewer")
    analyst, reviewer = window.page, other.page
    open_flow(site, analyst, "reviewed", [node("a", 0, 0), node("b", 280, 0)], ("a", "b"))
    analyst.get_by_role("button", name="Settings").click()
    analyst.get_by_role("complementary", name="Inspector").get_by_text("Review before publish").click()
    analyst.get_by_label("Approved by").select_option("A group")
    analyst.get_by_label("Name of the group").fill("reviewer")
    analyst.get_by_role("button", name="Save who approves").click()
    expect(analyst.locator(".toast")).to_contain_text("need the approval of reviewer now")

    publish_dialog(analyst)
    try_to_publish(analyst)
    expect(analyst.locator("dialog [role=alert]")).to_contain_text("nobody has approved the draft as it is now")
    window.forgive("/versions/")  # the browser notes the answer 409
    reviewer.goto("/inbox/reviews/")
    expect(reviewer.locator("main")).to_contain_text("No version waits for your review.")
    analyst.get_by_label("What to say to the reviewer").fill("Please look")
    analyst.get_by_role("button", name="Ask for a review").click()
    review = analyst.locator("dialog").get_by_role("region", name="Review")
    expect(review).to_contain_text("has not decided yet")

    # The reviewer hears of it at once, on whatever page.
    expect(reviewer.locator("[data-inbox-count=open]")).to_have_text("1")
    expect(reviewer.locator("main")).to_contain_text("Please look")
    reviewer.get_by_role("link", name="Review the draft of").click()
    asked = reviewer.get_by_role("region", name="Review")
    expect(asked).to_contain_text("analyst asks for a review of the draft as it is: Please look")
    asked.get_by_role("button", name="Decline").click()
    expect(asked.get_by_role("alert")).to_have_text("Say why you decline.")
    other.forgive("/decision/")
    asked.get_by_role("button", name="Approve this content").click()
    expect(asked).to_contain_text("was approved by reviewer")

    expect(review).to_contain_text("Approved by reviewer")
    told = window.context.new_page()
    told.goto("/")
    expect(told.locator("main")).to_contain_text("approved by reviewer")
    told.get_by_role("link", name="Open the reviews").click()
    expect(told.locator("[data-inbox-count=reviews]")).to_have_text("1")
    try_to_publish(analyst)
    expect(analyst.locator(".toast")).to_contain_text("Version 1 is published.")
    expect(told.locator("[data-inbox-count=reviews]")).to_be_hidden()
    told.close()

    # Another content needs another review.
    draft = Program(site, "analyst").get("flows/reviewed/draft/")
    draft["document"]["name"] = "Renamed"
    answer = analyst.request.put(
        "/api/flows/reviewed/draft/",
        data={"revision": draft["revision"], "document": draft["document"]},
        headers={"X-CSRFToken": _csrf(analyst), "Referer": site.url},
    )
    assert answer.ok, answer.text()
    analyst.reload()
    publish_dialog(analyst)
    expect(analyst.locator("dialog").get_by_role("region", name="Review")).to_contain_text(
        re.compile("Before it is published, the group reviewer has to approve it")
    )


def _csrf(page: Page) -> str:
    found = next(one for one in page.context.cookies() if one["name"] == "flowsite_csrf")
    return str(found["value"])
