// What a run's events tell beyond the marks of its nodes: attempts over time, and why a node did not run.
import type { RunEvent } from "~/api/runs";
import { type FlowDocument, findNode, labelOf } from "~/graph/document";
import type { StepMark } from "./overlay";
import { type markOfEvent, marksEnd } from "./runProjection";

/** One block of the timeline: an attempt, a back-off, or a wait. Times are milliseconds since the epoch. */
export interface Block {
  kind: "attempt" | "backoff" | "wait";
  mark: StepMark;
  from: number;
  /** Left out: it goes on. */
  to?: number;
  seq: number;
  attempt: number;
}

/** All blocks of one step run: a visit of a node at a path. */
export interface Row {
  key: string;
  node: string;
  path: string;
  visit: number;
  blocks: Block[];
}

/** The rows of the timeline, in the order in which they began. */
export function timelineOf(events: readonly RunEvent[], markOf: typeof markOfEvent): Row[] {
  const rows = new Map<string, Row>();
  for (const event of events) {
    const mark = markOf(event);
    if (!event.step || !mark || event.type === "step-scheduled") continue;
    const visit = event.visit ?? 1;
    const key = `${event.path ?? event.step} ${visit}`;
    const row = rows.get(key) ?? { key, node: event.step, path: event.path ?? event.step, visit, blocks: [] };
    rows.set(key, row);
    close(row, event, mark);
    const kind = KINDS[mark];
    if (kind) row.blocks.push({ kind, mark, from: event.ts, seq: event.seq, attempt: event.attempt ?? 1 });
    else if (!row.blocks.length)
      row.blocks.push({
        kind: "attempt",
        mark,
        from: event.ts,
        to: event.ts,
        seq: event.seq,
        attempt: event.attempt ?? 1,
      });
  }
  return [...rows.values()];
}

const KINDS: Partial<Record<StepMark, Block["kind"]>> = {
  running: "attempt",
  retrying: "backoff",
  waiting: "wait",
  approval: "wait",
};

/** The block that was going on ends; an attempt that ended carries how. */
function close(row: Row, event: RunEvent, mark: StepMark): void {
  const last = row.blocks.at(-1);
  if (!last || last.to !== undefined) return;
  last.to = event.ts;
  if (last.kind === "attempt") last.mark = mark === "retrying" ? "failed" : marksEnd(mark) ? mark : last.mark;
}

/** The whole span of some rows: [first, last], `now` for what goes on. Never empty. */
export function spanOf(rows: readonly Row[], now: number): [number, number] {
  const blocks = rows.flatMap((row) => row.blocks);
  if (!blocks.length) return [now, now + 1];
  const first = Math.min(...blocks.map((block) => block.from));
  const last = Math.max(...blocks.map((block) => block.to ?? now));
  return [first, Math.max(last, first + 1)];
}

/** Why nothing ran at a node so far, in sentences; empty for one that ran. */
export function whyNot(document: FlowDocument, events: readonly RunEvent[], node: string): string[] {
  if (events.some((event) => event.step === node && event.type !== "step-scheduled")) return [];
  const about = findNode(document, node);
  if (!about) return [];
  const name = (id: string) => labelOf(findNode(document, id) ?? { id });
  const ran = new Set(
    events.filter((event) => event.type === "step-start" || event.type === "step-skipped").map((one) => one.step),
  );
  const incoming = document.edges.filter((edge) => edge.target === node);
  if (!incoming.length) {
    const parent = about.parent;
    return parent && !ran.has(parent)
      ? [`“${name(parent)}”, which holds it, did not run.`]
      : ["The run has not come to it."];
  }
  return incoming.map((edge) => {
    if (!ran.has(edge.source)) return `“${name(edge.source)}”, from which it is reached, did not run.`;
    const tried = triedEdge(events, edge.source, edge.id);
    if (tried) return tried;
    const taken = events.filter((event) => event.type === "edge-taken" && event.step === edge.source);
    const went = [...new Set(taken.map((event) => name(String(event.data.target))))];
    if (went.length) return `“${name(edge.source)}” went on to ${went.map((one) => `“${one}”`).join(", ")} instead.`;
    return `“${name(edge.source)}” has not gone on yet.`;
  });
}

function triedEdge(events: readonly RunEvent[], source: string, edge: string): string | null {
  const ended = events.findLast((event) => event.type === "path-ended" && event.step === source);
  const tried = (ended?.data.tried ?? []) as { edge: string; when: string; values: unknown; trouble?: string }[];
  const found = tried.find((one) => one.edge === edge);
  if (!found) return null;
  const values = JSON.stringify(found.values);
  const because = found.trouble
    ? `could not be evaluated (${found.trouble}), so it counts as not matched`
    : "did not hold";
  return `The condition ${found.when} ${because}; it saw ${values}.`;
}
