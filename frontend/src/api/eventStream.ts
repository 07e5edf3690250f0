// The events of one run as they come, each once and in order. The client of the socket is the one that the run's page
// uses (static/flowsite/live.js); here it only gets its types.
import type { RunEvent } from "./runs";

export type StreamState = "catching" | "live" | "waiting" | "offline" | "over";

export interface Following {
  run: string;
  /** Number of the last event that is known already; 0: from the first. */
  after: number;
  onEvents(events: RunEvent[]): void;
  onState(state: StreamState): void;
  /** Everything has to be read anew: forget what was told. */
  onRestart(): void;
}

interface LiveRun {
  stop(): void;
}

interface LiveModule {
  LiveRun: new (following: Following) => LiveRun;
}

const MODULE = "/static/flowsite/live.js";

/** Follow a run until the function that this resolves to is called. */
export async function followRun(following: Following): Promise<() => void> {
  const { LiveRun } = (await import(/* @vite-ignore */ MODULE)) as LiveModule;
  const live = new LiveRun(following);
  return () => live.stop();
}
