// The step runs of a run: each attempt at each visit of a node, with its values on demand.
import type { Json } from "~/graph/document";
import { request } from "./client";

export interface StepSummary {
  id: string;
  node: string;
  path: string;
  visit: number;
  attempt: number;
  status: string;
  worker: string;
  lost: number;
  started_at: string | null;
  ended_at: string | null;
  input_size: number;
  output_size: number;
}

export interface StepRun extends StepSummary {
  error: { code: string; message: string } | null;
  sensitive: boolean;
  may_retry: boolean;
  approval: string | null;
  log: { lines: { at_ms: number; message: string }[]; dropped: number; covered: boolean };
  values?: { input: Json; output: Json; delta: Json };
}

/** The attempts at a node, by path, visit and attempt: the first `limit`. */
export async function readStepsOf(run: string, node: string, limit = 200): Promise<StepSummary[]> {
  const found = await request<{ items: StepSummary[] }>(
    `runs/${run}/steps/?node=${encodeURIComponent(node)}&limit=${limit}`,
  );
  return found.items;
}

/** One attempt; with what it was given and gave, unless it touches what is sensitive. */
export function readStep(run: string, step: string, values: boolean): Promise<StepRun> {
  return request<StepRun>(`runs/${run}/steps/${step}/${values ? "?values=true" : ""}`);
}
