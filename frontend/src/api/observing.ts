// What a run did at each node, in short: one attempt of each, and the edges that it took.
import type { FlowDocument } from "~/graph/document";
import { request } from "./client";

export interface Beginning {
  shown: string;
  cut: boolean;
  size: number;
  covered: boolean;
}

export interface NodeSeen {
  node: string;
  step: string;
  path: string;
  visit: number;
  visits: number;
  attempt: number;
  status: string;
  waits_for: string;
  error: string;
  output: Beginning | null;
}

export interface EdgeSeen {
  edge: string;
  count: number;
  now: boolean;
}

export interface LoopSeen {
  node: string;
  items: number;
  item: number;
  failed: number[];
}

export interface RunSeen {
  nodes: NodeSeen[];
  edges: EdgeSeen[];
  loops: LoopSeen[];
  whole: boolean;
  earlier: { differs: boolean; changed: string[]; absent: string[] } | null;
}

/** Which passages to look at, and what to compare with what ran. */
export interface Looking {
  document?: FlowDocument;
  items?: { [loop: string]: number };
  visit?: number;
}

export function observeRun(run: string, looking: Looking): Promise<RunSeen> {
  return request<RunSeen>(`runs/${run}/observed/`, { method: "POST", body: looking });
}
