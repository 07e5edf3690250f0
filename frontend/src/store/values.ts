// Where previews take their values from: a past run of the flow, or sample values that stay in this browser.
import { create } from "zustand";
import { type RunInList, readRunsToShow } from "~/api/expressions";
import type { JsonObject } from "~/graph/document";
import { isObject } from "~/graph/pointer";

export interface ValuesState {
  flow: string;
  runs: readonly RunInList[];
  /** Id of the chosen run, or null for sample values. */
  run: string | null;
  /** Names and values that lie over what the document says by itself. */
  sample: JsonObject;
  /** Read the newest runs of a flow; the one to begin with is chosen (`readRunsToShow`). */
  open(flow: string): Promise<void>;
  /** Read the list of runs anew; what is chosen stays. */
  refresh(): Promise<void>;
  choose(run: string | null): void;
  setSample(sample: JsonObject): void;
}

const keyOf = (flow: string) => `flowsite-sample-${flow}`;

export const useValues = create<ValuesState>()((set, get) => ({
  flow: "",
  runs: [],
  run: null,
  sample: {},

  async open(flow) {
    set({ flow, runs: [], run: null, sample: kept(flow) });
    try {
      const { runs, first } = await readRunsToShow(flow);
      if (get().flow === flow) set({ runs, run: first?.id ?? null });
    } catch {
      // Without the list there are still sample values.
    }
  },

  async refresh() {
    const { flow } = get();
    try {
      const { runs } = await readRunsToShow(flow);
      if (get().flow === flow) set({ runs });
    } catch {
      // The list from before still serves.
    }
  },

  choose(run) {
    set({ run });
  },

  setSample(sample) {
    set({ sample });
    try {
      localStorage.setItem(keyOf(get().flow), JSON.stringify(sample));
    } catch {
      // A browser that keeps nothing loses the samples with the page, no more.
    }
  },
}));

function kept(flow: string): JsonObject {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(keyOf(flow)) ?? "{}");
    return isObject(found) ? found : {};
  } catch {
    return {};
  }
}
