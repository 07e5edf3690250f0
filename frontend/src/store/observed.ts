// What was observed on the edited document: how each node stood and what it gave in a past run or in a try.
// One of these is shown at a time. It belongs to one document: what has changed since is marked, never kept in silence.
import { create } from "zustand";
import type { FlowDocument } from "~/graph/document";
import { sameLogic, sameNode } from "~/graph/logic";
import { wiringOf } from "~/graph/wiring";
import { useEditor } from "./editor";

/** How a step stands, one for each look of the site's marks. */
export type StepMark =
  | "queued"
  | "running"
  | "waiting"
  | "succeeded"
  | "failed"
  | "retrying"
  | "approval"
  | "paused"
  | "skipped"
  | "canceled"
  | "expired"
  | "blocked";

/** The beginning of a value's JSON text. `covered`: it may hold something sensitive, so it is not told. */
export interface ShortValue {
  kind: "told" | "covered";
  text: string;
  /** There is more of it. */
  cut: boolean;
  /** Bytes of the whole. */
  size: number;
}

/** What was seen at one node, of the visit and the iteration that are looked at. */
export interface NodeObserved {
  mark: StepMark;
  /** What it gave; left out where it gave nothing. */
  value?: ShortValue;
  /** Why it failed, in words. */
  error?: string;
  /** Id of the step run, where there is one on the server: the whole value is read by it. */
  step?: string;
  path?: string;
  visit?: number;
  /** How many visits there were. Left out: one. */
  visits?: number;
}

/** What was seen at one edge. */
export interface EdgeObserved {
  /** How often it was taken. */
  count: number;
  /** What its source gave when it was taken, in the visit that is looked at. */
  value?: ShortValue;
}

/** A container that ran once for each of some items, and which of them is looked at. */
export interface LoopObserved {
  node: string;
  items: number;
  item: number;
  /** Items in which a step failed, the first few. */
  failed: readonly number[];
}

export type ObservedSource = { kind: "run"; run: string; version: number | null } | { kind: "try"; name: string };

export interface Observed {
  source: ObservedSource;
  /** The edited document that it was laid over. */
  document: FlowDocument;
  /** What differed already then between `document` and what ran. Left out: it was `document` itself that ran. */
  before?: Earlier;
  nodes: ReadonlyMap<string, NodeObserved>;
  edges: ReadonlyMap<string, EdgeObserved>;
  loops?: readonly LoopObserved[];
  /** Some of it was too much to be told. */
  partial?: boolean;
}

/** How what ran differed from the document over which it is shown. */
export interface Earlier {
  differs: boolean;
  /** Nodes that did something else, or may have. */
  changed: ReadonlySet<string>;
  /** Nodes that were not there. */
  absent: ReadonlySet<string>;
}

interface ObservedState {
  observed: Observed | null;
  show(observed: Observed): void;
  clear(): void;
}

export const useObserved = create<ObservedState>()((set) => ({
  observed: null,
  show(observed) {
    set({ observed });
  },
  clear() {
    set({ observed: null });
  },
}));

/** How a node of a document relates to what was observed: the same, changed since, or not there then. */
export type Standing = "same" | "changed" | "absent";

export function standingOf({ document: then, before }: Observed, now: FlowDocument, id: string): Standing {
  const node = wiringOf(then).nodes.get(id);
  if (!node || before?.absent.has(id)) return "absent";
  return before?.changed.has(id) || !sameNode(node, wiringOf(now).nodes.get(id)) ? "changed" : "same";
}

/** Whether results found on `then` are results of an earlier draft: a run could tell it from the one edited now. */
export function useIsStale(then: FlowDocument | null): boolean {
  return useEditor((state) => then !== null && !sameLogic(then, state.document));
}

/** The same for what is shown on the canvas. */
export function useObservedIsStale(): boolean {
  const observed = useObserved((state) => state.observed);
  const changed = useIsStale(observed?.document ?? null);
  return changed || observed?.before?.differs === true;
}
