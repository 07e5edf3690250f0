"""A flow built, tested and published with what a screen reader gives and no more: the role and name of what has the
focus, and the texts of live regions. The walk is written down in docs/howto/screen-reader.md, act by act."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import Window

pytestmark = [pytest.mark.processes, pytest.mark.slow]

PATIENCE = 30
"""Seconds until something that must be said has not been said."""
MOST_TABS = 45

# Keeps what live regions get, in order, as `heard`: whatever changes within one, and alerts that appear.
EARS = """() => {
  window.heard = [];
  const live = "[role=status], [role=alert], [aria-live]";
  const note = (region) => {
    const text = region.textContent.trim().replace(/\\s+/g, " ");
    if (text) window.heard.push(text);
  };
  new MutationObserver((changes) => {
    const regions = new Set();
    for (const { target, addedNodes } of changes) {
      const around = (target.nodeType === 1 ? target : target.parentElement)?.closest(live);
      if (around) regions.add(around);
      for (const one of addedNodes) if (one.nodeType === 1) {
        if (one.matches("[role=alert]")) regions.add(one);
        for (const inner of one.querySelectorAll("[role=alert]")) regions.add(inner);
      }
    }
    regions.forEach(note);
  }).observe(document, { subtree: true, childList: true, characterData: true });
}"""


class Reader:
    """Somebody who presses keys and hears what the accessibility tree says."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.tree = page.context.new_cdp_session(page)
        self.tree.send("Accessibility.enable")
        page.add_init_script(f"({EARS})()")
        self.since = 0

    def focus(self) -> dict[str, Any]:
        """The innermost element that has the focus, as the tree has it."""
        nodes = self.tree.send("Accessibility.getFullAXTree")["nodes"]
        focused = [one for one in nodes if not one.get("ignored") and _property(one, "focused")]
        return focused[-1] if focused else {}

    def says(self) -> str:
        """Role and name of what has the focus: `button "Publish…"`."""
        one = self.focus()
        return f'{one.get("role", {}).get("value", "nothing")} "{one.get("name", {}).get("value", "")}"'

    def stands_at(self, role: str, name: str, **properties: Any) -> None:
        """Wait until this has the focus; `name` is how its name begins."""
        end = time.monotonic() + PATIENCE
        while True:
            one = self.focus()
            said = self.says()
            right = all(_property(one, key) == value for key, value in properties.items())
            if said.startswith(f'{role} "{name}') and right:
                return
            assert time.monotonic() < end, f'heard {said} {one.get("properties")}, not {role} "{name}"'
            time.sleep(0.1)

    def press(self, *keys: str) -> None:
        """Press keys; what is heard counts from here on."""
        self.since = self.page.evaluate("window.heard?.length ?? 0")
        for key in keys:
            self.page.keyboard.press(key)

    def write(self, text: str) -> None:
        """Type a text into what has the focus."""
        self.page.keyboard.type(text)

    def tab_to(self, role: str, name: str) -> None:
        """Tab from stop to stop until this is said."""
        met = []
        for _ in range(MOST_TABS):
            said = self.says()
            if said.startswith(f'{role} "{name}'):
                return
            met.append(said)
            self.press("Tab")
        raise AssertionError(f'Tab does not lead to {role} "{name}", but to {met}')

    def hears(self, text: str) -> None:
        """Wait until a live region has said this since the last key."""
        end = time.monotonic() + PATIENCE
        while True:
            heard = self.page.evaluate("window.heard")
            if any(text in one for one in heard[self.since :]):
                return
            assert time.monotonic() < end, f"heard {heard[self.since :]}, not {text!r}"
            time.sleep(0.1)

    def picks(self, words: str, marked: str) -> None:
        """Write into a list that is searched; Enter takes what it says is marked."""
        self.write(words)
        end = time.monotonic() + PATIENCE
        while marked not in self.marked():
            assert time.monotonic() < end, f"{self.marked()!r} is marked, not {marked!r}"
            time.sleep(0.1)
        self.press("Enter")

    def marked(self) -> str:
        """The option that a list says is the active one, with its text."""
        return str(
            self.page.evaluate(
                """() => {
                  const id = document.activeElement?.getAttribute("aria-activedescendant");
                  const option = id ? document.getElementById(id) : null;
                  return option?.getAttribute("role") === "option" ? option.textContent : "";
                }"""
            )
        )

    def command(self, words: str) -> None:
        """Ctrl+K, and the command of these words."""
        self.press("Control+k")
        self.stands_at("combobox", "Commands, nodes and flows")
        self.picks(words, words)


def _property(node: dict[str, Any], name: str) -> Any:
    found = [one["value"].get("value") for one in node.get("properties", []) if one["name"] == name]
    return found[0] if found else None


def test_built_tested_and_published_by_ear(sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    reader = Reader(page)
    page.goto("/flows/")
    make(reader)
    build(reader)
    configure(reader)
    prove(reader)
    publish(reader)


def make(reader: Reader) -> None:
    """A blank flow, from the list of flows."""
    reader.tab_to("link", "New flow")
    reader.press("Enter")
    reader.page.wait_for_url("**/new-flow/")
    reader.tab_to("textbox", "Name")
    reader.write("By ear")
    reader.press("Enter")
    reader.page.wait_for_url("**/edit/")
    reader.page.locator(".save-state").wait_for()


def build(reader: Reader) -> None:
    """Two nodes in rows, the second connected to the first."""
    reader.command("Show the outline alone")
    reader.tab_to("button", "Add the first node")
    reader.press("Enter")
    reader.stands_at("combobox", "Add a node")
    reader.picks("evaluator", "Evaluator")
    reader.hears("Added Evaluator.")
    reader.stands_at("treeitem", "Evaluator, evaluator", level=1)
    reader.press("a")
    reader.stands_at("combobox", "Add a node")
    reader.picks("return", "Return")
    reader.hears("Added Return.")
    reader.stands_at("treeitem", "Return, return", level=1)
    reader.press("ArrowUp")
    reader.stands_at("treeitem", "Evaluator, evaluator, 1 error")


def configure(reader: Reader) -> None:
    """The missing expression is heard of, and written."""
    reader.command("Next problem")
    reader.stands_at("textbox", "Expression")
    reader.write("20 + 22")
    reader.hears("= 42")
    reader.hears("none")
    reader.press("Escape")
    if not reader.says().startswith("treeitem"):
        reader.press("Escape")  # the first one closed the list of completions
    reader.stands_at("treeitem", "Evaluator, evaluator, step 1 of 2")
    reader.press("F2")
    reader.stands_at("textbox", "Name of Evaluator")
    reader.write("Answer")
    reader.press("Enter")
    reader.stands_at("treeitem", "Answer, evaluator, step 1 of 2")


def prove(reader: Reader) -> None:
    """A test is written, kept, run, and its result is heard."""
    reader.command("Show or hide the tests")
    reader.press("F6")
    for _ in range(12):
        if "Tests" in reader.says() or reader.says().startswith('separator "Height of the tests'):
            break
        reader.press("F6")
    reader.tab_to("button", "New test")
    reader.press("Enter")
    reader.hears("Passes against the draft")
    reader.tab_to("textbox", "Name")
    reader.press("Control+a")
    reader.write("It ends well")
    reader.tab_to("button", "Keep this test")
    reader.press("Enter")
    reader.hears("The test “It ends well” is kept with the flow.")
    reader.hears("Tests: 1 test passes.")
    reader.stands_at("button", "New test")
    reader.command("Run all tests")
    reader.hears("Tests: 1 test passes.")


def publish(reader: Reader) -> None:
    """With a note; what was published is heard."""
    reader.command("Publish the draft")
    reader.tab_to("textbox", "What is new")
    reader.write("Made by ear")
    reader.tab_to("button", "Publish version 1")
    reader.press("Enter")
    reader.hears("Version 1 is published.")
    assert re.search(r"/flows/by_ear[^/]*/edit/", reader.page.url)
