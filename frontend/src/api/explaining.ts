// Why checks are made, and a flow in plain words.
import { request } from "./client";

export interface Explanation {
  code: string;
  reason: string;
  /** A flow with just this problem, and the same one mended: its nodes, edges and whatever else tells something. */
  wrong: Record<string, unknown>;
  right: Record<string, unknown>;
}

export interface Description {
  summary: string[];
  steps: { node: string; name: string; level: number; text: string }[];
}

let known: Promise<ReadonlyMap<string, Explanation>> | null = null;

/** All explanations by their codes, asked for once. */
export function readExplanations(): Promise<ReadonlyMap<string, Explanation>> {
  known ??= request<{ items: Explanation[] }>("explanations/").then(
    ({ items }) => new Map(items.map((one) => [one.code, one])),
  );
  known.catch(() => {
    known = null;
  });
  return known;
}

export function describeFlow(flow: string, document: object, signal?: AbortSignal): Promise<Description> {
  const path = `flows/${encodeURIComponent(flow)}/description/`;
  return request<Description>(path, { method: "POST", body: { document }, ...(signal ? { signal } : {}) });
}
