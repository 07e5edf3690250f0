// Trying steps of the edited draft: what is asked in dialogs, and what a try in the simulator showed.
import { create } from "zustand";
import { ApiError } from "~/api/client";
import { simulateTry, type Tried, type TriedStep, type TryAsked } from "~/api/trying";
import { type FlowDocument, findNode, labelOf } from "~/graph/document";
import { useEditor } from "./editor";
import { speak } from "./notices";
import { type EdgeObserved, type NodeObserved, type Observed, type StepMark, useObserved } from "./observed";
import { STATUS_MARKS, shortOf, useObserving } from "./observing";

/** What a dialog is about: a value to be pinned, a try that needs something, a try for real, all pinned outputs. */
export type TryDialog =
  | { kind: "pin"; node: string }
  | { kind: "needs"; nodes: readonly string[]; tried: Tried | null; failure: string | null }
  | { kind: "real"; nodes: readonly string[] }
  | { kind: "pins" };

interface TryingState {
  flow: string;
  mayRun: boolean;
  dialog: TryDialog | null;
  busy: boolean;
  open(dialog: TryDialog): void;
  close(): void;
  /** Try up to these nodes in the simulator, and show what came of it. Resolves to whether it came there. */
  simulate(nodes: readonly string[], values?: TryValues): Promise<boolean>;
}

/** With what it is tried; left out, the newest run says it. */
export type TryValues = Omit<TryAsked, "nodes">;

let turn = 0;

export const useTrying = create<TryingState>()((set, get) => ({
  flow: "",
  mayRun: false,
  dialog: null,
  busy: false,

  open(dialog) {
    set({ dialog });
  },

  close() {
    set({ dialog: null });
  },

  async simulate(nodes, values = {}) {
    turn += 1;
    const mine = turn;
    set({ busy: true });
    const { document } = useEditor.getState();
    let tried: Tried | null = null;
    let failure: string | null = null;
    try {
      tried = await simulateTry(get().flow, document, { nodes, ...values });
    } catch (error) {
      failure = error instanceof ApiError || error instanceof Error ? error.message : String(error);
    }
    if (mine !== turn) return false;
    if (tried) {
      useObserving.getState().end();
      useObserved.getState().show(observedOf(tried, document, nodes));
    }
    const went = tried !== null && !tried.told;
    set({ busy: false, dialog: went ? null : { kind: "needs", nodes, tried, failure } });
    if (went) speak(`Tried up to ${namesOf(document, nodes)}. Nothing was called.`);
    return went;
  },
}));

export function namesOf(document: FlowDocument, nodes: readonly string[]): string {
  return nodes.map((id) => labelOf(findNode(document, id) ?? { id })).join(", ");
}

/** What a try showed at each node, laid over the document that was tried. */
export function observedOf(tried: Tried, document: FlowDocument, nodes: readonly string[]): Observed {
  const visits = new Map<string, number>();
  const seen = new Map<string, NodeObserved>();
  for (const step of tried.steps) {
    visits.set(step.node, Math.max(visits.get(step.node) ?? 0, step.visit));
    seen.set(step.node, nodeOf(step, visits.get(step.node) ?? 1));
  }
  const missing = new Map(tried.missing.map((one) => [one.node, one.told]));
  for (const [node, told] of missing) seen.set(node, { mark: "waiting", error: told });
  const sources = new Map(document.edges.map((edge) => [edge.id, edge.source]));
  const edges = new Map<string, EdgeObserved>();
  for (const event of tried.events) {
    const id = event.type === "edge-taken" ? event.data.edge : undefined;
    if (typeof id !== "string") continue;
    const value = seen.get(sources.get(id) ?? "")?.value;
    edges.set(id, { count: (edges.get(id)?.count ?? 0) + 1, ...(value ? { value } : {}) });
  }
  return {
    source: { kind: "try", name: `the try up to ${namesOf(document, nodes)}` },
    document,
    nodes: seen,
    edges,
  };
}

const OPEN: ReadonlySet<string> = new Set(["running", "waiting", "pending"]);

function nodeOf(step: TriedStep, visits: number): NodeObserved {
  const mark: StepMark = OPEN.has(step.status) ? "waiting" : (STATUS_MARKS[step.status] ?? "queued");
  return {
    mark,
    path: step.path,
    visit: step.visit,
    ...(visits > 1 ? { visits } : {}),
    ...(step.error ? { error: step.error } : {}),
    ...(step.value ? { value: shortOf(step.value) } : {}),
  };
}
