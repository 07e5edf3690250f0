"""Looking at a flow: zoom, fit and pan by keys, wheel, pinch and minimap; large flows that begin folded, and search."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Window
from tests.e2e.scene import Program
from tests.e2e.test_every_page import findings
from tests.support.site import Site

pytestmark = [pytest.mark.processes, pytest.mark.slow]


def node(node_id: str, **more: Any) -> dict[str, Any]:
    return {"id": node_id, "type": "set_variable", "config": {"variable": "v", "value": node_id}, **more}


def large(parts: int, each: int) -> dict[str, Any]:
    """A flow of containers in a row, each with so many nodes in a row; one of them has an error inside."""
    nodes, edges = [], []
    for part in range(parts):
        nodes.append({"id": f"part{part}", "type": "sequence", "name": f"Part {part}", "config": {}})
        nodes += [node(f"n{part}_{at}", parent=f"part{part}") for at in range(each)]
        edges += [{"source": f"n{part}_{at}", "target": f"n{part}_{at + 1}"} for at in range(each - 1)]
        edges += [{"source": f"part{part - 1}", "target": f"part{part}"}] if part else []
    nodes[-1]["config"] = {"variable": "v", "value": "a needle"}
    wrong = next(one for one in nodes if one["id"] == "n3_10")
    wrong["config"] = {"variable": "v", "value": {"$expr": "1 +"}}
    return {"format": 1, "id": "large", "name": "Large", "nodes": nodes, "edges": edges}


def viewport(page: Page) -> tuple[float, float, float]:
    """Where the view stands: x, y and zoom."""
    style = page.locator(".react-flow__viewport").get_attribute("style") or ""
    found = re.search(r"translate\(([-\d.]+)px, ?([-\d.]+)px\) scale\(([\d.]+)\)", style)
    assert found, style
    x, y, zoom = (float(part) for part in found.groups())
    return x, y, zoom


def seen(page: Page, node_id: str) -> Locator:
    return page.locator(f".react-flow__node[data-id='{node_id}']")


def zoomed(page: Page, share: int) -> None:
    expect(page.locator(".react-flow__viewport")).to_have_attribute(
        "style", re.compile(rf"scale\({share / 100:g}\)"), timeout=20_000
    )


def middle(page: Page) -> tuple[float, float]:
    box = page.locator(".flow-canvas").bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def empty(page: Page) -> tuple[float, float]:
    """A point of the canvas on which nothing lies."""
    at = page.evaluate(
        """() => {
          const box = document.querySelector(".flow-canvas").getBoundingClientRect();
          for (let y = box.bottom - 150; y > box.top + 150; y -= 40)
            for (let x = box.right - 150; x > box.left + 150; x -= 40)
              if (document.elementFromPoint(x, y)?.matches(".react-flow__pane")) return [x, y];
        }"""
    )
    return at[0], at[1]


def test_zoom_fit_and_pan(site: Site, sign_in: Callable[..., Window]):
    page = sign_in("analyst").page
    page.goto("/flows/support_triage/edit/")
    first = page.locator(".react-flow__node").first
    first.click()

    # By keys: 100 %, in and out by a quarter, all of it, what is selected.
    page.keyboard.press("0")
    zoomed(page, 100)
    page.keyboard.press("+")
    zoomed(page, 125)
    page.keyboard.press("-")
    zoomed(page, 100)
    page.keyboard.press("1")
    expect(page.locator(".react-flow__node").last).to_be_in_viewport(ratio=0.99)
    expect(first).to_be_in_viewport(ratio=0.99)
    whole = viewport(page)[2]
    page.keyboard.press("2")
    expect(page.locator(".react-flow__viewport")).to_have_attribute("style", re.compile(r"scale\(1\.25\)"))
    expect(first).to_be_in_viewport(ratio=0.99)
    assert whole < 1.25

    # The wheel zooms at the pointer, and so does a pinch, which browsers tell as a wheel with Ctrl.
    for act in (lambda: page.mouse.wheel(0, 300), lambda: pinch(page, 60)):
        x, y = middle(page)
        page.mouse.move(x, y)
        before = viewport(page)
        act()
        expect(page.locator(".react-flow__viewport")).not_to_have_attribute(
            "style", re.compile(f"scale\\({before[2]:g}\\)")
        )
        assert_same_point(page, before, (x, y))

    # Space and a drag move the view, and nothing of the flow.
    page.keyboard.press("0")
    zoomed(page, 100)
    x, y = empty(page)
    before = viewport(page)
    page.keyboard.down("Space")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 120, y - 40, steps=4)
    page.mouse.up()
    page.keyboard.up("Space")
    after = viewport(page)
    assert (round(after[0] - before[0]), round(after[1] - before[1])) == (-120, -40)
    expect(page.locator(".save-state")).to_contain_text("Saved")

    # A press on the minimap brings that place into view.
    page.keyboard.press("0")
    page.locator(".minimap").click(position={"x": 8, "y": 56})
    left = viewport(page)[0]
    page.locator(".minimap").click(position={"x": 172, "y": 56})
    assert viewport(page)[0] < left


def pinch(page: Page, by: int) -> None:
    x, y = middle(page)
    page.evaluate(
        """([x, y, by]) => document.elementFromPoint(x, y).dispatchEvent(new WheelEvent("wheel",
          {clientX: x, clientY: y, deltaY: by, ctrlKey: true, bubbles: true, cancelable: true}))""",
        [x, y, by],
    )


def assert_same_point(page: Page, before: tuple[float, float, float], at: tuple[float, float]) -> None:
    """The point of the flow that was under the pointer still is."""
    box = page.locator(".flow-canvas").bounding_box()
    assert box
    now = viewport(page)
    for axis, edge in enumerate(("x", "y")):
        place = at[axis] - box[edge]
        was = (place - before[axis]) / before[2]
        assert abs((place - now[axis]) / now[2] - was) < 2


def test_zooming_the_page_is_left_to_the_browser(sign_in: Callable[..., Window]):
    page = sign_in("analyst").page
    page.goto("/flows/support_triage/edit/")
    page.locator(".react-flow__node").first.click()
    before = viewport(page)
    page.evaluate(
        """() => { window.left = []; window.addEventListener("keydown", (event) =>
          window.left.push([event.key, event.defaultPrevented])); }"""
    )
    for key in ("+", "-", "0"):
        page.locator(".react-flow__node").first.dispatch_event(
            "keydown", {"key": key, "ctrlKey": True, "bubbles": True, "cancelable": True}
        )
    assert page.evaluate("window.left") == [["+", False], ["-", False], ["0", False]]
    assert viewport(page) == before


def test_a_thousand_nodes_begin_folded_and_are_found(site: Site, sign_in: Callable[..., Window]):
    program = Program(site, "analyst")
    program.post("imports/", {"document": large(20, 49)})
    revision = program.get("flows/large/draft/")["revision"]
    page = sign_in("analyst").page
    page.goto("/flows/large/edit/")
    expect(page.locator(".flow-canvas")).to_have_attribute("aria-label", re.compile("1000 nodes"))

    # Searched, its container opens, and only that.
    page.keyboard.press("Control+f")
    page.get_by_role("combobox", name="Find in this flow").fill("a needle")
    page.keyboard.press("Enter")
    expect(seen(page, "n19_48")).to_be_in_viewport()
    expect(seen(page, "n19_48")).to_have_class(re.compile("selected"))
    page.keyboard.press("Escape")

    # So does one with a problem.
    page.keyboard.press("F8")
    expect(seen(page, "n3_10")).to_be_in_viewport()

    # Whole again, the others are cards of their own, and their nodes are not drawn.
    for container in ("part3", "part19"):
        page.keyboard.press("Control+k")
        page.get_by_role("combobox", name="Commands, nodes and flows").fill(container)
        page.keyboard.press("Enter")
        expect(page.locator("dialog")).to_have_count(0)
        # So long that it is shown at a scale at which no cards are drawn.
        expect(page.locator(".flow-canvas")).to_be_focused()
        page.keyboard.press("g")
        page.keyboard.press("2")
        expect(seen(page, container).locator(".step-card-folded")).to_have_count(1)
    assert findings(page) == []

    # All that was looking: nothing was saved, nothing can be undone.
    assert program.get("flows/large/draft/")["revision"] == revision
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Commands, nodes and flows").fill("Undo")
    expect(page.get_by_role("option", name="Undo").first).to_have_attribute("aria-disabled", "true")


def test_a_level_of_too_many_nodes_says_what_to_do(site: Site, sign_in: Callable[..., Window]):
    program = Program(site, "analyst")
    for count, name in ((210, "many"), (510, "toomany")):
        nodes = [node(f"n{at}") for at in range(count)]
        edges = [{"source": f"n{at}", "target": f"n{at + 1}"} for at in range(count - 1)]
        program.post("imports/", {"document": {"format": 1, "id": name, "nodes": nodes, "edges": edges}})
    page = sign_in("analyst").page
    hint = page.locator(".size-hint")
    page.goto("/flows/many/edit/")
    expect(hint).to_contain_text("210 nodes in the flow: move parts into containers, or make a sub-flow")
    page.goto("/flows/toomany/edit/")
    expect(hint).to_contain_text("510 nodes in the flow are too many")
    expect(hint).to_contain_text("make a sub-flow of it")
