// Values of a past run on the edited flow: which run is looked at, and which item and visit of it.
import { create } from "zustand";
import { type RunInList, readRuns, readRunsToShow } from "~/api/expressions";
import { type Beginning, type Looking, type NodeSeen, observeRun, type RunSeen } from "~/api/observing";
import { readRun } from "~/api/runs";
import type { FlowDocument } from "~/graph/document";
import { useEditor } from "./editor";
import {
  type Earlier,
  type NodeObserved,
  type Observed,
  type ShortValue,
  type StepMark,
  useObserved,
} from "./observed";
import { useValues } from "./values";

const LISTED = 100;

interface ObservingState {
  flow: string;
  /** The newest runs, to choose from. */
  runs: readonly RunInList[];
  run: RunInList | null;
  /** Chosen items, by their container; the visit, or null for the last. */
  items: { [loop: string]: number };
  visit: number | null;
  busy: boolean;
  failure: string | null;
  /** Show the values of the newest whole run that succeeded, else of the newest one (`readRunsToShow`). */
  begin(flow: string): Promise<void>;
  /** Read the list of runs anew. */
  list(): Promise<void>;
  /** Show the values of this run. */
  choose(run: RunInList | string): Promise<void>;
  look(item: { loop: string; item: number }): Promise<void>;
  lookAtVisit(visit: number | null): Promise<void>;
  /** Show no values any more. */
  end(): void;
}

/** Rises with each question: the answer to an earlier one counts for nothing. */
let turn = 0;

export const useObserving = create<ObservingState>()((set, get) => {
  async function guarded(act: (mine: number) => Promise<void>): Promise<void> {
    turn += 1;
    const mine = turn;
    set({ busy: true, failure: null });
    try {
      await act(mine);
    } catch (error) {
      if (mine === turn) set({ failure: error instanceof Error ? error.message : String(error) });
    }
    if (mine === turn) set({ busy: false });
  }

  /** Ask for what is chosen; `anew`: how the document differs, too. */
  async function ask(mine: number, run: RunInList, anew: boolean): Promise<void> {
    const { document } = useEditor.getState();
    const { items, visit } = get();
    const looking: Looking = { items, ...(visit === null ? {} : { visit }), ...(anew ? { document } : {}) };
    const seen = await observeRun(run.id, looking);
    if (mine !== turn) return;
    const shown = useObserved.getState().observed;
    const before = anew || !shown ? { document, before: earlierOf(seen) } : shown;
    useObserved.getState().show(observedOf(run, seen, before));
  }

  return {
    flow: "",
    runs: [],
    run: null,
    items: {},
    visit: null,
    busy: false,
    failure: null,

    begin(flow) {
      return guarded(async (mine) => {
        set({ flow, runs: [] });
        const { runs, first: run } = await readRunsToShow(flow, LISTED);
        if (mine !== turn) return;
        set({ runs, run: run ?? null, items: {}, visit: null });
        if (!run) throw new Error("The flow has no runs yet. Run it once, then its values can be shown here.");
        await showRun(mine, run);
      });
    },

    async list() {
      const runs = await readRuns(get().flow, { limit: LISTED }).catch(() => get().runs);
      set({ runs });
    },

    choose(which) {
      return guarded(async (mine) => {
        const run = typeof which === "string" ? await readRun(which) : which;
        if (mine === turn) await showRun(mine, run);
      });
    },

    look({ loop, item }) {
      set({ items: { ...get().items, [loop]: item } });
      return again();
    },

    lookAtVisit(visit) {
      set({ visit });
      return again();
    },

    end() {
      turn += 1;
      set({ run: null, busy: false, failure: null });
      useObserved.getState().clear();
    },
  };

  async function showRun(mine: number, run: RunInList): Promise<void> {
    set({ run, items: {}, visit: null });
    // Previews of expressions tell the same run's values.
    const values = useValues.getState();
    if (!values.runs.some((one) => one.id === run.id)) useValues.setState({ runs: [...values.runs, run] });
    values.choose(run.id);
    await ask(mine, run, true);
  }

  function again(): Promise<void> {
    return guarded(async (mine) => {
      const { run } = get();
      if (run) await ask(mine, run, false);
    });
  }
});

export const STATUS_MARKS: Record<string, StepMark> = {
  pending: "queued",
  running: "running",
  waiting: "waiting",
  succeeded: "succeeded",
  failed: "failed",
  budget_exhausted: "failed",
  canceled: "canceled",
  skipped: "skipped",
};

function earlierOf({ earlier }: RunSeen): Earlier {
  return {
    differs: earlier?.differs ?? false,
    changed: new Set(earlier?.changed),
    absent: new Set(earlier?.absent),
  };
}

/** What the server tells of a run, laid over a document. */
export function observedOf(
  run: Pick<RunInList, "id" | "version">,
  seen: RunSeen,
  over: { document: FlowDocument; before?: Earlier },
): Observed {
  const nodes = new Map(seen.nodes.map((one) => [one.node, nodeOf(one)]));
  const sources = new Map(over.document.edges.map((edge) => [edge.id, edge.source]));
  const edges = seen.edges.map(({ edge, count, now }) => {
    const value = now ? nodes.get(sources.get(edge) ?? "")?.value : undefined;
    return [edge, { count, ...(value ? { value } : {}) }] as const;
  });
  return {
    source: { kind: "run", run: run.id, version: run.version.number },
    document: over.document,
    ...(over.before ? { before: over.before } : {}),
    nodes,
    edges: new Map(edges),
    loops: seen.loops,
    partial: !seen.whole,
  };
}

function nodeOf(seen: NodeSeen): NodeObserved {
  const asks = seen.status === "waiting" && seen.waits_for === "person";
  return {
    mark: asks ? "approval" : (STATUS_MARKS[seen.status] ?? "queued"),
    step: seen.step,
    path: seen.path,
    visit: seen.visit,
    ...(seen.visits > 1 ? { visits: seen.visits } : {}),
    ...(seen.error ? { error: seen.error } : {}),
    ...(seen.output ? { value: shortOf(seen.output) } : {}),
  };
}

export function shortOf({ shown, cut, size, covered }: Beginning): ShortValue {
  return { kind: covered ? "covered" : "told", text: shown, cut, size };
}
