// The client of a socket that only says that something has changed. It comes back by itself and asks for nothing.

const SILENCE_MS = 35_000; // the server beats every 10 s
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const SIGNED_OUT = 4401;

/**
 * Calls `onChange(frame)` for each frame of the given type, and `onState(state, detail)` with waiting (detail: the time
 * of the last sign of life, or null), live, offline, or over (detail: a sentence). A hidden page keeps its connection.
 */
export class Feed {
  constructor(path, type, { onChange, onState }) {
    Object.assign(this, { path, type, onChange, onState });
    this.pause = FIRST_PAUSE_MS;
    this.heardAt = null;
    this.over = "";
    window.addEventListener("online", () => this.again(0));
    window.addEventListener("offline", () => this.show());
    window.addEventListener("pagehide", () => this.socket?.close());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) this.again(0);
    });
    this.connect();
  }

  connect() {
    if (this.socket || this.over) return;
    const url = new URL(this.path, window.location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url);
    this.socket = socket;
    this.greeted = false;
    this.watch();
    socket.addEventListener("message", (message) => {
      this.heardAt = new Date();
      this.greeted = true;
      this.pause = FIRST_PAUSE_MS;
      this.watch();
      this.show();
      const frame = JSON.parse(message.data);
      if (frame.type === this.type) this.onChange(frame);
    });
    socket.addEventListener("close", (event) => {
      clearTimeout(this.watchdog);
      this.socket = null;
      if (event.code === SIGNED_OUT) this.over = "Signed out. Sign in again to go on.";
      this.show();
      // Spread out, so that a server that comes back is not stormed.
      this.again(this.pause * (0.5 + Math.random()));
      this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS);
    });
  }

  again(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.connect(), ms);
  }

  /** A connection over which nothing comes is no connection. */
  watch() {
    clearTimeout(this.watchdog);
    this.watchdog = setTimeout(() => this.socket?.close(), SILENCE_MS);
  }

  show() {
    if (this.over) this.onState("over", this.over);
    else if (!navigator.onLine) this.onState("offline", this.heardAt);
    else if (!this.socket || !this.greeted) this.onState("waiting", this.heardAt);
    else this.onState("live", this.heardAt);
  }
}
