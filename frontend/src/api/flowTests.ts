// Flow tests kept with a flow, tests made of runs, and past runs replayed against a draft. All of it is simulated.
import type { FlowDocument, Json, JsonObject } from "~/graph/document";
import { request } from "./client";
import type { RunEvent } from "./runs";

/** A flow-test file without its `flow`. */
export interface TestContent extends JsonObject {
  name: string;
}

export interface TestSummary {
  id: number;
  name: string;
  revision: number;
  /** The run that it was recorded from, or an empty text. */
  made_of: string;
  updated_by: string | null;
  updated_at: string;
}

export interface KeptTest extends TestSummary {
  content: TestContent;
}

export interface TestDifference {
  /** Where in `expect`: "status", "events", "calls.pay". */
  place: string;
  text: string;
  node: string | null;
  expected?: Json;
  found?: Json;
}

/** A value that a test can expect; `key` is its place in `expect`. */
export interface Offer {
  key: string[];
  label: string;
  value: Json;
}

export interface TestResult {
  test: number | null;
  name: string;
  passed: boolean;
  status: string;
  /** Why it could not be run. */
  fault: string;
  differences: TestDifference[];
  offers: Offer[];
  /** What happened in it, where that was asked for. */
  events: RunEvent[];
}

export interface CrashPortion {
  boundaries: number;
  survived: number;
  spared: number;
  broken: { moment: string; differences: string[] }[];
  fault: string;
  next: number | null;
}

export interface Recording {
  run: string;
  content: TestContent;
  offers: Offer[];
  notes: string[];
}

export type Verdict = "same" | "refused" | "unknown" | "route" | "ending" | "cost" | "incomparable";

export type Aspect = "missing" | "input" | "status" | "output" | "writes" | "route";

export interface Replayed {
  run: string;
  started_at: string;
  status: string;
  verdict: Verdict;
  ending: string;
  parting: { node: string; path: string; visit: number; before: string; after: string } | null;
  /** The steps that differ, and in what; a status is empty where a run did not come there. */
  steps: { node: string; path: string; visit: number; before: string; after: string; differs: Aspect[] }[];
  unmatched: { path: string; visit: number; queue: string }[];
  ends_otherwise: string[];
  /** Micro-dollars. */
  cost_before: number;
  cost_after: number | null;
  refused: string | null;
  troubles: string[];
  events: RunEvent[];
}

export interface RunsToReplay {
  version: number | null;
  items: { id: string; status: string; started_at: string }[];
}

const at = (flow: string, rest: string) => `flows/${encodeURIComponent(flow)}/${rest}`;

export async function readTests(flow: string): Promise<TestSummary[]> {
  return (await request<{ items: TestSummary[] }>(at(flow, "tests/"))).items;
}

export function readTest(flow: string, id: number): Promise<KeptTest> {
  return request<KeptTest>(at(flow, `tests/${id}/`));
}

export function makeTest(flow: string, content: TestContent, madeOf: string): Promise<KeptTest> {
  return request<KeptTest>(at(flow, "tests/"), {
    method: "POST",
    body: { content, ...(madeOf ? { made_of: madeOf } : {}) },
  });
}

export function saveTest(flow: string, id: number, content: TestContent, revision: number): Promise<KeptTest> {
  return request<KeptTest>(at(flow, `tests/${id}/`), { method: "PUT", body: { content, revision } });
}

export function deleteTest(flow: string, id: number): Promise<null> {
  return request<null>(at(flow, `tests/${id}/`), { method: "DELETE" });
}

/** Run kept tests against a document: as many as fit into a portion of time; `left` are those to ask for again. */
export function runTests(
  flow: string,
  document: FlowDocument,
  tests: readonly number[],
): Promise<{ items: TestResult[]; left: number[] }> {
  return request(at(flow, "tests/run/"), { method: "POST", body: { document, tests } });
}

/** Run a kept test, and tell what happened in it. */
export async function simulateTest(flow: string, document: FlowDocument, test: number): Promise<readonly RunEvent[]> {
  const body = { document, tests: [test], events: true };
  const answer = await request<{ items: TestResult[] }>(at(flow, "tests/run/"), { method: "POST", body });
  return answer.items[0]?.events ?? [];
}

/** Replay a past run against a document, and tell what would have happened. */
export async function simulateRun(flow: string, document: FlowDocument, run: string): Promise<readonly RunEvent[]> {
  const body = { document, runs: [run], events: true };
  const answer = await request<{ items: Replayed[] }>(at(flow, "replays/"), { method: "POST", body });
  return answer.items[0]?.events ?? [];
}

/** Run a test that is not kept, and tell what could be expected of it. */
export async function tryTest(flow: string, document: FlowDocument, content: TestContent): Promise<TestResult> {
  const body = { document, content, offers: true };
  const answer = await request<{ items: TestResult[] }>(at(flow, "tests/run/"), { method: "POST", body });
  const [result] = answer.items;
  if (!result) throw new Error("The server gave no result.");
  return result;
}

/** Kill a test's run at its boundaries from number `start` on, as many as fit into a portion of time. */
export function crashTest(flow: string, document: FlowDocument, test: number, start: number): Promise<CrashPortion> {
  return request<CrashPortion>(at(flow, "tests/crash/"), { method: "POST", body: { document, test, start } });
}

/** Make a test of a run. Nothing is kept yet. */
export function recordRun(run: string): Promise<Recording> {
  return request<Recording>(`runs/${run}/recording/`, { method: "POST", body: {} });
}

export function readRunsToReplay(flow: string, limit: number): Promise<RunsToReplay> {
  return request<RunsToReplay>(at(flow, `replays/?limit=${limit}`));
}

export function replayRuns(
  flow: string,
  document: FlowDocument,
  runs: readonly string[],
): Promise<{ items: Replayed[]; left: string[] }> {
  return request(at(flow, "replays/"), { method: "POST", body: { document, runs } });
}

export const testFile = (flow: string, id: number) => `/api/${at(flow, `tests/${id}/file/`)}`;
