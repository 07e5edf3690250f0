// The live page of one run: events as they come, and the parts above them drawn again when something happened.

import { LiveRun } from "./live.js";
import { clock, dress } from "./page.js";
import { Parts, showState } from "./parts.js";

const KEPT = 2000; // events in the list; earlier ones can be asked for again
const SPEAK_MS = 5000;
const FAR = 400; // so many events behind, the list is drawn once they are here, or every CATCH_MS
const CATCH_MS = 1000;
const TONES = {
  bad: new Set(["step-error", "flow-error", "attempt-lost", "approval-expired"]),
  good: new Set(["step-complete", "flow-complete", "artifact-created"]),
  person: new Set(["approval-requested", "approval-decided", "run-paused", "run-resumed", "step-retry-created", "signal-received", "run-forked", "run-moved", "flow-canceled"]),
};

const root = document.getElementById("run");
const list = document.getElementById("events");
const pill = document.getElementById("pill");
const earlier = document.getElementById("earlier");
const jump = document.getElementById("jump");
const count = document.getElementById("events-count");
const spoken = document.getElementById("spoken");
const showDetail = document.getElementById("show-detail");
let first = Number(root.dataset.after) + 1; // number of the first event in the list
let unseen = 0;

// --- Events ---

function span(className, text) {
  const element = document.createElement("span");
  element.className = className;
  element.textContent = text;
  return element;
}

function who(actor) {
  if (!actor || actor.kind === "engine") return "";
  return `by ${actor.name ?? actor.id ?? actor.kind}`;
}

/** One event in a line: where, and what matters most about it. */
function about(event) {
  const { data } = event;
  const parts = [event.path ?? event.step ?? ""];
  if (event.visit > 1) parts.push(`visit ${event.visit}`);
  if (event.attempt > 1) parts.push(`attempt ${event.attempt}`);
  if (event.type === "edge-taken") parts.push(`→ ${data.target}${data.on && data.on !== "success" ? ` on ${data.on}` : ""}`);
  if (event.type === "step-retry") parts.push(`attempt ${data.attempt} of ${data.max_attempts} failed, again in ${data.delay_ms} ms`);
  if (event.type === "run-forked") parts.push(`from event ${data.origin.seq} of run ${data.origin.run.slice(0, 8)}`);
  if (event.type === "run-moved") parts.push(`to ${data.to.version ? `v${data.to.version}` : "a trial"}`);
  if (event.type === "approval-decided") parts.push(data.outstanding ? `${data.verdict}, ${data.outstanding} more to go` : data.verdict);
  if (event.type === "approval-requested" && data.tool) parts.push(data.tool);
  if (data.reason) parts.push(`reason: ${data.reason}`);
  if (data.error?.message) parts.push(data.error.message);
  parts.push(who(event.actor));
  return parts.filter(Boolean).join(", ");
}

function line(event) {
  const item = document.createElement("li");
  item.dataset.seq = event.seq;
  item.dataset.level = event.level;
  item.hidden = event.level === "detail" && !showDetail.checked;
  for (const [tone, types] of Object.entries(TONES)) if (types.has(event.type)) item.dataset.tone = tone;
  const time = document.createElement("time");
  time.dateTime = new Date(event.ts).toISOString();
  time.textContent = clock(new Date(event.ts));
  const summary = document.createElement("summary");
  summary.append(span("seq", event.seq), time, span("type", event.type), span("about", about(event)));
  const details = document.createElement("details");
  details.append(summary);
  details.addEventListener("toggle", () => {
    if (details.open && !details.querySelector("pre")) {
      const state = document.createElement("a");
      state.href = root.dataset.atUrl.replace(/0\/$/, `${event.seq}/`);
      state.textContent = `State at event ${event.seq}`;
      const box = document.createElement("pre");
      box.className = "value";
      box.textContent = JSON.stringify(event, null, 2);
      details.append(state, box);
    }
  });
  item.append(details);
  return item;
}

function isAtEnd() {
  return list.scrollHeight - list.scrollTop - list.clientHeight < 40;
}

function toEnd() {
  list.scrollTop = list.scrollHeight;
  unseen = 0;
  jump.hidden = true;
}

function append(events) {
  const follow = isAtEnd();
  // Whoever follows sees the newest: lines that would leave the list at once are not made.
  list.append(...(follow ? events.slice(-KEPT) : events).map(line));
  while (list.children.length > KEPT && follow) list.firstElementChild.remove();
  if (follow) {
    toEnd();
  } else {
    unseen += events.filter((event) => event.level === "public" || showDetail.checked).length;
    jump.textContent = `${unseen} new`;
    jump.hidden = unseen === 0;
  }
  afterChange();
}

function afterChange() {
  first = list.firstElementChild ? Number(list.firstElementChild.dataset.seq) : live.seq + 1;
  earlier.hidden = first <= 1;
  const shown = list.children.length;
  count.textContent = shown ? `${shown} of ${Math.max(live.newest, live.seq)}` : "";
}

async function showEarlier() {
  earlier.disabled = true;
  try {
    const response = await fetch(`${root.dataset.eventsUrl}?before=${first}`);
    if (!response.ok || response.redirected) throw new Error(String(response.status));
    const { events } = await response.json();
    const height = list.scrollHeight;
    list.prepend(...events.filter((event) => event.seq < first).map(line));
    list.scrollTop += list.scrollHeight - height;
    earlier.textContent = "Show earlier events";
    afterChange();
  } catch {
    earlier.textContent = "They could not be loaded. Try again";
  } finally {
    earlier.disabled = false;
  }
}

earlier.addEventListener("click", showEarlier);
jump.addEventListener("click", toEnd);
list.addEventListener("scroll", () => isAtEnd() && toEnd());
showDetail.addEventListener("change", () => {
  const follow = isAtEnd();
  for (const item of list.children) item.hidden = item.dataset.level === "detail" && !showDetail.checked;
  if (follow) toEnd();
});

// --- A summary for those who listen ---

let unspoken = [];

function speak(events) {
  unspoken.push(...events.filter((event) => event.level === "public" && event.type !== "edge-taken"));
  if (speak.timer) return;
  speak.timer = setTimeout(() => {
    speak.timer = null;
    const last = unspoken.at(-1);
    if (last) spoken.textContent = unspoken.length > 1 ? `${unspoken.length} new events, last: ${last.type} ${about(last)}` : `${last.type} ${about(last)}`;
    unspoken = [];
  }, SPEAK_MS);
}

// --- Attempts that are open stay open ---

async function fill(row, url) {
  const response = await fetch(url);
  if (!response.ok || response.redirected) throw new Error(String(response.status));
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
  const cell = document.createElement("td");
  cell.colSpan = 7;
  cell.className = "whole";
  cell.append(...[...fresh.body.childNodes].map((node) => document.importNode(node, true)));
  dress(cell);
  row.replaceChildren(cell);
}

function detailOf(step) {
  return root.querySelector(`tr.detail[data-of="${step}"]`);
}

async function toggle(button) {
  const row = button.closest("tr.attempt");
  const open = detailOf(row.dataset.step);
  if (open) {
    open.remove();
    button.setAttribute("aria-expanded", "false");
    return;
  }
  const detail = document.createElement("tr");
  detail.className = "detail";
  detail.dataset.of = row.dataset.step;
  row.after(detail);
  button.setAttribute("aria-expanded", "true");
  await load(detail, button.dataset.open);
}

async function load(detail, url) {
  try {
    await fill(detail, url);
  } catch {
    const cell = document.createElement("td");
    cell.colSpan = 7;
    cell.textContent = "It could not be loaded. Close it and open it again.";
    detail.replaceChildren(cell);
  }
}

root.addEventListener("click", (event) => {
  const button = event.target.closest("[data-open]");
  if (button) toggle(button);
});

/** Put new rows into the table of steps without closing what is open, or moving the focus. */
function mergeSteps(name, fresh, old) {
  const table = old.querySelector("#attempts tbody");
  const rows = fresh.querySelectorAll("#attempts tbody > tr.attempt");
  if (name !== "steps" || !table || !rows.length) return false;
  const wanted = new Set([...rows].map((row) => row.dataset.step));
  for (const row of table.querySelectorAll("tr.attempt")) {
    if (!wanted.has(row.dataset.step) && !detailOf(row.dataset.step)) row.remove();
  }
  let last = null;
  for (const row of rows) {
    const known = table.querySelector(`tr.attempt[data-step="${row.dataset.step}"]`);
    if (!known) {
      if (last) last.after(row);
      else table.prepend(row);
    } else if (known.textContent !== row.textContent) {
      // The first cell holds the button that may have the focus: it stays.
      [...row.cells].slice(1).forEach((cell, index) => known.cells[index + 1].replaceWith(cell));
      const detail = detailOf(row.dataset.step);
      if (detail && !detail.contains(document.activeElement)) {
        load(detail, known.querySelector("[data-open]").dataset.open);
      }
    }
    last = detailOf(row.dataset.step) ?? known ?? row;
  }
  const pager = fresh.querySelector(".pager");
  if (pager && !old.querySelector(".pager")) old.append(pager);
  return true;
}

const parts = new Parts(root, () => `${root.dataset.partsUrl}${window.location.search}`, { replace: mergeSteps });

// --- Live ---

let undrawn = [];

let waiting = null;
let framed = false;

/** Draw new events with the next frame, a backlog when all of it is here: laying lines out is most of the work. */
function draw(events) {
  undrawn.push(...events);
  if (live.newest - live.seq > FAR) {
    waiting ??= setTimeout(drawn, CATCH_MS);
  } else if (!framed) {
    framed = true;
    (document.hidden ? setTimeout : requestAnimationFrame)(drawn);
  }
}

function drawn() {
  clearTimeout(waiting);
  waiting = null;
  framed = false;
  const events = undrawn;
  undrawn = [];
  if (!events.length) return;
  append(events);
  speak(events);
  parts.refresh();
}

const live = new LiveRun({
  run: root.dataset.run,
  after: Number(root.dataset.after),
  onEvents: draw,
  onState: (state, detail) => showState(pill, state, detail),
  onRestart() {
    undrawn = [];
    list.replaceChildren();
  },
});
