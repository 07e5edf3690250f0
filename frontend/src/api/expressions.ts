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

export interface RunsAsked {
  limit?: number;
  status?: string;
  /** No tries of single steps. */
  whole?: boolean;
}

/** The newest runs of a flow. */
export async function readRuns(flow: string, { limit = 20, status, whole }: RunsAsked = {}): Promise<RunInList[]> {
  const more = `${status ? `&status=${status}` : ""}${whole ? "&tries=false" : ""}`;
  const which = `flow=${encodeURIComponent(flow)}&limit=${limit}${more}`;
  const page = await request<{ items: RunInList[] }>(`runs/?${which}`);
  return page.items;
}

/**
 * The newest runs of a flow, and the one whose values are shown unless another is chosen: the newest whole run that
 * succeeded, else the newest whole one, else the newest try.
 */
export async function readRunsToShow(flow: string, limit?: number): Promise<{ runs: RunInList[]; first?: RunInList }> {
  const [[succeeded], [whole], runs] = await Promise.all([
    readRuns(flow, { limit: 1, status: "succeeded", whole: true }),
    readRuns(flow, { limit: 1, whole: true }),
    readRuns(flow, limit === undefined ? {} : { limit }),
  ]);
  const first = succeeded ?? whole ?? runs[0];
  // It stays among those that can be chosen, however many tries came after it.
  return first ? { runs: runs.some(({ id }) => id === first.id) ? runs : [...runs, first], first } : { runs };
}
