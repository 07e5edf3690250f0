// The site's other flows, for those that use one as a sub-flow.
import type { Document, Input } from "~/graph/document.gen";
import { request } from "./client";

export interface FlowInList {
  id: string;
  name: string;
  description: string;
  /** 0: nothing is published yet. */
  newest_version: number;
}

export async function listFlows(): Promise<FlowInList[]> {
  return (await request<{ items: FlowInList[] }>("flows/?limit=100")).items;
}

export async function readFlowInputs(flow: string, version: number): Promise<Input[]> {
  const found = await request<{ document: Document }>(`flows/${encodeURIComponent(flow)}/versions/${version}/`);
  return found.document.inputs ?? [];
}
