// Outputs pinned to nodes of a draft, and tries of single steps: in the simulator, and for real.
import type { FlowDocument, Json, JsonObject } from "~/graph/document";
import { request } from "./client";
import type { Beginning } from "./observing";
import type { Run, RunEvent } from "./runs";

export interface PinSummary {
  node: string;
  node_name: string;
  source: "run" | "try" | "typed";
  /** The run that it was taken from, or an empty text. */
  run: string;
  /** The draft has no such node any more. */
  orphaned: boolean;
  updated_by: string | null;
  updated_at: string;
  value: Beginning;
}

export interface Pin extends PinSummary {
  covered: boolean;
  output: Json;
  writes: JsonObject | null;
}

export type PinGiven =
  | { output: Json; writes?: JsonObject; tried?: boolean }
  | { run: string; step?: string }
  | { from_node: string };

export interface TriedStep {
  node: string;
  type: string;
  path: string;
  visit: number;
  status: string;
  /** What stood in for it; empty: it did its own work. */
  source: "" | "pin" | "run" | "test" | "time";
  value: Beginning | null;
  /** The code of its error, or an empty text. */
  error: string;
}

export interface TryCall {
  node: string;
  type: string;
  path: string;
  /** What the step is called, in the flow that it stands in. */
  label: string;
  /** The sub-flow that the step stands in; empty: the draft's own. */
  flow: string;
  /** It will be made; else it may be, as the try goes on. */
  sure: boolean;
  tool: string;
  effect: string;
  asks: boolean;
  value: Beginning | null;
}

export interface Tried {
  status: string;
  /** Whose values stood in. */
  run: string | null;
  reached: boolean;
  /** Why it did not go on; empty: it did. */
  told: string;
  missing: { node: string; path: string; told: string }[];
  steps: TriedStep[];
  calls: TryCall[];
  events: RunEvent[];
}

/** What is tried, and with which values. */
export interface TryAsked {
  nodes: readonly string[];
  run?: string;
  inputs?: JsonObject;
}

const at = (flow: string, rest: string) => `flows/${encodeURIComponent(flow)}/${rest}`;

export async function readPins(flow: string): Promise<PinSummary[]> {
  return (await request<{ items: PinSummary[] }>(at(flow, "pins/"))).items;
}

export function readPin(flow: string, node: string): Promise<Pin> {
  return request<Pin>(at(flow, `pins/${node}/`));
}

export function pinOutput(flow: string, node: string, given: PinGiven): Promise<Pin> {
  return request<Pin>(at(flow, `pins/${node}/`), { method: "PUT", body: given });
}

export function unpinOutput(flow: string, node: string): Promise<null> {
  return request<null>(at(flow, `pins/${node}/`), { method: "DELETE" });
}

/** Try nodes of a document in the simulator; `forReal`: tell what a try for real would do. Nothing is called. */
export function simulateTry(flow: string, document: FlowDocument, asked: TryAsked, forReal = false): Promise<Tried> {
  return request<Tried>(at(flow, "tries/"), { method: "POST", body: { ...asked, document, for_real: forReal } });
}

/** Start a run of the saved draft in which only these nodes do their work; once, however often it is asked. */
export function startTry(flow: string, asked: TryAsked, revision: number, key: string): Promise<Run> {
  const headers = { "Idempotency-Key": key };
  return request<Run>(at(flow, "tries/start/"), { method: "POST", body: { ...asked, revision }, headers });
}
