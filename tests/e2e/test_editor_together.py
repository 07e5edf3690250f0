"""Two people at one draft: they see one another and each other's comments, live."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import Window
from tests.e2e.scene import Program
from tests.e2e.test_editor_canvas import card, node, open_flow
from tests.support.site import Site

pytestmark = [pytest.mark.processes, pytest.mark.slow]


def save_as_somebody_else(site: Site, flow: str, name: str) -> None:
    """An admin renames the node b of the draft."""
    admin = Program(site, "admin")
    draft = admin.get(f"flows/{flow}/draft/")
    next(one for one in draft["document"]["nodes"] if one["id"] == "b")["name"] = name
    admin.put(f"flows/{flow}/draft/", {"revision": draft["revision"], "document": draft["document"]})


def test_a_newer_draft_is_taken_up_and_undo_keeps_it(site: Site, sign_in: Callable[..., Window]) -> None:
    analyst, reviewer = sign_in("analyst").page, sign_in("reviewer").page
    open_flow(site, analyst, "newer", [node("a", 0, 0), node("b", 280, 0)], ("a", "b"))
    reviewer.goto("/flows/newer/edit/")
    expect(card(reviewer, "b")).to_be_visible()
    card(analyst, "a").click(position={"x": 60, "y": 12})
    analyst.keyboard.press("Delete")
    expect(card(analyst, "a")).to_have_count(0)
    expect(analyst.locator(".save-state")).to_contain_text("Saved")
    expect(card(reviewer, "a")).to_have_count(0)  # who only looks follows by itself
    expect(reviewer.locator(".newer-draft")).to_have_text("Shows what analyst saved.")

    save_as_somebody_else(site, "newer", "Renamed")
    expect(card(analyst, "b")).to_contain_text("Renamed")
    expect(analyst.locator(".newer-draft")).to_have_text("Shows what admin saved.")
    analyst.keyboard.press("Control+z")
    expect(card(analyst, "a")).to_be_visible()
    expect(card(analyst, "b")).to_contain_text("Renamed")  # what the other did stays
    expect(card(reviewer, "a")).to_be_visible()

    # Whoever writes is not disturbed: it is offered.
    analyst.get_by_role("button", name="Comments").click()
    card(analyst, "b").click(position={"x": 60, "y": 12})
    comment = analyst.get_by_role("complementary", name="Comments").get_by_label("Your comment")
    comment.fill("Half a")
    save_as_somebody_else(site, "newer", "Again")
    expect(analyst.locator(".newer-draft")).to_contain_text("admin saved a newer draft.")
    expect(card(analyst, "b")).to_contain_text("Renamed")
    expect(comment).to_have_value("Half a")
    analyst.locator(".newer-draft").get_by_role("button", name="Load it").click()
    expect(card(analyst, "b")).to_contain_text("Again")


def test_comments_and_who_is_here_are_live(site: Site, sign_in: Callable[..., Window]) -> None:
    analyst, reviewer = sign_in("analyst").page, sign_in("reviewer").page
    open_flow(site, analyst, "together", [node("a", 0, 0), node("b", 280, 0)], ("a", "b"))
    reviewer.goto("/flows/together/edit/")
    expect(analyst.locator(".together-names")).to_have_text("Also here: reviewer")
    expect(reviewer.locator(".together-names")).to_have_text("Also here: analyst")

    card(reviewer, "b").click(position={"x": 60, "y": 12})
    expect(card(analyst, "b").locator(".together-person")).to_have_attribute("title", "reviewer is here")
    reviewer.get_by_role("button", name="Comments").click()
    comments = reviewer.get_by_role("complementary", name="Comments")
    comments.get_by_label("Your comment").fill("Why twice?")
    comments.get_by_role("button", name="Comment", exact=True).click()
    expect(card(analyst, "b").locator(".together-comments")).to_have_text("1")

    # Its node is deleted: the comment stays, and can still be resolved.
    card(analyst, "b").click(position={"x": 60, "y": 12})
    analyst.keyboard.press("Delete")
    analyst.get_by_role("button", name="Comments (1)").click()
    kept = analyst.get_by_role("complementary", name="Comments").locator(".comment")
    expect(kept).to_contain_text("b (deleted)")
    kept.get_by_role("button", name="Resolve").click()
    expect(analyst.get_by_role("complementary", name="Comments")).to_contain_text("No comments.")
    reviewer.goto("/flows/")
    expect(analyst.locator(".together-names")).to_have_text("")
