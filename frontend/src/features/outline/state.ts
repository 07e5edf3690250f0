// Which row of the outline the focus is on, and which rows are folded. What is chosen is the editor's matter.
import { create } from "zustand";
import { foldedAtFirst } from "~/graph/crowded";
import type { FlowDocument } from "~/graph/document";
import { ancestorsOf } from "~/graph/document";

interface OutlineState {
  /** The flow that this is about. */
  flow: string | null;
  active: string | null;
  folded: ReadonlySet<string>;
  begin(document: FlowDocument): void;
  stand(key: string | null): void;
  fold(id: string, folded: boolean): void;
  /** Unfold all around a node. */
  show(document: FlowDocument, id: string): void;
}

export const useOutline = create<OutlineState>()((set, get) => ({
  flow: null,
  active: null,
  folded: new Set(),

  begin(document) {
    if (get().flow === document.id) return;
    set({ flow: document.id, active: null, folded: new Set(foldedAtFirst(document).map((node) => node.id)) });
  },

  stand(active) {
    if (get().active !== active) set({ active });
  },

  fold(id, isFolded) {
    const folded = new Set(get().folded);
    if (isFolded) folded.add(id);
    else folded.delete(id);
    set({ folded });
  },

  show(document, id) {
    const around = ancestorsOf(document, id).filter((one) => get().folded.has(one));
    if (around.length) set({ folded: new Set([...get().folded].filter((one) => !around.includes(one))) });
  },
}));
