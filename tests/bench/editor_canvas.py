"""How fast the editor's canvas is in headless Chromium: opening, panning, zooming and dragging. Run it by hand:

python -m tests.bench.editor_canvas [--nodes 200 300 1000] [--seconds 2]

Starts a site of its own. Figures are frames a second and the longest frames, by the browser's own animation frames, and
the work of the page's main thread for each frame, in processor time: that counts also where others use the machine.
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

    @property
    def rate(self) -> float:
        return 1000 * len(self.lengths) / max(1.0, sum(self.lengths))

    def __str__(self) -> str:
        ordered = sorted(self.lengths)
        late = ordered[int(len(ordered) * 0.95)] if ordered else 0
        each = self.work / max(1, len(ordered))
        longest = max(ordered, default=0)
        return f"{self.rate:5.1f} frames/s, 95 % within {late:4.0f} ms, longest {longest:4.0f} ms, work {each:5.1f} ms"


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


def recorded(page: Page, gesture: Callable[[], None]) -> Frames:
    """The frames while a gesture goes on."""
    page.wait_for_timeout(400)
    session = page.context.new_cdp_session(page)
    session.send("Performance.setTimeDomain", {"timeDomain": "threadTicks"})
    session.send("Performance.enable")
    page.evaluate(RECORD)
    before = _work(session)
    gesture()
    page.evaluate("window.recording = false")
    work = _work(session) - before
    session.detach()
    return Frames(page.evaluate("window.frames.slice(1)"), work)


def _work(session: CDPSession) -> float:
    """Processor time of the page's main thread until now, in milliseconds."""
    found = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return float(found["TaskDuration"]) * 1000


def pan(page: Page, seconds: float) -> None:
    """Hold the middle button and move about."""
    page.mouse.move(700, 450)
    page.mouse.down(button="middle")
    until, step = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        step += 1
        page.mouse.move(700 + (step * 7) % 400 - 200, 450 + (step * 5) % 200 - 100)
        page.wait_for_timeout(8)
    page.mouse.up(button="middle")


def zoom(page: Page, seconds: float) -> None:
    """Turn the wheel out and in."""
    page.mouse.move(700, 450)
    until, step = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        page.mouse.wheel(0, 60 if step % 40 < 20 else -60)
        step += 1
        page.wait_for_timeout(16)


def drag(page: Page, seconds: float) -> None:
    """Drag a node that is in view."""
    box = page.locator(".react-flow__node-step").nth(4).bounding_box()
    assert box is not None
    x, y = box["x"] + 60, box["y"] + 10
    page.mouse.move(x, y)
    page.mouse.down()
    until, step = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        step += 1
        page.mouse.move(x + step % 120, y + step % 80)
        page.wait_for_timeout(8)
    page.mouse.up()


def measure(page: Page, url: str, nodes: int, seconds: float) -> None:
    started = time.monotonic()
    page.goto(url)
    page.wait_for_selector(".react-flow__node-step, .overview")
    opened = time.monotonic() - started
    print(f"\n{nodes} nodes: open {opened:.2f} s")
    page.locator(".flow-canvas").focus()
    page.keyboard.press("0")
    page.wait_for_timeout(1000)
    gestures: dict[str, Callable[[], None]] = {
        "idle": lambda: page.wait_for_timeout(seconds * 1000),
        "pan": lambda: pan(page, seconds),
        "zoom": lambda: zoom(page, seconds),
        "drag": lambda: (page.keyboard.press("0"), page.wait_for_timeout(600), drag(page, seconds))[-1],
    }
    for name, gesture in gestures.items():
        print(f"  {name:5} {recorded(page, gesture)}")
    page.keyboard.press("Control+z")
    page.locator(".flow-canvas").focus()
    page.keyboard.press("1")
    page.wait_for_timeout(600)
    print(f"  pan, all in view  {recorded(page, lambda: pan(page, seconds))}")
    print(f"  zoom, all in view {recorded(page, lambda: zoom(page, seconds))}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="+", default=[200, 300, 1000])
    parser.add_argument("--seconds", type=float, default=2.0, help="how long each gesture goes on")
    asked = parser.parse_args()
    chromium = find_chromium()
    with tempfile.TemporaryDirectory() as folder:
        site = Site(Path(folder) / "var")
        site.start()
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
                    measure(page, f"/flows/{flow_id}/edit/", nodes, asked.seconds)
                browser.close()
        finally:
            site.kill_everything()


if __name__ == "__main__":
    main()
