// Starting runs, reading one, following its events.
import type { Json } from "~/graph/document";
import { request } from "./client";

export type RunStatus = "active" | "awaiting_approval" | "paused" | "succeeded" | "failed" | "canceled";

export interface Run {
  id: string;
  flow: string | null;
  version: { number: number | null; content_hash: string };
  preset: string | null;
  status: RunStatus;
  started_at: string;
  ended_at: string | null;
  seq: number;
  error: { code: string; message: string; step?: string; path?: string } | null;
}

/** A fact of a run, as it is stored and sent. */
export interface RunEvent {
  seq: number;
  type: string;
  level: "public" | "detail";
  /** Milliseconds since the epoch. */
  ts: number;
  step?: string;
  path?: string;
  visit?: number;
  attempt?: number;
  data: { [key: string]: Json | undefined };
}

export interface RunStart {
  flow: string;
  version: number | "draft";
  preset?: string;
  inputs: { [name: string]: Json };
}

/** Start a run once, however often it is asked with the same key. */
export function startRun(start: RunStart, key: string): Promise<Run> {
  return request<Run>("runs/", { method: "POST", body: start, headers: { "Idempotency-Key": key } });
}

export function readRun(id: string): Promise<Run> {
  return request<Run>(`runs/${id}/`);
}

/** The document of the version that a run is bound to, trials too. */
export async function readRunDocument(id: string): Promise<object> {
  return (await request<{ document: object }>(`runs/${id}/document/`)).document;
}
