"""The editor's canvas: a flow built by mouse and by keys alone, put into containers, copied, undone; refusals."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import Window
from tests.e2e.scene import Program
from tests.e2e.test_editor_drafts import new_flow, saved
from tests.support.site import Site

pytestmark = [pytest.mark.processes, pytest.mark.slow]

Box = dict[str, float]
# Two frames later whatever the last event changed is drawn.
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
# Where an element is, once it has not moved for three frames: the view may be moving.
AT_REST = """async (element) => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  for (let still = 0, before = ""; still < 3; ) {
    await frame();
    const now = JSON.stringify(element.getBoundingClientRect());
    still = now === before ? still + 1 : 0;
    before = now;
  }
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x, y, width, height };
}"""


def card(page: Page, node: str) -> Locator:
    return page.locator(f'.react-flow__node[data-id="{node}"]')


def box_of(page: Page, node: str) -> Box:
    return place_of(card(page, node))


def place_of(one: Locator) -> Box:
    place: Box = one.evaluate(AT_REST)
    return place


def canvas(page: Page) -> Locator:
    return page.locator(".flow-canvas")


def wires(document: dict[str, Any]) -> list[str]:
    """Each edge as text: `a > b`, `a error> b`."""
    return [f"{edge['source']} {edge.get('on', '')}> {edge['target']}" for edge in document.get("edges", [])]


def draft(page: Page, flow_id: str, count: int) -> dict[str, Any]:
    """The saved draft, once it has so many nodes."""
    expect(page.locator(".react-flow__node")).to_have_count(count)
    return settled(page, flow_id)


def settled(page: Page, flow_id: str) -> dict[str, Any]:
    """The draft, once it is saved."""
    expect(page.locator(".save-state")).to_have_text(re.compile("^Saved"))
    return saved(page, flow_id)


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + 8, start[1] + 4)
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=4)
    page.mouse.move(*end, steps=4)
    page.evaluate(DRAWN)
    page.mouse.up()


def to_the_canvas(page: Page) -> None:
    """F6 until the canvas or a node of it has the focus."""
    expect(canvas(page)).to_be_visible()
    for _ in range(8):
        if page.evaluate("document.activeElement.matches('.flow-canvas, .flow-canvas .react-flow__node')"):
            return
        page.keyboard.press("F6")
    raise AssertionError("F6 does not lead to the canvas")


def pick(page: Page, words: str) -> None:
    """Write what to look for into the list that is asked at the canvas, and take the first that is found."""
    expect(page.locator(".popover").get_by_role("combobox")).to_be_focused()
    page.keyboard.type(words)
    expect(page.locator(".popover").get_by_role("option", selected=True)).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator(".popover")).to_have_count(0)


def at_node(page: Page, name: str) -> None:
    """Wait until the node of this name has the focus."""
    expect(page.locator(".react-flow__node:focus .step-name")).to_have_text(name)


def add_by_keys(page: Page, words: str, name: str) -> None:
    """A, then what to look for, then Enter; the new node has the focus."""
    page.keyboard.press("a")
    pick(page, words)
    at_node(page, name)


def node(node_id: str, x: int, y: int, kind: str = "transform", **more: Any) -> dict[str, Any]:
    config: dict[str, Any] = {"fields": {}} if kind == "transform" else {}
    return {"id": node_id, "type": kind, "config": config, "layout": {"x": x, "y": y}, **more}


def open_flow(site: Site, page: Page, flow_id: str, nodes: list[dict[str, Any]], *edges: tuple[str, str]) -> None:
    wired = [{"id": f"{a}-{b}", "source": a, "target": b} for a, b in edges]
    document = {"format": 1, "id": flow_id, "name": flow_id, "nodes": nodes, "edges": wired}
    Program(site, "analyst").post("flows/", {"id": flow_id, "name": flow_id, "document": document})
    page.goto(f"/flows/{flow_id}/edit/")
    expect(canvas(page)).to_be_visible()
    expect(page.locator(".save-state")).to_contain_text("Saved")


def test_three_nodes_by_mouse_in_three_acts(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    flow_id = new_flow(page, "By mouse")
    expect(page.locator(".welcome")).to_contain_text("What should this flow do first?")
    palette = page.get_by_label("Nodes to add")
    palette.get_by_role("option", name="Read invoices csv").click()
    palette.get_by_role("option", name="Transform").first.click()
    palette.get_by_role("option", name="Return").first.click()
    document = draft(page, flow_id, 3)
    assert wires(document) == ["read_invoices_csv > transform", "transform > return"]

    # The button on an edge puts a node between its ends; dragging a port to empty canvas asks what comes there.
    first, second = box_of(page, "read_invoices_csv"), box_of(page, "transform")
    page.mouse.move((first["x"] + first["width"] + second["x"]) / 2, first["y"] + first["height"] / 2)
    page.locator(".line-add").click()
    pick(page, "branch")
    expect(page.locator('.react-flow__node[data-id="one_of"]')).to_be_focused()
    assert "one_of > transform" in wires(draft(page, flow_id, 4))
    page.keyboard.press("1")
    port = place_of(card(page, "one_of").locator(".port-new"))
    start = (port["x"] + port["width"] - port["height"] / 2, port["y"] + port["height"] / 2)
    drag(page, start, (start[0], start[1] + 120))
    pick(page, "verifier")
    document = draft(page, flow_id, 5)
    new = next(edge for edge in document["edges"] if edge["target"] == "verifier")
    assert new["source"] == "one_of" and new["when"] == ""
    expect(page.locator(".toast")).to_contain_text("needs a condition")

    # Every step can be undone and done again, down to the empty flow.
    undo, redo = page.get_by_role("button", name="Undo"), page.get_by_role("button", name="Redo")
    for _ in range(5):
        undo.click()
    expect(page.locator(".react-flow__node")).to_have_count(0)
    expect(undo).to_have_attribute("aria-disabled", "true")
    for _ in range(5):
        redo.click()
    assert wires(draft(page, flow_id, 5)) == wires(document)


def test_a_flow_by_keys_alone(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    flow_id = new_flow(page, "By keys")
    to_the_canvas(page)
    add_by_keys(page, "read invoices", "Read invoices csv")
    add_by_keys(page, "transform", "Transform")
    add_by_keys(page, "return", "Return")
    page.keyboard.press("Home")
    page.keyboard.press("o")
    expect(page.get_by_role("menuitem", name="Error")).to_be_focused()
    page.keyboard.press("Enter")
    pick(page, "end")
    at_node(page, "End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    focused = page.locator(".react-flow__node:focus")
    expect(focused).to_have_attribute("aria-label", "Transform, transform, step 2 of 4")
    page.keyboard.press("c")
    pick(page, "end")
    # Transform leads on already, so this is a branch, and its condition is asked for.
    expect(page.get_by_role("textbox", name="Condition")).to_be_focused()
    canvas(page).focus()
    page.keyboard.press("Home")
    at_node(page, "Read invoices csv")
    page.keyboard.press("F2")
    expect(page.locator(".rename")).to_be_focused()
    page.keyboard.type("Read them")
    page.keyboard.press("Enter")
    at_node(page, "Read them")
    page.keyboard.press("Alt+ArrowDown")
    page.keyboard.press("Alt+ArrowDown")
    document = draft(page, flow_id, 4)
    assert "read_invoices_csv error> end" in wires(document) and "transform > end" in wires(document)
    assert next(one for one in document["nodes"] if one["id"] == "read_invoices_csv")["layout"]["y"] == 16

    # Tab always leaves: the next stop is outside the nodes, and the way back leads to the node.
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.closest('.react-flow__node')")
    page.keyboard.press("Shift+Tab")
    at_node(page, "Read them")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    at_node(page, "Read them")
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    at_node(page, "Read invoices csv")


def test_into_a_container_and_out_of_it(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    nodes = [
        node("a", 0, 0), node("b", 280, 0, "one_of"), node("c", 560, 0), node("d", 560, 140),
        node("box", 0, 200, "sequence"), node("inner", 24, 64, parent="box"),
    ]  # fmt: skip
    open_flow(site, page, "moving", nodes, ("a", "b"), ("b", "c"), ("b", "d"))
    start, box = box_of(page, "b"), box_of(page, "box")
    goal = (box["x"] + box["width"] - 20, box["y"] + box["height"] - 20)

    # Edges that would cross the border are named, and nothing happens without a yes.
    drag(page, (start["x"] + 60, start["y"] + 12), goal)
    dialog = page.get_by_role("dialog", name="Move b into it?")
    expect(dialog).to_contain_text("3 edges would cross the border of a container")
    expect(dialog.locator("li")).to_have_count(3)
    dialog.get_by_role("button", name="Cancel").click()
    assert len(draft(page, "moving", 6)["edges"]) == 3
    drag(page, (start["x"] + 60, start["y"] + 12), goal)
    page.get_by_role("button", name="Move and remove them").click()
    expect(dialog).to_have_count(0)
    document = draft(page, "moving", 6)
    assert next(one for one in document["nodes"] if one["id"] == "b")["parent"] == "box"
    assert document["edges"] == []

    # Collapsed, what it holds is not drawn; the document keeps it.
    page.get_by_role("button", name="Collapse box").click()
    expect(card(page, "inner")).to_have_count(0)
    expect(card(page, "box")).to_contain_text("2 steps")
    assert next(one for one in settled(page, "moving")["nodes"] if one["id"] == "box")["layout"]["collapsed"] is True
    card(page, "box").click(position={"x": 60, "y": 12})
    page.keyboard.press("g")
    expect(card(page, "inner")).to_be_visible()
    for _ in range(3):
        page.keyboard.press("Control+z")
    assert len(draft(page, "moving", 6)["edges"]) == 3


def test_copied_as_text_between_flows(site: Site, sign_in: Callable[..., Window]) -> None:
    window = sign_in("analyst")
    page = window.page
    nodes = [node("a", 0, 0), node("b", 280, 0) | {"x-mine": {"kept": 1}}, node("odd", 0, 140, "type_of_tomorrow")]
    open_flow(site, page, "source", nodes, ("a", "b"))
    expect(card(page, "odd")).to_contain_text("Unknown type: type_of_tomorrow")
    canvas(page).focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+c")
    expect(page.locator(".toast")).to_have_text("Copied 3 nodes.")
    open_flow(site, page, "goal", [node("a", 0, 0)])
    card(page, "a").click(position={"x": 60, "y": 12})
    page.mouse.move(5, 5)
    page.keyboard.press("Control+v")
    expect(page.locator(".toast")).to_have_text("Pasted 3 nodes.")
    document = draft(page, "goal", 4)
    assert wires(document) == ["a_2 > b"]
    assert next(one for one in document["nodes"] if one["id"] == "b")["x-mine"] == {"kept": 1}
    assert next(one for one in document["nodes"] if one["id"] == "odd")["type"] == "type_of_tomorrow"

    # What is no flow is refused with a reason, and changes nothing.
    window.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate('navigator.clipboard.writeText(\'{"nodes": [{"id": "x"}]}\')')
    page.keyboard.press("Control+v")
    expect(page.locator(".toast")).to_contain_text("nodes[0] has no text `type`")
    assert settled(page, "goal") == document


def test_what_cannot_be_connected_says_why(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    nodes = [node("a", 0, 0), node("b", 280, 0), node("box", 0, 160, "parallel")]
    nodes += [node("x", 24, 64, parent="box"), node("y", 24, 164, parent="box"), node("z", 324, 64, parent="box")]
    open_flow(site, page, "wiring", nodes, ("a", "b"), ("x", "z"))

    def port(node_id: str) -> tuple[float, float]:
        found = place_of(card(page, node_id).locator(".port-main"))
        return found["x"] + found["width"] / 2, found["y"] + found["height"] / 2

    def middle(node_id: str) -> tuple[float, float]:
        box = box_of(page, node_id)
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    drag(page, port("b"), middle("x"))
    expect(page.locator(".toast")).to_have_text("An edge does not cross the border of a container.")
    drag(page, port("b"), middle("a"))
    expect(page.locator(".toast")).to_contain_text("closes a loop")
    drag(page, port("y"), middle("z"))
    expect(page.locator(".toast")).to_contain_text("waits for all paths that were taken")
    document = draft(page, "wiring", 6)
    assert wires(document) == ["a > b", "x > z", "b > a", "y > z"]
    assert next(one for one in document["nodes"] if one["id"] == "z")["join"] == "active"
    page.keyboard.press("Control+z")
    undone = draft(page, "wiring", 6)
    assert "join" not in next(one for one in undone["nodes"] if one["id"] == "z")


def test_the_end_of_an_edge_is_led_to_another_node(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    nodes = [
        node("a", 0, 0),
        node("b", 280, 0),
        node("c", 280, 200),
        node("d", 560, 0),
        node("box", 0, 320, "sequence"),
    ]
    nodes.append(node("inner", 24, 64, parent="box"))
    open_flow(site, page, "leading", nodes, ("a", "b"), ("b", "d"))

    def end_at(node_id: str) -> tuple[float, float]:
        inlet = place_of(card(page, node_id).locator(".port-in"))
        return inlet["x"] + inlet["width"] / 2 - 16, inlet["y"] + inlet["height"] / 2

    # While the end is dragged, the nodes that it may lead to are shown.
    goal = box_of(page, "c")
    page.mouse.move(*end_at("b"))
    page.mouse.down()
    page.mouse.move(goal["x"] - 40, goal["y"], steps=4)
    expect(card(page, "c")).to_have_class(re.compile("is-target"))
    expect(card(page, "inner")).to_have_class(re.compile("no-target"))
    page.mouse.move(goal["x"] + 60, goal["y"] + 20, steps=4)
    page.evaluate(DRAWN)
    page.mouse.up()
    expect(page.get_by_role("button", name="Undo: Lead an edge to c")).to_be_visible()
    assert wires(draft(page, "leading", 6)) == ["a > c", "b > d"]
    inner = box_of(page, "inner")
    drag(page, end_at("d"), (inner["x"] + 60, inner["y"] + 20))
    expect(page.locator(".toast")).to_have_text("An edge does not cross the border of a container.")

    # By keys: the edges of the node, one of them, then where it leads to.
    card(page, "a").click(position={"x": 60, "y": 12})
    page.keyboard.press("e")
    pick(page, "a to c")
    expect(page.locator(".inspector-head")).to_contain_text("a → c")
    to_the_canvas(page)
    page.keyboard.press("l")
    expect(page.get_by_role("dialog", name="Lead to")).to_be_visible()
    pick(page, "d")
    at_node(page, "a")
    assert wires(draft(page, "leading", 6)) == ["a > d", "b > d"]
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    assert wires(draft(page, "leading", 6)) == ["a > b", "b > d"]


def test_a_flow_without_places_is_laid_out_and_stays_as_it_is(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    nodes = [{"id": name, "type": "transform", "config": {"fields": {}}} for name in "abc"]
    open_flow(site, page, "bare", nodes, ("a", "b"), ("b", "c"))
    left, right = box_of(page, "a"), box_of(page, "b")
    assert left["x"] + left["width"] < right["x"]
    assert all("layout" not in one for one in settled(page, "bare")["nodes"])
    card(page, "b").click(position={"x": 60, "y": 12})
    page.keyboard.press("Alt+ArrowDown")
    placed = settled(page, "bare")["nodes"]
    assert all(one["layout"]["x"] >= 0 for one in placed) and placed[1]["layout"]["x"] > placed[0]["layout"]["x"]


def test_everything_is_found(site: Site, sign_in: Callable[..., Window]) -> None:
    page = sign_in("analyst").page
    page.goto("/flows/invoice_approval/edit/")
    expect(canvas(page)).to_be_visible()
    page.keyboard.press("Control+f")
    expect(page.locator("dialog").get_by_role("combobox")).to_be_focused()
    page.keyboard.type("check.valid")
    page.get_by_role("option", name="Valid? to Pay invoice").first.click()
    expect(page.locator(".line.selected")).to_have_count(1)
    page.keyboard.press("Control+k")
    expect(page.locator("dialog").get_by_role("combobox")).to_be_focused()
    page.keyboard.type("write report")
    expect(page.locator("dialog").get_by_role("option", selected=True)).to_contain_text("Write report")
    page.keyboard.press("Enter")
    at_node(page, "Write report")
    page.keyboard.press("Control+k")
    expect(page.locator("dialog").get_by_role("combobox")).to_be_focused()
    page.keyboard.type("support triage")
    page.get_by_role("option", name="Support triage").click()
    page.wait_for_url("**/flows/support_triage/edit/")
    expect(canvas(page)).to_be_visible()
    stops = page.evaluate(
        """() => [...document.querySelectorAll(".palette *, .editor-canvas *")]
            .filter((one) => one.tabIndex >= 0 && one.getClientRects().length).length"""
    )
    assert stops <= 4, "palette, canvas, its buttons, and the library's own link"
    most = page.evaluate(
        """() => Math.max(...[...document.querySelectorAll(".react-flow__node-step")]
            .map((one) => one.querySelectorAll("*").length))"""
    )
    assert most <= 20
    assert json.loads(page.evaluate("localStorage.getItem('flowsite.recent-nodes') || '[]'")) == []
