// The list of open approvals: what is asked or decided meanwhile shows without a reload, and J and K go through it.

import { onInbox } from "./inbox.js";
import { Parts } from "./parts.js";

const list = document.getElementById("asks");
const parts = new Parts(list, () => window.location.href);
const links = () => [...list.querySelectorAll(".asks .title")];

onInbox(() => {
  // What somebody is about to open stays under the pointer and the focus.
  const focused = document.activeElement?.closest?.(".asks .title")?.getAttribute("href");
  parts.load().then(() => {
    if (focused) links().find((link) => link.getAttribute("href") === focused)?.focus();
  });
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, textarea, select")) return;
  const step = { j: 1, k: -1 }[event.key];
  if (!step) return;
  const all = links();
  const place = all.indexOf(document.activeElement);
  all[place < 0 ? (step > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, place + step))]?.focus();
});
