// Which containers are folded on the canvas by this page alone: a matter of looking, never an edit. What the document says
// of a container (`layout.collapsed`) stands in the document, and is changed there.
import { create } from "zustand";
import { foldedAtFirst } from "~/graph/crowded";
import { ancestorsOf, type FlowDocument, type FlowNode } from "~/graph/document";

export type Folds = ReadonlyMap<string, boolean>;

interface FoldsState {
  /** The flow that this is about. */
  flow: string | null;
  folds: Folds;
  /** A flow is opened: if it is large, its containers begin folded, unless the document says how they are. */
  begin(document: FlowDocument): void;
  fold(id: string, folded: boolean): void;
  /** Open what this page folded around nodes; tells whether there was anything. */
  openAround(document: FlowDocument, ids: readonly string[]): boolean;
}

/** The folds with which a document is opened. */
export function foldsAtFirst(document: FlowDocument): Folds {
  const silent = foldedAtFirst(document).filter((node) => node.layout?.collapsed === undefined);
  return new Map(silent.map((node) => [node.id, true]));
}

export const isFoldedIn = (folds: Folds, node: FlowNode): boolean =>
  folds.get(node.id) ?? node.layout?.collapsed ?? false;

/** The folds without those around some nodes; the same ones where there are none. */
export function openedAround(folds: Folds, document: FlowDocument, ids: readonly string[]): Folds {
  const around = new Set(ids.flatMap((id) => ancestorsOf(document, id)).filter((id) => folds.get(id)));
  return around.size ? new Map([...folds].map(([id, folded]) => [id, folded && !around.has(id)])) : folds;
}

export const useFolds = create<FoldsState>()((set, get) => ({
  flow: null,
  folds: new Map(),

  begin(document) {
    if (get().flow !== document.id) set({ flow: document.id, folds: foldsAtFirst(document) });
  },

  fold(id, folded) {
    set({ folds: new Map(get().folds).set(id, folded) });
  },

  openAround(document, ids) {
    const { folds } = get();
    const next = openedAround(folds, document, ids);
    if (next !== folds) set({ folds: next });
    return next !== folds;
  },
}));
