// What pages lay over a drawn flow: how each step stands (run, live draft), and what differs (version compare).
// Kept outside the document and outside React, so that a busy run redraws only the cards that changed, once a frame.

import type { ShortValue, StepMark } from "~/store/observed";

export type { StepMark } from "~/store/observed";

/** The newest of what a run did at one node. */
export interface StepOverlay {
  status: StepMark;
  /** The status in words, where the usual ones do not say enough: "Retrying in 12 s". */
  words?: string;
  /** Step runs at this node: visits of a loop, items of a `for_each`. Left out: one. */
  count?: number;
  /** How many of them failed. */
  failed?: number;
  /** The newest attempt, from 1, and how many there may be. */
  attempt?: number;
  attempts?: number;
  /** What it gave. */
  value?: ShortValue;
  /** Why it is not what the node would give now: it was changed since, or what ran did not have it. */
  earlier?: string;
}

/** An edge that a run took. */
export interface EdgeOverlay {
  /** How often. */
  count: number;
  /** It leads into a step that is running now. */
  active?: boolean;
  /** What went along it. */
  value?: ShortValue;
}

export type DiffMark = "added" | "removed" | "changed";

/** Which nodes and edges differ; whatever is not named is drawn dimmed. Removed ones are part of the drawn document. */
export interface DiffMarks {
  nodes: ReadonlyMap<string, DiffMark>;
  edges: ReadonlyMap<string, DiffMark>;
}

export const MARK_WORDS: Record<StepMark, string> = {
  queued: "Queued",
  running: "Running",
  waiting: "Waiting",
  succeeded: "Succeeded",
  failed: "Failed",
  retrying: "Retrying",
  approval: "Waiting for approval",
  paused: "Paused",
  skipped: "Skipped",
  canceled: "Canceled",
  expired: "Expired",
  blocked: "Not reached",
};

/** The beginning of a value on one line, or why it is not told. */
export function valueWords({ kind, text, cut }: ShortValue): string {
  if (kind === "covered") return "covered, as it may be sensitive";
  return cut ? `${text}…` : text;
}

/** How it stands, and what it gave: "Succeeded: 16", "Succeeded, changed since: 16". */
export function seenWords(overlay: StepOverlay): string {
  const stands = [stateWords(overlay), overlay.earlier].filter(Boolean).join(", ");
  return overlay.value ? `${stands}: ${valueWords(overlay.value)}` : stands;
}

/** "Failed · attempt 3 of 3 · 12 runs, 2 failed" */
export function stateWords({ status, words, attempt, attempts, count, failed }: StepOverlay): string {
  const tried = attempt && attempt > 1 ? `attempt ${attempt}${attempts ? ` of ${attempts}` : ""}` : "";
  const runs = count && count > 1 ? `${count} runs${failed ? `, ${failed} failed` : ""}` : "";
  return [words ?? MARK_WORDS[status], tried, runs].filter(Boolean).join(" · ");
}

export interface OverlayChange {
  /** By node id; null takes the overlay of a node away. */
  nodes?: Iterable<readonly [string, StepOverlay | null]>;
  edges?: Iterable<readonly [string, EdgeOverlay | null]>;
}

/** A live overlay: written by whoever follows a run, read by each card and edge for itself. */
export interface Overlay {
  node(id: string): StepOverlay | undefined;
  edge(id: string): EdgeOverlay | undefined;
  /** Called after changes, at most once a frame. Gives the function that ends it. */
  subscribe(listener: () => void): () => void;
  /** Write what changed. An equal value is no change. */
  change(change: OverlayChange): void;
  /** Begin anew, for another run or another moment of it. */
  reset(change?: OverlayChange): void;
}

export function createOverlay(schedule: (flush: () => void) => void = nextFrame): Overlay {
  const nodes = new Map<string, StepOverlay>();
  const edges = new Map<string, EdgeOverlay>();
  const listeners = new Set<() => void>();
  let waiting = false;

  function told(): void {
    if (waiting) return;
    waiting = true;
    schedule(() => {
      waiting = false;
      for (const listener of listeners) listener();
    });
  }

  function change({ nodes: newNodes = [], edges: newEdges = [] }: OverlayChange): void {
    const changes = [...newNodes].map(([id, value]) => put(nodes, id, value));
    changes.push(...[...newEdges].map(([id, value]) => put(edges, id, value)));
    if (changes.includes(true)) told();
  }

  return {
    node: (id) => nodes.get(id),
    edge: (id) => edges.get(id),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change,
    reset(next = {}) {
      nodes.clear();
      edges.clear();
      change(next);
      told();
    },
  };
}

function put<Value extends object>(map: Map<string, Value>, id: string, value: Value | null): boolean {
  const before = map.get(id);
  if (value === null) return map.delete(id);
  if (before && JSON.stringify(before) === JSON.stringify(value)) return false;
  map.set(id, value);
  return true;
}

/** A hidden page has no frames; there a short wait stands in for one. */
function nextFrame(flush: () => void): void {
  if (document.visibilityState === "hidden") setTimeout(flush, 200);
  else requestAnimationFrame(flush);
}
