// Drafts, checks and versions of flows.
import type { Document } from "~/graph/document.gen";
import { request } from "./client";

export interface Draft {
  flow: string;
  revision: number;
  document: Document;
  updated_by: string | null;
  updated_at: string;
}

export interface Problem {
  code: string;
  severity: "error" | "warning";
  /** JSON pointer into the document. */
  path: string;
  message: string;
  node?: string;
  edge?: string;
  hint?: string;
}

export interface Findings {
  valid: boolean;
  problems: Problem[];
}

const at = (flow: string, rest: string) => `flows/${encodeURIComponent(flow)}/${rest}`;

export function readDraft(flow: string): Promise<Draft> {
  return request<Draft>(at(flow, "draft/"));
}

/** Save over `revision`. A newer draft refuses with the code `revision_conflict` and holds both in its details. */
export function saveDraft(flow: string, document: object, revision: number, keepalive = false): Promise<Draft> {
  return request<Draft>(at(flow, "draft/"), { method: "PUT", body: { document, revision }, keepalive });
}

export function checkDocument(flow: string, document: object, signal?: AbortSignal): Promise<Findings> {
  return request<Findings>(at(flow, "checks/"), { method: "POST", body: { document }, ...(signal ? { signal } : {}) });
}

export interface FlowSummary {
  id: string;
  name: string;
}

/** Flows that this person may see, by name; the first hundred. */
export async function listFlows(signal?: AbortSignal): Promise<FlowSummary[]> {
  const page = await request<{ items: FlowSummary[] }>("flows/?limit=100", signal ? { signal } : {});
  return page.items;
}
