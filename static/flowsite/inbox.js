// How much waits in the inbox, in the navigation of every page: over a socket, or by asking where none can be opened.

const SILENCE_MS = 35_000; // the server beats every 10 s
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const ASK_MS = 30_000;
const SIGNED_OUT = 4401;

const link = document.querySelector("[data-inbox]");
const listeners = new Set();
let socket = null;
let watchdog = 0;
let asking = 0;
let pause = FIRST_PAUSE_MS;
let over = false;
let said = null;

/** Call `listener()` whenever an inbox may have changed. */
export function onInbox(listener) {
  listeners.add(listener);
}

/** `counts`: `open`, and of that `approvals` and `reviews`, as badges write them. */
function show(counts) {
  const { open } = counts;
  for (const badge of document.querySelectorAll("[data-inbox-count]")) {
    const count = counts[badge.dataset.inboxCount] ?? "";
    badge.textContent = count;
    badge.hidden = !count;
  }
  const words = told(counts);
  const status = document.getElementById("inbox-status");
  // Said once for each change while the page is open, and never for what the page came with.
  if (status && said !== null && said !== open) status.textContent = open ? words : "Nothing waits for you any more.";
  said = open;
}

function told({ approvals, reviews }) {
  const parts = [
    [approvals, "approval"],
    [reviews, "review"],
  ].filter(([count]) => count);
  const named = parts.map(([count, what]) => `${count} ${what}${count === "1" ? "" : "s"}`).join(" and ");
  return `${named} ${parts.length === 1 && parts[0][0] === "1" ? "waits" : "wait"} for you.`;
}

function take(frame) {
  listen();
  if (frame.type !== "inbox") return;
  pause = FIRST_PAUSE_MS;
  clearInterval(asking);
  asking = 0;
  show(frame);
  for (const listener of listeners) listener();
}

/** A connection over which nothing comes is no connection. */
function listen() {
  clearTimeout(watchdog);
  watchdog = setTimeout(() => socket?.close(), SILENCE_MS);
}

function connect() {
  if (socket || over || document.hidden) return;
  const url = new URL("/ws/inbox/", window.location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const opened = new WebSocket(url);
  socket = opened;
  listen();
  opened.addEventListener("message", (message) => take(JSON.parse(message.data)));
  opened.addEventListener("close", (event) => {
    clearTimeout(watchdog);
    socket = null;
    over = event.code === SIGNED_OUT;
    if (over) return;
    // Spread out, so that a server that comes back is not stormed.
    setTimeout(connect, pause * (0.5 + Math.random()));
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    if (!asking) asking = setInterval(ask, ASK_MS);
  });
}

async function ask() {
  if (document.hidden || over) return;
  try {
    const response = await fetch(link.dataset.inbox, { headers: { Accept: "application/json" } });
    if (!response.ok || response.redirected) return;
    show(await response.json());
    for (const listener of listeners) listener();
  } catch {
    // The next round asks again.
  }
}

if (link) {
  said = link.querySelector("[data-inbox-count]")?.textContent ?? "";
  document.addEventListener("visibilitychange", connect);
  window.addEventListener("pagehide", () => socket?.close());
  connect();
}
