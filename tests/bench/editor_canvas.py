"""How fast the editor's canvas is in headless Chromium: opening, panning, zooming and dragging. Run it by hand:

python -m tests.bench.editor_canvas [--nodes 200 300 1000] [--moves 120]

Starts a site of its own. Figures are frames a second and the longest frames, by the browser's own animation frames,
and the work of the page's main thread for each move of the pointer: sixty moves come in a second, so work below 16 ms
leaves room for sixty frames.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import CDPSession, Page, sync_playwright

from tests.e2e.scene import Program
from tests.support.chromium import find_chromium, launch_arguments
from tests.support.site import Site

Gesture = Callable[[Page, int], None]
STEP_MS = 16
COLUMN, ROW = 280, 84
ACROSS = 20
RECORD = """() => {
  window.frames = []; window.last = performance.now(); window.recording = true;
  const note = (now) => {
    window.frames.push(now - window.last);
    window.last = now;
    if (window.recording) requestAnimationFrame(note);
  };
  requestAnimationFrame(note);
}"""


@dataclass(frozen=True)
class Frames:
    """How long each frame of a gesture took, and the page's own work in all of them, in milliseconds."""

    lengths: list[float]
    work: float
    moves: int

    @property
    def rate(self) -> float:
        return 1000 * len(self.lengths) / max(1.0, sum(self.lengths))

    def __str__(self) -> str:
        ordered = sorted(self.lengths)
        late = ordered[int(len(ordered) * 0.95)] if ordered else 0
        each = self.work / self.moves
        longest = max(ordered, default=0)
        return (
            f"{self.rate:5.1f} frames/s, 95 % within {late:4.0f} ms, longest {longest:4.0f} ms, "
            f"work {each:5.1f} ms a move"
        )


def big_flow(flow_id: str, nodes: int) -> dict[str, Any]:
    """Rows of nodes, each node leading to the next, each third one to the row below as well."""
    made = [
        {
            "id": f"n{at}", "type": "transform", "name": f"Step {at}", "config": {"fields": {}},
            "layout": {"x": at % ACROSS * COLUMN, "y": at // ACROSS * ROW},
        }
        for at in range(nodes)
    ]  # fmt: skip
    edges = [
        {"id": f"e{at}", "source": f"n{at}", "target": f"n{at + 1}"} for at in range(nodes - 1) if (at + 1) % ACROSS
    ]
    down = [
        {"id": f"d{at}", "source": f"n{at}", "target": f"n{at + ACROSS}", "on": "error"}
        for at in range(0, nodes - ACROSS, 3)
    ]
    return {"format": 1, "id": flow_id, "name": f"{nodes} nodes", "nodes": made, "edges": [*edges, *down]}


def recorded(page: Page, gesture: Gesture, moves: int) -> Frames:
    """The frames while a gesture goes on."""
    page.wait_for_timeout(400)
    session = page.context.new_cdp_session(page)
    session.send("Performance.setTimeDomain", {"timeDomain": "threadTicks"})
    session.send("Performance.enable")
    page.evaluate(RECORD)
    before = _work(session)
    gesture(page, moves)
    page.evaluate("window.recording = false")
    work = _work(session) - before
    session.detach()
    return Frames(page.evaluate("window.frames.slice(1)"), work, moves)


def _work(session: CDPSession) -> float:
    """Processor time of the page's main thread until now, in milliseconds."""
    found = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return float(found["TaskDuration"]) * 1000


def rest(page: Page, moves: int) -> None:
    page.wait_for_timeout(moves * STEP_MS)


def pan(page: Page, moves: int) -> None:
    """Hold the middle button and move about."""
    page.mouse.move(700, 450)
    page.mouse.down(button="middle")
    for step in range(moves):
        page.mouse.move(700 + (step * 7) % 400 - 200, 450 + (step * 5) % 200 - 100)
        page.wait_for_timeout(STEP_MS)
    page.mouse.up(button="middle")


def zoom(page: Page, moves: int) -> None:
    """Turn the wheel out and in."""
    page.mouse.move(700, 450)
    for step in range(moves):
        page.mouse.wheel(0, 60 if step % 40 < 20 else -60)
        page.wait_for_timeout(STEP_MS)


def drag(page: Page, moves: int) -> None:
    """Drag a node that is in view."""
    box = page.locator(".react-flow__node-step").nth(4).bounding_box()
    assert box is not None
    x, y = box["x"] + 60, box["y"] + 10
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(moves):
        page.mouse.move(x + step % 120, y + step % 80)
        page.wait_for_timeout(STEP_MS)
    page.mouse.up()


def measure(page: Page, url: str, nodes: int, moves: int) -> None:
    started = time.monotonic()
    page.goto(url)
    page.wait_for_selector(".react-flow__node-step, .overview")
    print(f"\n{nodes} nodes: open {time.monotonic() - started:.2f} s", flush=True)

    def shown(name: str, gesture: Gesture, key: str) -> None:
        page.locator(".flow-canvas").focus()
        page.keyboard.press(key)
        page.wait_for_timeout(800)
        print(f"  {name:18} {recorded(page, gesture, moves)}", flush=True)

    shown("idle", rest, "0")
    shown("pan", pan, "0")
    shown("zoom", zoom, "0")
    shown("drag", drag, "0")
    shown("pan, all in view", pan, "1")
    shown("zoom, all in view", zoom, "1")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="+", default=[200, 300, 1000])
    parser.add_argument("--moves", type=int, default=120, help="of the pointer in each gesture")
    asked = parser.parse_args()
    chromium = find_chromium()
    with tempfile.TemporaryDirectory() as folder:
        site = Site(Path(folder) / "var")
        site.start(300)
        try:
            program = Program(site, "analyst")
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium, args=launch_arguments())
                page = browser.new_page(viewport={"width": 1440, "height": 900}, base_url=site.url)
                page.goto("/sign-in/")
                page.fill("[name=username]", "analyst")
                page.fill("[name=password]", site.passwords["analyst"])
                page.click("button:has-text('Sign in')")
                page.wait_for_url("**/")
                for nodes in asked.nodes:
                    flow_id = f"bench_{nodes}"
                    document = big_flow(flow_id, nodes)
                    program.post("flows/", {"id": flow_id, "name": document["name"], "document": document})
                    measure(page, f"/flows/{flow_id}/edit/", nodes, asked.moves)
                browser.close()
        finally:
            site.kill_everything()


if __name__ == "__main__":
    main()
