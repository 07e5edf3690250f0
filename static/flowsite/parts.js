// Keeps parts of a page as the server draws them: asks for the page again and replaces what has changed.

import { clock, dress } from "./page.js";

/** What a part says, without the tokens that differ in every answer. */
function signature(element) {
  const copy = element.cloneNode(true);
  const tokens = "input[name=csrfmiddlewaretoken], input[name=idempotency_key]";
  for (const token of copy.querySelectorAll(tokens)) token.removeAttribute("value");
  return copy.outerHTML;
}

/**
 * The parts of one container, refreshed at most once a second, and less often where an answer takes long: what is live
 * must not wait for what is drawn again. `replace(name, fresh, old)` may do a change itself.
 */
export class Parts {
  constructor(container, url, { replace } = {}) {
    Object.assign(this, { container, url, replace });
    this.known = new Map();
    this.lastAt = 0;
    this.took = 0;
    for (const part of this.elements()) this.known.set(part.dataset.part, signature(part));
  }

  elements(root = this.container) {
    return [...root.querySelectorAll("[data-part]")];
  }

  /** Ask for the parts soon; calls that come close together are one. */
  refresh() {
    if (this.timer) return;
    const wait = Math.max(120, this.lastAt + Math.max(1000, 3 * this.took) - Date.now());
    this.timer = setTimeout(async () => {
      this.timer = null;
      const began = performance.now();
      this.lastAt = Date.now();
      await this.load();
      this.took = performance.now() - began;
    }, wait);
  }

  async load() {
    try {
      const response = await fetch(this.url(), { headers: { "X-Requested-With": "fetch" } });
      if (!response.ok || response.redirected) return;
      const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
      this.apply(this.elements(fresh));
    } catch {
      // The socket's state says that the server is away; the next event asks again.
    }
  }

  apply(fresh) {
    const names = new Set(fresh.map((part) => part.dataset.part));
    for (const old of this.elements()) {
      if (!names.has(old.dataset.part)) {
        this.known.delete(old.dataset.part);
        old.remove();
      }
    }
    let before = null;
    for (const part of fresh) {
      const name = part.dataset.part;
      const now = signature(part);
      let old = this.container.querySelector(`[data-part="${name}"]`);
      if (this.known.get(name) !== now) {
        this.known.set(name, now);
        const drawn = document.importNode(part, true);
        dress(drawn);
        if (!old) {
          if (before) before.after(drawn);
          else this.container.prepend(drawn);
        } else if (!this.replace?.(name, drawn, old)) {
          old.replaceWith(drawn);
        }
        old = this.container.querySelector(`[data-part="${name}"]`);
      }
      before = old;
    }
  }
}

/** Show the state of a connection in words. */
export function showState(pill, state, detail) {
  const words = {
    live: () => "Live",
    catching: () => `Catching up ${detail} event${detail === 1 ? "" : "s"}`,
    waiting: () => (detail ? `Reconnecting, data as of ${clock(detail)}` : "Connecting"),
    offline: () => (detail ? `Offline, data as of ${clock(detail)}` : "Offline"),
    over: () => detail,
  };
  const text = words[state]();
  pill.dataset.state = state;
  if (pill.textContent !== text) pill.textContent = text;
}
