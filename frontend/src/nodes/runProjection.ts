// How each node of a flow stands in a run, out of the run's events: what cards and edges show while it goes on.
import type { RunEvent, RunStatus } from "~/api/runs";
import type { EdgeOverlay, OverlayChange, StepMark, StepOverlay } from "./overlay";

/** One step run: a visit of a node at a path. */
interface StepRun {
  mark: StepMark;
  attempt: number;
  attempts?: number;
}

/** What is going on comes before what has ended; of that, the newest says most. */
const LIVE: readonly StepMark[] = ["running", "approval", "retrying", "waiting", "queued"];

const MARKS: Record<string, StepMark> = {
  "step-scheduled": "queued",
  "step-start": "running",
  "attempt-start": "running",
  "attempt-lost": "queued",
  "step-waiting": "waiting",
  "approval-requested": "approval",
  "approval-decided": "queued",
  "approval-expired": "expired",
  "step-complete": "succeeded",
  "step-skipped": "skipped",
  "step-retry": "retrying",
  "step-retry-created": "queued",
  "step-error": "failed",
  "step-canceled": "canceled",
};

const RUN_STATUS: Record<string, RunStatus> = {
  "flow-start": "active",
  "run-resumed": "active",
  "step-retry-created": "active",
  "flow-complete": "succeeded",
  "flow-error": "failed",
  "flow-canceled": "canceled",
};

export class RunProjection {
  status: RunStatus = "active";
  /** The last failure of a step, in the engine's words. */
  failure: { step: string; message: string } | null = null;
  seq = 0;
  private readonly steps = new Map<string, Map<string, StepRun>>();
  private readonly newest = new Map<string, string>();
  private readonly edges = new Map<string, EdgeOverlay>();

  /** Take in events, in order; gives what changed for the overlay. */
  take(events: readonly RunEvent[]): OverlayChange {
    const nodes = new Set<string>();
    const edges = new Set<string>();
    for (const event of events) {
      this.seq = event.seq;
      this.takeStatus(event);
      if (event.type === "edge-taken") edges.add(this.takeEdge(event));
      else if (event.step && this.takeStep(event.step, event)) nodes.add(event.step);
    }
    return {
      nodes: [...nodes].map((id) => [id, this.overlayOf(id)] as const),
      edges: [...edges].map((id) => [id, this.edges.get(id) ?? null] as const),
    };
  }

  /** The step that a reader looks for first: of those that run, wait or have failed, the one that changed last. */
  lookedFor(): string | null {
    const found = [...this.newest.keys()].reverse().find((node) => {
      const { status } = this.overlayOf(node);
      return status === "failed" || LIVE.includes(status);
    });
    return found ?? null;
  }

  private takeStatus({ type, data }: RunEvent): void {
    if (type === "run-paused") this.status = data.reason === "approval" ? "awaiting_approval" : "paused";
    else this.status = RUN_STATUS[type] ?? this.status;
  }

  private takeEdge({ data }: RunEvent): string {
    const id = String(data.edge);
    this.edges.set(id, { count: (this.edges.get(id)?.count ?? 0) + 1 });
    return id;
  }

  private takeStep(node: string, event: RunEvent): boolean {
    const mark = markOfEvent(event);
    if (!mark) return false;
    const key = `${event.path ?? node} ${event.visit ?? 1}`;
    const runs = this.steps.get(node) ?? new Map<string, StepRun>();
    this.steps.set(node, runs);
    const before = runs.get(key);
    const attempts = typeof event.data.max_attempts === "number" ? event.data.max_attempts : before?.attempts;
    runs.set(key, {
      mark,
      attempt: event.attempt ?? before?.attempt ?? 1,
      ...(attempts ? { attempts } : {}),
    });
    this.newest.delete(node); // so that the node that changed last stands last
    this.newest.set(node, key);
    if (event.type === "step-error") this.failure = { step: node, message: messageOf(event) };
    return true;
  }

  private overlayOf(node: string): StepOverlay {
    const runs = [...(this.steps.get(node)?.values() ?? [])];
    const newest = this.steps.get(node)?.get(this.newest.get(node) ?? "");
    const live = LIVE.map((mark) => runs.find((one) => one.mark === mark)).find(Boolean);
    const shown = live ?? newest ?? { mark: "queued" as const, attempt: 1 };
    const failed = runs.filter((one) => one.mark === "failed").length;
    return {
      status: shown.mark,
      ...(runs.length > 1 ? { count: runs.length } : {}),
      ...(failed ? { failed } : {}),
      ...(shown.attempt > 1 || shown.attempts ? { attempt: shown.attempt } : {}),
      ...(shown.attempts ? { attempts: shown.attempts } : {}),
    };
  }
}

/** How its step stands after an event; undefined for events that say nothing of that. */
export function markOfEvent(event: RunEvent): StepMark | undefined {
  if (event.type === "step-waiting" && event.data.waits_for === "approval") return "approval";
  // Of several people who have to approve, not all have.
  if (event.type === "approval-decided" && event.data.outstanding) return "approval";
  const error = event.data.error as { code?: string } | undefined;
  if (event.type === "step-error" && error?.code === "approval_expired") return "expired";
  return MARKS[event.type];
}

/** Whether a step run with this mark has ended. */
export function marksEnd(mark: StepMark): boolean {
  return !LIVE.includes(mark);
}

function messageOf(event: RunEvent): string {
  const error = event.data.error as { message?: string } | undefined;
  return error?.message ?? "It failed.";
}
