// The client of a run's socket: each event once, in order, over dropped connections. It draws nothing.

const SILENCE_MS = 25_000; // the server beats every 10 s
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
const AHEAD = 4409;
const FINAL = { 4400: "This page asks for something unknown. Reload it.", 4401: "Signed out. Sign in again to go on.", 4404: "This run cannot be seen any more." };

/**
 * Follows one run. `onEvents(events)` gets what is new; `onState(state, detail)` one of
 * catching (detail: how many events are missing), live, waiting (detail: the time of the last sign of life),
 * offline, over (detail: a sentence); `onRestart()` is called when everything must be read anew.
 */
export class LiveRun {
  constructor({ run, after, onEvents, onState, onRestart }) {
    Object.assign(this, { run, seq: after, onEvents, onState, onRestart });
    this.newest = after;
    this.pause = FIRST_PAUSE_MS;
    this.heardAt = null;
    this.over = false;
    window.addEventListener("online", () => this.again(0));
    window.addEventListener("offline", () => this.show());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && !this.socket) this.again(0);
    });
    this.connect();
  }

  connect() {
    if (this.over || this.socket) return;
    const url = new URL(`/ws/runs/${encodeURIComponent(this.run)}/?after=${this.seq}`, window.location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url);
    this.socket = socket;
    this.greeted = false;
    this.watch();
    socket.addEventListener("message", (message) => {
      if (socket === this.socket) this.take(JSON.parse(message.data));
    });
    socket.addEventListener("close", (event) => {
      if (socket === this.socket) this.closed(event.code);
    });
  }

  take(frame) {
    this.heardAt = new Date();
    this.watch();
    if (frame.type === "hello") {
      this.greeted = true;
      this.pause = FIRST_PAUSE_MS;
      this.newest = Math.max(frame.seq, this.seq);
    } else if (frame.type === "events") {
      if (!this.takeEvents(frame.events)) return;
    } else if (frame.type === "beat" && frame.seq > this.seq) {
      // It says that nothing is on its way, yet something is missing.
      this.drop();
      return;
    }
    this.show();
  }

  /** Hand on what is new; false if a number was missing and the connection was dropped for it. */
  takeEvents(events) {
    const fresh = [];
    let whole = true;
    for (const event of events) {
      if (event.seq <= this.seq) continue;
      if (event.seq !== this.seq + 1) {
        whole = false;
        break;
      }
      this.seq = event.seq;
      fresh.push(event);
    }
    this.newest = Math.max(this.newest, this.seq);
    if (fresh.length) this.onEvents(fresh);
    if (!whole) this.drop();
    return whole;
  }

  /** Close a connection that cannot be trusted, and ask again from the last number. */
  drop() {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    this.closed(0);
  }

  closed(code) {
    this.socket = null;
    clearTimeout(this.watchdog);
    if (code in FINAL) {
      this.over = FINAL[code];
    } else if (code === AHEAD) {
      this.seq = this.newest = 0;
      this.onRestart();
      this.again(0);
    } else {
      this.again(this.pause * (0.75 + Math.random() / 2));
      this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS);
    }
    this.show();
  }

  /** Follow the run no longer. */
  stop() {
    this.over = "Not followed any more.";
    clearTimeout(this.timer);
    clearTimeout(this.watchdog);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  again(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.connect(), ms);
  }

  /** A connection over which nothing comes is no connection. */
  watch() {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => this.drop(), SILENCE_MS);
  }

  show() {
    if (this.over) this.onState("over", this.over);
    else if (!navigator.onLine) this.onState("offline", this.heardAt);
    else if (!this.socket || !this.greeted) this.onState("waiting", this.heardAt);
    else if (this.seq < this.newest) this.onState("catching", this.newest - this.seq);
    else this.onState("live", this.heardAt);
  }
}
