// What can be read at a place of a flow, and what an expression gives there.
import type { FlowDocument, Json, JsonObject } from "~/graph/document";
import { request } from "./client";

/** Where something is written. `field` is a pointer within the node. */
export interface Spot {
  node?: string;
  edge?: string;
  rule?: number;
  field?: string;
}

export interface VisibleName {
  /** The path to write: `topic`, `steps.fetch.output`. */
  name: string;
  kind: "input" | "state" | "item" | "output" | "step" | "reserved";
  /** In words: `text or null`; `any` where nothing is known. */
  type: string;
  /** It surely has a value there. */
  certain: boolean;
  /** JSON Schema of its value. */
  schema: JsonObject;
  sources: string[];
  description: string;
}

export interface Names {
  names: VisibleName[];
  /** What value expressions may call, as one writes it: `.trim()`, `round(x, n?)`. */
  functions: string[];
}

export type PreviewKind = "condition" | "expression" | "value" | "template";

export interface PreviewAsked {
  kind: PreviewKind;
  value: Json;
  node?: string;
  edge?: string;
  run?: string;
  sample?: JsonObject;
}

export interface PreviewRead {
  place: string;
  result: "value" | "missing" | "covered";
  shown: string;
}

export interface Preview {
  result: "value" | "missing" | "covered" | "error";
  type: string;
  shown: string;
  cut: boolean;
  holds: boolean | null;
  consequence: string;
  error: { code: string; message: string; forms: string; position: number | null; at: string[] } | null;
  /** Where the values come from, as a sentence. */
  told: string;
  reads: PreviewRead[];
}

const at = (flow: string, rest: string) => `flows/${encodeURIComponent(flow)}/${rest}`;

export function readNames(flow: string, document: FlowDocument, spot: Spot): Promise<Names> {
  return request<Names>(at(flow, "names/"), { method: "POST", body: { document, ...spot } });
}

export function readPreview(
  flow: string,
  document: FlowDocument,
  asked: PreviewAsked,
  signal: AbortSignal,
): Promise<Preview> {
  return request<Preview>(at(flow, "preview/"), { method: "POST", body: { document, ...asked }, signal });
}

export interface RunInList {
  id: string;
  version: { number: number | null };
  /** Of a try of single steps: their nodes. */
  trial?: readonly string[] | null;
  status: string;
  started_at: string;
}

/** The newest runs of a flow that are no tries of single steps. */
export async function readWholeRuns(flow: string, limit = 20): Promise<RunInList[]> {
  const which = `flow=${encodeURIComponent(flow)}&limit=${limit}&tries=false`;
  return (await request<{ items: RunInList[] }>(`runs/?${which}`)).items;
}

/** The newest runs of a flow; with a status, those that stand so. */
export async function readRuns(flow: string, limit = 20, status?: string): Promise<RunInList[]> {
  const which = `flow=${encodeURIComponent(flow)}&limit=${limit}${status ? `&status=${status}` : ""}`;
  const page = await request<{ items: RunInList[] }>(`runs/?${which}`);
  return page.items;
}
