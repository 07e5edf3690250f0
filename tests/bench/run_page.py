"""How soon a run's page shows what happens, in headless Chromium against a site of its own. Run it by hand:

python -m tests.bench.run_page [--steps 5000] [--cut 30]

Measured: from an event's time in the database to its line on the page (p50, p95); a backlog of thousands of events
after the connection was cut, and whether one is missing or there twice; a run with thousands of step runs; an output
of 10 MB.
"""

from __future__ import annotations

import argparse
import os
import socket
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.e2e.scene import Program
from tests.support.chromium import find_chromium, launch_arguments
from tests.support.site import Site

SIGNALS = 100
KEPT = 2_000
"""Lines that the page's list holds (static/flowsite/run.js)."""
WATCH = """() => {
  window.came = [];
  const note = (item) => window.came.push([Number(item.dataset.seq), Date.now(),
    Date.parse(item.querySelector("time").dateTime)]);
  const list = document.getElementById("events");
  window.known = new Set([...list.children].map((item) => Number(item.dataset.seq)));
  new MutationObserver((changes) => {
    for (const change of changes) for (const item of change.addedNodes) note(item);
  }).observe(list, { childList: true });
}"""


class Cable:
    """A way to the site that can be cut: a port that passes on every byte, until it does not."""

    def __init__(self, to: tuple[str, int]) -> None:
        self.to, self.is_cut = to, False
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.server.getsockname()[1])
        self.open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            here, _ = self.server.accept()
            if self.is_cut:
                here.close()
                continue
            there = socket.create_connection(self.to)
            self.open += [here, there]
            for one, other in ((here, there), (there, here)):
                threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one: socket.socket, other: socket.socket) -> None:
        try:
            while data := one.recv(65_536):
                other.sendall(data)
        except OSError:
            pass
        for end in (one, other):
            end.close()

    def cut(self) -> None:
        """Close everything, and let nothing new through."""
        self.is_cut = True
        for end in self.open:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self.open = []


class MainThread:
    """What a page's main thread has worked, in milliseconds on a processor: the load of the machine is not in it."""

    def __init__(self, page: Page) -> None:
        self.session = page.context.new_cdp_session(page)
        self.session.send("Performance.setTimeDomain", {"timeDomain": "threadTicks"})
        self.session.send("Performance.enable")

    def worked_ms(self) -> float:
        """Since the page was opened."""
        found = self.session.send("Performance.getMetrics")["metrics"]
        return next(float(one["value"]) * 1000 for one in found if one["name"] == "TaskDuration")


def flow(flow_id: str, items: int, fields: dict[str, Any]) -> dict[str, Any]:
    """A loop of so many steps, one after another."""
    nodes = [
        {"id": "loop", "type": "for_each", "config": {"items": items, "concurrency": 1}},
        {"id": "body", "type": "transform", "parent": "loop", "config": {"fields": fields}},
    ]
    return {"format": 1, "id": flow_id, "name": flow_id, "nodes": nodes, "edges": []}


def large(flow_id: str) -> dict[str, Any]:
    """One step whose output is a text of 10 MB: doubled again and again."""
    nodes = [
        {
            "id": f"n{place}",
            "type": "transform",
            "output_variable": "text",
            "config": {"fields": {"t": {"$expr": "text.t + text.t" if place else "seed_text + seed_text"}}},
        }
        for place in range(9)
    ]
    edges = [{"source": f"n{place}", "target": f"n{place + 1}"} for place in range(8)]
    inputs = [{"name": "seed_text", "type": "long_text", "required": True}]
    return {"format": 1, "id": flow_id, "name": flow_id, "inputs": inputs, "nodes": nodes, "edges": edges}


def begin(program: Program, document: dict[str, Any], inputs: dict[str, Any] | None = None) -> str:
    """Make the flow, publish it, start a run; gives its id."""
    flow_id = document["id"]
    program.post("flows/", {"id": flow_id, "name": flow_id, "document": document})
    program.post(f"flows/{flow_id}/versions/", {"revision": 1, "note": "measured"})
    return str(program.post("runs/", {"flow": flow_id, "inputs": inputs or {}})["id"])


def wait_for_end(program: Program, run: str, most_s: float = 900) -> dict[str, Any]:
    """Until it has ended."""
    until = time.monotonic() + most_s
    while time.monotonic() < until:
        found: dict[str, Any] = program.get(f"runs/{run}/")
        if found["status"] not in ("active", "paused"):
            return found
        time.sleep(1)
    raise SystemExit(f"The run {run} did not end within {most_s} s.")


def told(what: str, figure: str) -> None:
    """One line, with how busy the machine is."""
    load = os.getloadavg()[0]
    print(f"{what:58} {figure:>24}   (load {load:.1f})", flush=True)


def until_shown(page: Page, seq: int) -> None:
    """Until the page has an event's line. (The page's policy lets no text be evaluated, so nothing waits inside it.)"""
    for _ in range(1200):
        if page.evaluate("Number(document.getElementById('events').lastElementChild?.dataset.seq ?? 0)") >= seq:
            return
        page.wait_for_timeout(100)
    raise SystemExit(f"Event {seq} never came.")


def live(page: Page, program: Program, steps: int) -> None:
    """From the event's time to its line: of signals that come one after another, and of a run at full speed."""
    nodes = [{"id": "wait", "type": "wait", "config": {"duration_ms": 10**9}}]
    run = begin(program, {"format": 1, "id": "calm", "name": "calm", "nodes": nodes, "edges": []})
    page.goto(f"/runs/{run}/")
    page.wait_for_selector("#pill[data-state=live]")
    page.evaluate(WATCH)
    for n in range(SIGNALS):
        program.post(f"runs/{run}/signals/", {"key": "n", "value": n})
        page.wait_for_timeout(150)
    until_shown(page, int(program.get(f"runs/{run}/")["seq"]))
    told("event to page, one after another", lateness(page, 0))
    run = begin(program, flow("live", steps, {"n": 1}))
    page.goto(f"/runs/{run}/")
    page.wait_for_selector("#pill[data-state=live]")
    page.evaluate(WATCH)
    since = page.evaluate("Date.now()")
    until_shown(page, int(wait_for_end(program, run)["seq"]))
    told("event to page, a run at full speed", lateness(page, since))


def lateness(page: Page, since: float) -> str:
    """How much later than their time the events since then were on the page."""
    late = sorted(seen - at for _, seen, at in page.evaluate("window.came") if at >= since)
    if not late:
        return "nothing came"
    return f"p50 {late[len(late) // 2]} ms, p95 {late[int(len(late) * 0.95)]} ms of {len(late)}"


def cut(page: Page, thread: MainThread, program: Program, cable: Cable, steps: int, cut_s: float) -> None:
    """The connection is gone for a while, and the run goes on."""
    run = begin(program, flow("cut", steps, {"n": 1}))
    page.goto(f"http://localhost:{cable.port}/runs/{run}/")
    page.wait_for_selector("#pill[data-state=live]")
    page.evaluate(WATCH)
    page.wait_for_timeout(2000)
    cable.cut()
    page.wait_for_timeout(int(cut_s * 1000))
    newest = int(program.get(f"runs/{run}/")["seq"])
    had = max([seq for seq, *_ in page.evaluate("window.came")], default=0)
    cable.is_cut = False
    page.wait_for_selector("#pill:not([data-state=waiting])")
    back, worked = page.evaluate("Date.now()"), thread.worked_ms()
    until_shown(page, newest)
    seen = [at for seq, at, _ in page.evaluate("window.came") if had < seq <= newest]
    if not seen:
        raise SystemExit("The run was over before its connection was cut: give it more --steps.")
    took = max(seen) - back
    told(f"cut for {cut_s:.0f} s: {newest - had} events of backlog, from the cable to the list", f"{took} ms")
    told("  work of the page's main thread for them", f"{thread.worked_ms() - worked:.0f} ms")
    end = wait_for_end(program, run)
    until_shown(page, int(end["seq"]))
    came = [seq for seq, *_ in page.evaluate("window.came")]
    first = max(min(came), int(end["seq"]) - KEPT + 1)  # the list holds no more, and makes none that would leave it
    twice, missing = len(came) - len(set(came)), set(range(first, int(end["seq"]) + 1)) - set(came)
    told(f"  of the newest {end['seq'] - first + 1} events", f"{len(missing)} missing, {twice} twice")


def opens(page: Page, thread: MainThread, what: str, path: str, selector: str) -> None:
    """Until something is there; then what the main thread works until all events are."""
    began = time.monotonic()
    page.goto(path, wait_until="commit")
    page.wait_for_selector(selector)
    took = time.monotonic() - began
    page.wait_for_timeout(3000)
    told(what, f"{took:.2f} s, {thread.worked_ms():.0f} ms of work")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=5000, help="of the long run")
    parser.add_argument("--live", type=int, default=1500, help="steps while the page watches")
    parser.add_argument("--cut", type=float, default=30, help="seconds without a connection")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        site = Site(Path(folder) / "var")
        host, port = site.url.removeprefix("http://").split(":")
        cable = Cable((host, int(port)))
        origins = f"{site.url},http://localhost:{port},http://localhost:{cable.port}"
        site.environment["FLOWSITE_ORIGINS"] = origins
        site.start(300)
        try:
            program = Program(site, "analyst")
            browser = playwright.chromium.launch(executable_path=find_chromium(), args=launch_arguments())
            page = browser.new_page(viewport={"width": 1440, "height": 900}, base_url=site.url)
            for start in (site.url, f"http://localhost:{cable.port}"):
                page.goto(f"{start}/sign-in/")
                page.fill("[name=username]", "analyst")
                page.fill("[name=password]", site.passwords["analyst"])
                page.click("button:has-text('Sign in')")
                page.wait_for_url("**/")
            live(page, program, asked.live)
            thread = MainThread(page)
            cut(page, thread, program, cable, asked.steps // 2, asked.cut)
            big = begin(program, large("large"), {"seed_text": "x" * 20_000})
            wait_for_end(program, big)
            step = next(one for one in program.get(f"runs/{big}/steps/")["items"] if one["path"] == "n8")
            opens(page, thread, "an attempt with an output of 10 MB", f"/runs/{big}/steps/{step['id']}/", "main h1")
            opens(page, thread, "  its run", f"/runs/{big}/", "#run-view .react-flow__node")
            long = begin(program, flow("long", asked.steps, {"n": 1}))
            wait_for_end(program, long, 3600)
            opens(
                page, thread, f"a run with {asked.steps} step runs: the table", f"/runs/{long}/", "#attempts tbody tr"
            )
            opens(page, thread, "  on its flow", f"/runs/{long}/", "#run-view .react-flow__node")
            browser.close()
        finally:
            site.kill_everything()


if __name__ == "__main__":
    main()
