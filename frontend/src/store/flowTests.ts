// The tests of the flow that is open: their list, how they went against the draft, what a crash changes, and past runs
// replayed. The panel and the dialog of publishing show the same.
import { create } from "zustand";
import {
  type CrashPortion,
  crashTest,
  type Replayed,
  readRunsToReplay,
  readTests,
  replayRuns,
  runTests,
  type TestResult,
  type TestSummary,
} from "~/api/flowTests";
import type { FlowDocument } from "~/graph/document";
import { useEditor } from "./editor";

/** A test killed at its boundaries so far. `done`: how many were tried. */
export interface CrashSum {
  boundaries: number;
  done: number;
  survived: number;
  spared: number;
  broken: CrashPortion["broken"];
  fault: string;
}

export interface ReplaySum {
  version: number | null;
  asked: number;
  items: Replayed[];
}

export type Work = "idle" | "tests" | "crash" | "replay";

interface FlowTestsState {
  flow: string;
  tests: readonly TestSummary[];
  loaded: boolean;
  /** By id of the test; what was found against `document`. */
  results: ReadonlyMap<number, TestResult>;
  document: FlowDocument | null;
  crashes: ReadonlyMap<number, CrashSum>;
  /** The document that was crash-tested: a test that fails with it is not crashed. */
  crashed: FlowDocument | null;
  replay: ReplaySum | null;
  work: Work;
  failure: string | null;
  load(flow: string): Promise<void>;
  /** Run these tests, or all, against the draft as it is now. */
  run(tests?: readonly number[]): Promise<void>;
  /** Run all tests, then each that passes with a crash at every boundary. */
  crash(): Promise<void>;
  /** Replay the newest runs of the last version against the draft. */
  replayPast(limit: number): Promise<void>;
  stop(): void;
  /** A test was saved or deleted. */
  changed(): Promise<void>;
}

/** Rises with each piece of work: what an earlier one still finds counts for nothing. */
let turn = 0;

export const useFlowTests = create<FlowTestsState>()((set, get) => {
  const begin = (work: Work): number => {
    turn += 1;
    set({ work, failure: null });
    return turn;
  };
  const isMine = (mine: number) => mine === turn;

  async function guarded(work: Work, act: (mine: number) => Promise<void>): Promise<void> {
    const mine = begin(work);
    try {
      await act(mine);
    } catch (error) {
      if (isMine(mine)) set({ failure: error instanceof Error ? error.message : String(error) });
    }
    if (isMine(mine)) set({ work: "idle" });
  }

  async function runAll(mine: number, ids: readonly number[]): Promise<void> {
    const { document } = useEditor.getState();
    const results = new Map(get().document === document ? get().results : []);
    for (const id of ids) results.delete(id);
    set({ document, results });
    for (let left = ids; left.length; ) {
      const answer = await runTests(get().flow, document, left);
      if (!isMine(mine)) return;
      set({ results: withResults(get().results, answer.items) });
      left = answer.left;
    }
  }

  async function crashOne(mine: number, id: number, document: FlowDocument): Promise<void> {
    let sum: CrashSum = { boundaries: 0, done: 0, survived: 0, spared: 0, broken: [], fault: "" };
    for (let start: number | null = 0; start !== null; ) {
      const portion: CrashPortion = await crashTest(get().flow, document, id, start);
      if (!isMine(mine)) return;
      sum = added(sum, portion);
      set({ crashes: new Map(get().crashes).set(id, sum) });
      start = portion.next;
    }
  }

  return {
    flow: "",
    tests: [],
    loaded: false,
    results: new Map(),
    document: null,
    crashes: new Map(),
    crashed: null,
    replay: null,
    work: "idle",
    failure: null,

    async load(flow) {
      if (flow !== get().flow) {
        turn += 1;
        set({
          flow,
          tests: [],
          loaded: false,
          results: new Map(),
          crashes: new Map(),
          crashed: null,
          replay: null,
          work: "idle",
        });
      }
      try {
        set({ tests: await readTests(flow), loaded: true });
      } catch (error) {
        set({ failure: error instanceof Error ? error.message : String(error) });
      }
    },

    run(tests) {
      return guarded("tests", (mine) => runAll(mine, tests ?? get().tests.map((one) => one.id)));
    },

    crash() {
      return guarded("crash", async (mine) => {
        set({ crashes: new Map(), crashed: null });
        const ids = get().tests.map((one) => one.id);
        await runAll(mine, ids);
        const { document } = get();
        if (isMine(mine)) set({ crashed: document });
        for (const id of ids) {
          if (!isMine(mine) || !document) return;
          if (get().results.get(id)?.passed) await crashOne(mine, id, document);
        }
      });
    },

    replayPast(limit) {
      return guarded("replay", async (mine) => {
        set({ replay: null });
        const { document } = useEditor.getState();
        const { version, items } = await readRunsToReplay(get().flow, limit);
        if (!isMine(mine)) return;
        let sum: ReplaySum = { version, asked: items.length, items: [] };
        set({ replay: sum });
        for (let left = items.map((one) => one.id); left.length; ) {
          const answer = await replayRuns(get().flow, document, left);
          if (!isMine(mine)) return;
          sum = { ...sum, items: [...sum.items, ...answer.items] };
          set({ replay: sum });
          left = answer.left;
        }
      });
    },

    stop() {
      turn += 1;
      set({ work: "idle" });
    },

    async changed() {
      await get().load(get().flow);
    },
  };
});

function withResults(results: ReadonlyMap<number, TestResult>, items: readonly TestResult[]): Map<number, TestResult> {
  const all = new Map(results);
  for (const item of items) if (item.test !== null) all.set(item.test, item);
  return all;
}

function added(sum: CrashSum, portion: CrashPortion): CrashSum {
  return {
    boundaries: Math.max(sum.boundaries, portion.boundaries),
    done: sum.done + portion.survived + portion.spared + portion.broken.length,
    survived: sum.survived + portion.survived,
    spared: sum.spared + portion.spared,
    broken: [...sum.broken, ...portion.broken],
    fault: portion.fault,
  };
}

/** How many tests passed and failed, of those that were run. */
export function counts(results: ReadonlyMap<number, TestResult>): { passed: number; failed: number } {
  const all = [...results.values()];
  const passed = all.filter((one) => one.passed).length;
  return { passed, failed: all.length - passed };
}
