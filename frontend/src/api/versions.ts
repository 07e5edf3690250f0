// Published versions: listing, reading, comparing, publishing the draft.
import type { Document } from "~/graph/document.gen";
import { request } from "./client";

export interface VersionSummary {
  number: number;
  note: string;
  content_hash: string;
  logic_hash: string;
  structure_hash: string;
  created_by: string | null;
  created_at: string;
}

export interface Version extends VersionSummary {
  flow: string;
  document: Document;
}

/** One value that differs; `path` is a JSON pointer within its part. */
export interface Change {
  path: string;
  kind: "added" | "removed" | "changed";
  before?: unknown;
  after?: unknown;
}

export interface PartChange {
  id: string;
  kind: "added" | "removed" | "changed";
  path: string;
  part?: unknown;
  changes?: Change[];
}

export interface PartChanges {
  added: PartChange[];
  removed: PartChange[];
  changed: PartChange[];
  order_changed: boolean;
}

export interface VersionDifference {
  same: boolean;
  nodes: PartChanges;
  edges: PartChanges;
  inputs: PartChanges;
  presets: PartChanges;
  artifacts: PartChanges;
  /** What differs outside of those lists. */
  top: Change[];
  /** Nodes whose box moved on the canvas: no difference of what the flow does. */
  layout: PartChange[];
}

/** How many runs of a version have not ended; `version` is null for trials. */
export interface OpenRuns {
  version: number | null;
  open: number;
}

const at = (flow: string, rest: string) => `flows/${encodeURIComponent(flow)}/${rest}`;

export async function readVersions(flow: string): Promise<VersionSummary[]> {
  return (await request<{ items: VersionSummary[] }>(at(flow, "versions/?limit=100"))).items;
}

export function readVersion(flow: string, number: number): Promise<Version> {
  return request<Version>(at(flow, `versions/${number}/`));
}

export function compareVersions(
  flow: string,
  before: number | "draft",
  after: number | "draft",
): Promise<VersionDifference> {
  return request<VersionDifference>(at(flow, `difference/?before=${before}&after=${after}`));
}

/** What was looked at: if the draft is another by now, or somebody published since, nothing is published. */
export interface Looked {
  revision: number;
  /** Number of the newest version; 0 for none. */
  newest: number;
}

/** Make a version out of the draft. */
export function publishDraft(flow: string, note: string, looked: Looked): Promise<Version> {
  return request<Version>(at(flow, "versions/"), { method: "POST", body: { note, ...looked } });
}

export async function readOpenRuns(flow: string): Promise<OpenRuns[]> {
  return (await request<{ items: OpenRuns[] }>(at(flow, "open-runs/"))).items;
}
