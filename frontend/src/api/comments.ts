// Comments on the nodes of a draft, and who else has it open: read and sent here, drawn elsewhere.
import { request } from "./client";

export interface Comment {
  id: number;
  node: string;
  node_name: string;
  text: string;
  author: string | null;
  created_at: string;
  resolved_by: string | null;
  resolved_at: string | null;
}

export interface Person {
  key: string;
  name: string;
  /** The node that they have chosen. */
  node: string | null;
}

const at = (flow: string, rest = "") => `flows/${encodeURIComponent(flow)}/comments/${rest}`;

/** All comments, the oldest first. */
export async function readComments(flow: string): Promise<Comment[]> {
  const found: Comment[] = [];
  let after: string | null = "";
  while (after !== null) {
    const query: string = after ? `&after=${encodeURIComponent(after)}` : "";
    const page: { items: Comment[]; next: string | null } = await request(at(flow, `?limit=200${query}`));
    found.push(...page.items);
    after = page.next;
  }
  return found;
}

export function addComment(flow: string, node: string, text: string): Promise<Comment> {
  return request<Comment>(at(flow), { method: "POST", body: { node, text } });
}

export function resolveComment(flow: string, id: number, resolved: boolean): Promise<Comment> {
  return request<Comment>(at(flow, `${id}/`), { method: "PATCH", body: { resolved } });
}

interface Frame {
  type: string;
  people?: Person[];
  revision?: number;
  by?: string | null;
}

interface Listener {
  onPeople(people: Person[]): void;
  /** Comments or the review have changed; also after a time without connection. */
  onChanged(): void;
  /** The revision of the draft on the server, and who saved it: at first, and whenever it is another. */
  onSaved(revision: number, by: string | null): void;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
const NEVER_AGAIN = new Set([4400, 4401, 4404]);

export interface Following {
  /** Tell the others which node is chosen here. */
  at(node: string | null): void;
  stop(): void;
}

/** Hear who else is at a draft until it is stopped. Editing does not need it: without it nobody is shown. */
export function followDraft(flow: string, { onPeople, onChanged, onSaved }: Listener): Following {
  let socket: WebSocket | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pause = FIRST_PAUSE_MS;
  let node: string | null = null;
  let over = false;
  let met = false;

  function connect() {
    const url = new URL(`/ws/drafts/${encodeURIComponent(flow)}/`, window.location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const made = new WebSocket(url);
    socket = made;
    made.addEventListener("message", ({ data }: MessageEvent<string>) => {
      const frame = JSON.parse(data) as Frame;
      pause = FIRST_PAUSE_MS;
      if (frame.type === "changed") onChanged();
      if (frame.type === "saved") onSaved(frame.revision ?? 0, frame.by ?? null);
      if (frame.type !== "people") return;
      if (!met) greeted();
      onPeople(frame.people ?? []);
    });
    made.addEventListener("close", ({ code }) => {
      socket = null;
      met = false;
      onPeople([]);
      if (over || NEVER_AGAIN.has(code)) return;
      timer = setTimeout(connect, pause * (0.75 + Math.random() / 2));
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    });
  }

  /** Connected, again perhaps: what was missed is read, and the others are told where this page is. */
  function greeted() {
    met = true;
    if (node !== null) tell();
    onChanged();
  }

  function tell() {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: "at", node }));
  }

  connect();
  return {
    at(next) {
      if (next === node) return;
      node = next;
      if (met) tell();
    },
    stop() {
      over = true;
      clearTimeout(timer);
      socket?.close();
    },
  };
}
