// What every page does: local times, forms sent once, values on demand. Live parts are run.js's.

const shortTime = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const longTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium", hour12: false });
const ago = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });
const STEPS = [[60, "second"], [3600, "minute"], [86400, "hour"], [7 * 86400, "day"]];
const SIZE = { second: 1, minute: 60, hour: 3600, day: 86400 };

/** A time as hh:mm:ss of this browser's zone. */
export function clock(date) {
  return shortTime.format(date);
}

function relative(date) {
  const seconds = Math.round((date - Date.now()) / 1000);
  for (const [limit, unit] of STEPS) {
    if (Math.abs(seconds) < limit) return ago.format(Math.round(seconds / SIZE[unit]), unit);
  }
  return longTime.format(date);
}

/** Write the times under `root` in this browser's zone; `data-relative` ones as a distance from now. */
export function dress(root) {
  for (const element of root.querySelectorAll("time[datetime]")) {
    const date = new Date(element.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    element.title = `${longTime.format(date)} (${element.dateTime})`;
    element.textContent = "relative" in element.dataset ? relative(date) : longTime.format(date);
  }
  for (const button of root.querySelectorAll("[data-open]")) button.hidden = false;
}

async function loadText(button) {
  button.textContent = "Loading…";
  try {
    const response = await fetch(button.dataset.loadText, { headers: { Accept: "text/plain" } });
    if (!response.ok || response.redirected) throw new Error(String(response.status));
    const foot = button.closest(".value-foot");
    let box = foot.previousElementSibling;
    if (!box || !box.matches("pre.value")) {
      box = document.createElement("pre");
      box.className = "value";
      foot.before(box);
    }
    box.textContent = await response.text();
    button.remove();
  } catch {
    button.textContent = "It could not be loaded. Try again";
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-load-text]");
  if (button) loadText(button);
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form[data-once]")) return;
  if (form.dataset.sent) {
    event.preventDefault();
    return;
  }
  form.dataset.sent = "yes";
  const button = event.submitter;
  // Later, so that the pressed button's name and value are still sent.
  setTimeout(() => {
    if (button) button.textContent = form.dataset.once;
  });
});

// A page that comes back from the browser's memory may be sent again.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) window.location.reload();
});

for (const zone of document.querySelectorAll("[data-zone]")) {
  zone.textContent = Intl.DateTimeFormat().resolvedOptions().timeZone || "your time zone";
}
dress(document);
setInterval(() => {
  for (const element of document.querySelectorAll("time[data-relative]")) {
    element.textContent = relative(new Date(element.dateTime));
  }
}, 30_000);

// The key / leads to the search, unless somebody is writing.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
  const box = document.querySelector("[data-search]");
  if (!box) return;
  event.preventDefault();
  box.focus();
  box.select();
});
