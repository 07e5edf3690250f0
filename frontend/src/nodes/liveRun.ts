// The run that the page follows, if it follows one: its status, and its overlay for the canvas.
import { create } from "zustand";
import { followRun, type StreamState } from "~/api/eventStream";
import type { RunStatus } from "~/api/runs";
import { createOverlay } from "./overlay";
import { RunProjection } from "./runProjection";

interface LiveRunState {
  /** Id of the run; null: none is followed. */
  run: string | null;
  status: RunStatus;
  /** The last failure of a step. */
  failure: { step: string; message: string } | null;
  stream: StreamState;
  follow(run: string): void;
  stop(): void;
}

export const runOverlay = createOverlay();

let end: (() => void) | null = null;

export const useLiveRun = create<LiveRunState>()((set, get) => ({
  run: null,
  status: "active",
  failure: null,
  stream: "catching",

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

  stop() {
    end?.();
    end = null;
    runOverlay.reset();
    set({ run: null, failure: null });
  },
}));
