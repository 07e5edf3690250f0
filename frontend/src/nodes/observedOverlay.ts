// What was observed, as an overlay for canvas and outline: kept up with the edits, so that what changed since says so.
import type { FlowDocument, FlowEdge } from "~/graph/document";
import { useEditor } from "~/store/editor";
import { type Observed, type Standing, standingOf, useObserved } from "~/store/observed";
import { createOverlay, type EdgeOverlay, type StepOverlay } from "./overlay";

export const observedOverlay = createOverlay();

const EARLIER: Record<Standing, string | undefined> = {
  same: undefined,
  changed: "changed since",
  absent: "not in what ran",
};

export function stepOverlayOf(observed: Observed, document: FlowDocument, id: string): StepOverlay {
  const earlier = EARLIER[standingOf(observed, document, id)];
  const seen = observed.nodes.get(id);
  if (!seen) return { status: "blocked", ...(earlier ? { words: capital(earlier) } : {}) };
  const { mark, value } = seen;
  return {
    status: mark,
    ...(value ? { value } : {}),
    ...(earlier ? { earlier } : {}),
  };
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Of an edge that leads elsewhere now, or is new, nothing was observed. */
function edgeOverlayOf(observed: Observed, edge: FlowEdge, then: FlowEdge | undefined): EdgeOverlay | null {
  const isSame = then?.source === edge.source && then.target === edge.target;
  return (isSame && observed.edges.get(edge.id)) || null;
}

function changesOf(observed: Observed, document: FlowDocument) {
  const then = new Map(observed.document.edges.map((edge) => [edge.id, edge]));
  return {
    nodes: document.nodes.map((node) => [node.id, stepOverlayOf(observed, document, node.id)] as const),
    edges: document.edges.map((edge) => [edge.id, edgeOverlayOf(observed, edge, then.get(edge.id))] as const),
  };
}

useObserved.subscribe(({ observed }) => {
  observedOverlay.reset(observed ? changesOf(observed, useEditor.getState().document) : {});
});

useEditor.subscribe((state, before) => {
  const { observed } = useObserved.getState();
  if (observed && state.document !== before.document) observedOverlay.change(changesOf(observed, state.document));
});
