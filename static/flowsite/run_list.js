// The list of runs while it is open: rows and counts change in place, new runs are counted until somebody wants them.

import { Feed } from "./feed.js";
import { dress } from "./page.js";
import { showState } from "./parts.js";

const REST_MS = 2_000; // between two questions to the server
const says = () => document.getElementById("run-list-says");
const list = () => document.getElementById("run-list");
const bar = () => document.getElementById("new-runs");
const rows = () => [...list().querySelectorAll("tr[data-run]")];

let version = null;
let lastAt = 0;
let timer = 0;

/** The address of the news: the filters, the rows that stand here, and from which on runs are new. */
function address() {
  const root = list();
  const query = new URLSearchParams(root.dataset.query);
  const ids = rows().map((row) => row.dataset.run);
  query.set("rows", ids.join("."));
  if ("first" in root.dataset) query.set("first", ids[0] ?? "");
  return `${root.dataset.news}?${query}`;
}

/** Put what differs into a row, cell by cell; what has the focus stays, and nothing moves. */
function renew(row, fresh) {
  [...fresh.cells].forEach((cell, index) => {
    const old = row.cells[index];
    const link = old.querySelector("a");
    if (link?.contains(document.activeElement) || old.dataset.text === cell.textContent) return;
    cell.dataset.text = cell.textContent;
    old.replaceWith(cell);
    dress(row);
  });
}

async function ask() {
  lastAt = Date.now();
  try {
    const response = await fetch(address(), { headers: { "X-Requested-With": "fetch" } });
    if (!response.ok || response.redirected) return;
    take(new DOMParser().parseFromString(await response.text(), "text/html"));
  } catch {
    // The pill says that the server is away; the next frame asks again.
  }
}

function take(news) {
  const known = new Map(rows().map((row) => [row.dataset.run, row]));
  for (const fresh of news.querySelectorAll("tr[data-run]")) {
    const row = known.get(fresh.dataset.run);
    if (row) renew(row, document.importNode(fresh, true));
  }
  for (const fresh of news.querySelectorAll("[data-status]")) {
    const count = list().querySelector(`[data-status="${fresh.dataset.status}"] [data-count]`);
    const text = fresh.querySelector("[data-count]").textContent;
    if (count && count.textContent !== text) count.textContent = text;
  }
  const newer = news.getElementById("newer").textContent.trim();
  if (!newer) return;
  const text = `${newer}. Show ${newer.startsWith("1 ") ? "it" : "them"}`;
  if (bar().textContent === text) return;
  bar().textContent = text;
  bar().hidden = false;
  says().textContent = newer;
}

/** Ask soon; calls that come close together are one, and a hidden page asks when it is seen again. */
function refresh() {
  if (timer || document.hidden) return;
  timer = setTimeout(() => {
    timer = 0;
    ask();
  }, Math.max(100, lastAt + REST_MS - Date.now()));
}

/** Show the newest runs in place of those that stand here, and go on from the first. */
async function showNewest(event) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const target = bar().href;
  try {
    const response = await fetch(target, { headers: { "X-Requested-With": "fetch" } });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const fresh = page.getElementById("run-list");
    if (!response.ok || response.redirected || !fresh) throw new Error(String(response.status));
    list().replaceWith(document.importNode(fresh, true));
    window.history.replaceState(null, "", target);
    dress(list());
    begin();
    list().querySelector("tr[data-run] a")?.focus();
  } catch {
    window.location.assign(target);
  }
}

function begin() {
  bar().addEventListener("click", showNewest);
  // What a cell said when it was drawn; times tell their distance meanwhile.
  for (const row of rows()) for (const cell of row.cells) cell.dataset.text ??= cell.textContent;
}

begin();
// The address of a filtered list holds what is asked for, and no empty names.
document.addEventListener("submit", (event) => {
  if (event.target.id !== "run-filters") return;
  for (const field of event.target.elements) if (field.name && !field.value) field.disabled = true;
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) refresh();
});
new Feed("/ws/runs/", "runs", {
  onChange(frame) {
    if (frame.version === version) return;
    version = frame.version;
    refresh();
  },
  onState: (state, detail) => showState(document.getElementById("pill"), state, detail),
});
