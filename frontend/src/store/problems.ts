// What the server's checks say of the document as it is now, and how many of it concern each node and edge.
import { create } from "zustand";
import { checkDocument, type Problem } from "~/api/flows";
import type { FlowDocument } from "~/graph/document";
import { useEditor } from "./editor";

const WAIT_MS = 300;
/** After a check that did not come back. */
const AGAIN_MS = 5_000;

export interface Counts {
  errors: number;
  warnings: number;
}

export interface ProblemsState {
  problems: readonly Problem[];
  /** The document that the problems are about; pointers lead into this one. */
  checked: FlowDocument | null;
  status: "checking" | "current" | "failed";
  byNode: ReadonlyMap<string, Counts>;
  byEdge: ReadonlyMap<string, Counts>;
  total: Counts;
}

const NONE: Counts = { errors: 0, warnings: 0 };

export const useProblems = create<ProblemsState>()(() => ({
  problems: [],
  checked: null,
  status: "checking",
  byNode: new Map(),
  byEdge: new Map(),
  total: NONE,
}));

/** How many problems a node has, without those of what it holds. The same object while the numbers stay the same. */
export function useNodeProblems(id: string): Counts {
  return useProblems((state) => state.byNode.get(id) ?? NONE);
}

/** Check a flow's document now and 300 ms after each change; a check that became stale is given up. */
export function watchProblems(flow: string): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: AbortController | undefined;

  async function check() {
    const { document } = useEditor.getState();
    running = new AbortController();
    const { signal } = running;
    try {
      const found = await checkDocument(flow, document, signal);
      if (!signal.aborted) useProblems.setState((state) => counted(state, document, found.problems));
    } catch {
      if (signal.aborted) return;
      useProblems.setState({ status: "failed" });
      timer = setTimeout(check, AGAIN_MS);
    }
  }

  function later() {
    clearTimeout(timer);
    running?.abort();
    useProblems.setState({ status: "checking" });
    timer = setTimeout(check, WAIT_MS);
  }

  const stop = useEditor.subscribe((state, before) => {
    if (state.document !== before.document) later();
  });
  check();
  return () => {
    stop();
    clearTimeout(timer);
    running?.abort();
  };
}

function counted(before: ProblemsState, checked: FlowDocument, problems: Problem[]): Partial<ProblemsState> {
  return {
    problems,
    checked,
    status: "current",
    byNode: tally(problems, "node", before.byNode),
    byEdge: tally(problems, "edge", before.byEdge),
    total: problems.reduce(plus, NONE),
  };
}

/** Counts by id; those that stay the same keep their object, so that only cards that changed are drawn anew. */
export function tally(
  problems: readonly Problem[],
  key: "node" | "edge",
  before: ReadonlyMap<string, Counts>,
): Map<string, Counts> {
  const found = new Map<string, Counts>();
  for (const problem of problems) {
    const id = problem[key];
    if (id !== undefined) found.set(id, plus(found.get(id) ?? NONE, problem));
  }
  for (const [id, counts] of found) {
    const old = before.get(id);
    if (old && old.errors === counts.errors && old.warnings === counts.warnings) found.set(id, old);
  }
  return found;
}

function plus(counts: Counts, { severity }: Pick<Problem, "severity">): Counts {
  return severity === "error" ? { ...counts, errors: counts.errors + 1 } : { ...counts, warnings: counts.warnings + 1 };
}
