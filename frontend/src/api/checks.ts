// The server's checks of a document: the same list that keeps it from being published.
import type { FlowDocument } from "~/graph/document";
import { request } from "./client";

export interface Problem {
  code: string;
  severity: "error" | "warning";
  /** JSON pointer into the document that was checked. */
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

/** Every problem of a document as this flow's. Nothing is saved. */
export function checkDocument(flow: string, document: FlowDocument, signal: AbortSignal): Promise<Findings> {
  return request<Findings>(`flows/${flow}/check/`, { method: "POST", body: { document }, signal });
}
