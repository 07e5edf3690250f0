// The run that the page follows, or a simulated one that it shows: its status, and its overlay for the canvas.
import { create } from "zustand";
import { followRun, type StreamState } from "~/api/eventStream";
import type { RunEvent, RunStatus } from "~/api/runs";
import { createOverlay } from "./overlay";
import { RunProjection } from "./runProjection";

/** What a simulator made of the draft. `upTo`: the step at whose first end the picture stops; null: it is all shown. */
export interface Simulated {
  label: string;
  events: readonly RunEvent[];
  upTo: string | null;
}

interface LiveRunState {
  /** Id of the run; null: none is followed. */
  run: string | null;
  status: RunStatus;
  /** The last failure of a step. */
  failure: { step: string; message: string } | null;
  stream: StreamState;
  simulated: Simulated | null;
  follow(run: string): void;
  /** Show what happened in a simulated run in place of a real one. */
  show(label: string, events: readonly RunEvent[], upTo?: string | null): void;
  stop(): void;
}

export const runOverlay = createOverlay();

let end: (() => void) | null = null;

export const useLiveRun = create<LiveRunState>()((set, get) => ({
  run: null,
  status: "active",
  failure: null,
  stream: "catching",
  simulated: null,

  follow(run) {
    get().stop();
    let projection = new RunProjection();
    set({ run, status: "active", failure: null, stream: "catching" });
    const followed = followRun({
      run,
      after: 0,
      onEvents(events) {
        runOverlay.change(projection.take(events));
        set({ status: projection.status, failure: projection.failure });
      },
      onState: (stream) => set({ stream }),
      onRestart() {
        projection = new RunProjection();
        runOverlay.reset();
      },
    });
    let ended = false;
    end = () => {
      ended = true;
    };
    void followed.then((stop) => {
      if (ended) stop();
      else end = stop;
    });
  },

  show(label, events, upTo = null) {
    get().stop();
    const projection = new RunProjection();
    runOverlay.reset(projection.take(until(events, upTo)));
    set({ simulated: { label, events, upTo }, status: projection.status, failure: projection.failure });
  },

  stop() {
    end?.();
    end = null;
    runOverlay.reset();
    set({ run: null, failure: null, simulated: null });
  },
}));

/** Whether the canvas shows a run, a real one or a simulated one. */
export const showsRun = ({ run, simulated }: Pick<LiveRunState, "run" | "simulated">) => Boolean(run || simulated);

const ENDS = new Set(["step-complete", "step-error", "step-skipped"]);

/** The events until a step has ended for the first time; without one, all of them. */
export function until(events: readonly RunEvent[], step: string | null): readonly RunEvent[] {
  const end = step === null ? -1 : events.findIndex((event) => event.step === step && ENDS.has(event.type));
  return end < 0 ? events : events.slice(0, end + 1);
}
