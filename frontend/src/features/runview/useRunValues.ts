// What each node of a run gave, and what went along its edges, laid over its picture once the run has ended.
import { useEffect } from "react";
import { observeRun } from "~/api/observing";
import type { FlowDocument } from "~/graph/document";
import type { EdgeOverlay, Overlay, StepOverlay } from "~/nodes/overlay";
import type { Observed } from "~/store/observed";
import { observedOf } from "~/store/observing";

interface Asked {
  run: string;
  document: FlowDocument;
  overlay: Overlay;
  /** The whole run is looked at, and it has ended: earlier moments have no values of their own here. */
  wanted: boolean;
}

export function useRunValues({ run, document, overlay, wanted }: Asked): void {
  useEffect(() => {
    if (!wanted) return;
    let gone = false;
    observeRun(run, {})
      .then((seen) => {
        if (gone) return;
        const observed = observedOf({ id: run, version: { number: null } }, seen, { document });
        overlay.change(withValues(overlay, observed));
      })
      // The picture says how it went without them, too; each step's panel reads its own.
      .catch(() => {});
    return () => {
      gone = true;
    };
  }, [run, document, overlay, wanted]);
}

/** What is drawn already, with the values beside it. */
function withValues(overlay: Overlay, { nodes, edges }: Observed) {
  const valued: [string, StepOverlay][] = [];
  for (const [id, { value }] of nodes) {
    const drawn = overlay.node(id);
    if (drawn && value) valued.push([id, { ...drawn, value }]);
  }
  const along: [string, EdgeOverlay][] = [];
  for (const [id, { value }] of edges) {
    const drawn = overlay.edge(id);
    if (drawn && value) along.push([id, { ...drawn, value }]);
  }
  return { nodes: valued, edges: along };
}
