// Making a sub-flow out of nodes: the server cuts, checks and makes the new flow; the draft here is not saved by it.
import type { Document } from "~/graph/document.gen";
import { ApiError, request } from "./client";

export interface Extraction {
  flow: { id: string; name: string };
  /** null: it has to be published before it can be run. */
  version: number | null;
  document: Document;
  /** Id of the node that stands in place of those that were cut out. */
  node: string;
}

/** Why the nodes cannot be cut out; `node` is the one it is about, if it is one. */
export interface Reason {
  message: string;
  node?: string;
}

interface Wanted {
  document: unknown;
  nodes: readonly string[];
  id: string;
  name: string;
}

export function extractNodes(flow: string, wanted: Wanted): Promise<Extraction> {
  return request<Extraction>(`flows/${encodeURIComponent(flow)}/extractions/`, { method: "POST", body: wanted });
}

/** Why these nodes cannot be cut out; null where it failed for something else: a taken id, no connection. */
export function reasonsOf(error: unknown): Reason[] | null {
  const details = error instanceof ApiError ? (error.details as { reasons?: Reason[] } | null) : null;
  return details?.reasons ?? null;
}
