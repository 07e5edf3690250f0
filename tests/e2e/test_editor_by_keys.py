"""The editor without a mouse: from the list of flows to two published versions that are compared; few tab stops."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Window
from tests.e2e.test_editor_canvas import add_by_keys, at_node, canvas, to_the_canvas
from tests.support.site import Site

pytestmark = [pytest.mark.processes, pytest.mark.slow]

MOST_STOPS = 40
# What Tab comes to, one line each; the radio buttons of a group are one stop.
STOPS = """() => {
  const stops = [], groups = new Set();
  const look = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) look(one.shadowRoot);
      const writes = one.isContentEditable && !one.parentElement?.isContentEditable;
      if ((one.tabIndex < 0 && !writes) || one.disabled || !one.checkVisibility({ visibilityProperty: true })) continue;
      if (one.type === "radio" && groups.has(one.name)) continue;
      if (one.type === "radio") groups.add(one.name);
      stops.push(`${one.tagName} ${one.getAttribute("aria-label") ?? one.textContent}`.slice(0, 60));
    }
  };
  look(document);
  return stops;
}"""


def tab_to(page: Page, target: Locator, key: str = "Tab") -> None:
    """Press a key until this has the focus."""
    expect(target).to_be_visible()
    for _ in range(MOST_STOPS):
        if target.evaluate("(one) => one.matches(':focus') || (one.getRootNode().activeElement === one)"):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {target}")


def press(page: Page, target: Locator) -> None:
    tab_to(page, target)
    page.keyboard.press("Enter")


def command(page: Page, words: str) -> None:
    """Find a command by its words and carry it out."""
    page.keyboard.press("Control+k")
    found = page.locator("dialog").get_by_role("combobox")
    expect(found).to_be_focused()
    page.keyboard.type(words)
    expect(page.locator("dialog").get_by_role("option", selected=True)).to_contain_text(words)
    page.keyboard.press("Enter")
    expect(found).to_have_count(0)


def code(page: Page, name: str) -> Locator:
    return page.locator(f".cm-content[aria-label='{name}']")


def back_to(page: Page, name: str) -> None:
    """Escape, from a field back to its node; a first one closes a list of completions."""
    for _ in range(3):
        page.keyboard.press("Escape")
        if page.evaluate("document.activeElement.matches('.react-flow__node')"):
            break
    at_node(page, name)


def publish(page: Page, number: int, note: str) -> None:
    command(page, "Publish the draft")
    dialog = page.get_by_role("dialog", name=f"Publish version {number}")
    tab_to(page, dialog.get_by_role("textbox", name=re.compile("What is new")))
    page.keyboard.type(note)
    press(page, dialog.get_by_role("button", name=f"Publish version {number}"))
    expect(dialog).to_have_count(0)
    expect(page.locator(".toast")).to_contain_text(f"Version {number} is published")


def choose(page: Page, target: Locator, label: str) -> None:
    """Choose in a list of the browser by its first letters."""
    tab_to(page, target)
    page.keyboard.type(label)
    expect(target.locator("option:checked")).to_have_text(label)


def test_made_run_published_and_compared_without_a_mouse(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    page.goto("/flows/")
    press(page, page.get_by_role("link", name="New flow"))
    page.wait_for_url("**/new-flow/")
    tab_to(page, page.locator("[name=name]"))
    page.keyboard.type("Greeting")
    page.keyboard.press("Enter")
    page.wait_for_url("**/edit/")

    # Three nodes, each after the one before.
    to_the_canvas(page)
    add_by_keys(page, "transform", "Transform")
    add_by_keys(page, "evaluator", "Evaluator")
    add_by_keys(page, "return", "Return")

    # Enter goes into a node's form, Escape back to the node.
    page.keyboard.press("Home")
    at_node(page, "Transform")
    page.keyboard.press("Enter")
    name = page.get_by_label("Inspector").get_by_role("textbox", name="Name", exact=True)
    expect(name).to_be_focused()
    press(page, page.get_by_role("button", name="Add a key"))
    key = page.get_by_role("textbox", name="Name of the key key1")
    expect(key).to_be_focused()
    page.keyboard.type("said")
    page.keyboard.press("Tab")  # the name counts once its field is left
    tab_to(page, code(page, "said"))
    page.keyboard.type("hello")
    back_to(page, "Transform")
    page.keyboard.press("ArrowRight")
    at_node(page, "Evaluator")
    page.keyboard.press("Enter")
    tab_to(page, code(page, "Expression"))
    page.keyboard.type("steps.transform.output.said + '!'")
    back_to(page, "Evaluator")
    page.keyboard.press("ArrowRight")
    at_node(page, "Return")
    page.keyboard.press("Enter")
    ways = page.get_by_role("group", name="How value is given")
    tab_to(page, ways.get_by_role("button", name="Value"))
    page.keyboard.press("End")
    expect(ways.get_by_role("button", name="fx")).to_be_focused()
    page.keyboard.press("Enter")
    tab_to(page, code(page, "Value, expression"))
    page.keyboard.type("steps.evaluator.output")
    back_to(page, "Return")
    expect(page.locator(".problems-toggle")).to_contain_text("none")

    # A trial run of the draft, to its own page and back.
    page.keyboard.press("Control+Enter")
    press(page, page.get_by_role("dialog", name="Start a run").get_by_role("button", name="Start"))
    strip = page.locator(".run-strip")
    expect(strip).to_contain_text("Succeeded", timeout=30_000)
    editor = page.url
    press(page, strip.get_by_role("link", name="Open the run"))
    page.wait_for_url(re.compile(r"/runs/[0-9a-f]{32}/$"))
    expect(page.locator("[data-part=status] .mark")).to_have_text("Succeeded")
    expect(page.locator("main")).to_contain_text("hello!")
    press(page, page.locator("main").get_by_role("link", name="Greeting").first)
    press(page, page.locator("main").get_by_role("link", name="Edit").first)
    page.wait_for_url(editor)

    # Published, changed, published again; both versions compared.
    to_the_canvas(page)
    publish(page, 1, "It says hello")
    to_the_canvas(page)
    page.keyboard.press("Home")
    at_node(page, "Transform")
    page.keyboard.press("F2")
    expect(page.locator(".rename")).to_be_focused()
    page.keyboard.type("Greet")
    page.keyboard.press("Enter")
    at_node(page, "Greet")
    publish(page, 2, "The step has a better name")
    command(page, "Versions of the flow")
    dialog = page.get_by_role("dialog", name="Versions")
    choose(page, dialog.get_by_label("Compare"), "version 1")
    choose(page, dialog.get_by_label("with"), "version 2")
    press(page, dialog.get_by_role("link", name="Compare"))
    page.wait_for_url("**/compare/?before=1&after=2")
    expect(page.get_by_label("What differs")).to_contain_text("Greet")
    expect(page.locator(".compare .editor-head")).to_contain_text("1 changed")


def test_few_tab_stops_whatever_is_selected(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    page.goto("/flows/invoice_approval/edit/")
    to_the_canvas(page)
    head = page.locator(".inspector-head")
    shown: dict[str, list[str]] = {"nothing": page.evaluate(STOPS)}
    names = page.locator(".react-flow__node").evaluate_all("(all) => all.map((one) => one.dataset.id)")
    for name in names:
        page.locator(f'.react-flow__node[data-id="{name}"]').dispatch_event("click")
        expect(head).to_contain_text(f" · {name}")
        shown[name] = page.evaluate(STOPS)
    assert {name: len(stops) for name, stops in shown.items() if len(stops) > MOST_STOPS} == {}
    assert len(names) == 15 and min(map(len, shown.values())) > 15, "the count counts"

    # A row of buttons is one stop; arrows lead through it.
    actions = page.get_by_role("toolbar", name="Flow")
    tab_to(page, actions.locator("button:not([tabindex='-1'])"))
    page.keyboard.press("End")
    expect(actions.get_by_role("button", name="Publish…")).to_be_focused()
    page.keyboard.press("Tab")
    expect(actions.locator(":focus")).to_have_count(0)
    page.keyboard.press("Shift+Tab")
    expect(actions.get_by_role("button", name="Publish…")).to_be_focused()
    expect(canvas(page)).to_be_visible()
