// The document that is being edited, its undo history, and what is selected. Saving and checks stand beside it.
import { create } from "zustand";
import type { FlowDocument } from "~/graph/document";
import type { Edit } from "~/graph/edits";

const HISTORY_LENGTH = 200;

interface Past {
  document: FlowDocument;
  /** What was done, in words for the undo button: "Move 3 nodes". */
  label: string;
  /** Edits with the same key, one after the other, are one gesture and one undo step. */
  gesture: string | null;
}

export interface EditorState {
  document: FlowDocument;
  past: readonly Past[];
  future: readonly Past[];
  nodes: ReadonlySet<string>;
  edges: ReadonlySet<string>;
  readOnly: boolean;
  /** Begin with a document; forgets the history. */
  open(document: FlowDocument, options?: { readOnly?: boolean }): void;
  /** Do an edit as one undo step; with the `gesture` of the step before it becomes part of that. */
  apply(label: string, edit: Edit, gesture?: string): void;
  /** Show another document that was not made here; the steps of the history come along, changed as `rebased` says. */
  adopt(document: FlowDocument, rebased: (step: FlowDocument) => FlowDocument): void;
  /** Ends a gesture: the next edit with its key is a step of its own. */
  endGesture(): void;
  undo(): void;
  redo(): void;
  select(nodes: Iterable<string>, edges?: Iterable<string>): void;
}

const EMPTY: FlowDocument = { format: 1, id: "new", nodes: [], edges: [] };

export const useEditor = create<EditorState>()((set, get) => ({
  document: EMPTY,
  past: [],
  future: [],
  nodes: new Set(),
  edges: new Set(),
  readOnly: false,

  open(document, options = {}) {
    const { readOnly = false } = options;
    set({ document, past: [], future: [], nodes: new Set(), edges: new Set(), readOnly });
  },

  apply(label, edit, gesture) {
    const { document, past, readOnly } = get();
    if (readOnly) return;
    const next = edit(document);
    if (next === document) return;
    const last = past.at(-1);
    const continues = gesture !== undefined && last?.gesture === gesture;
    const grown = continues ? past : [...past, { document, label, gesture: gesture ?? null }].slice(-HISTORY_LENGTH);
    set({ document: next, past: grown, future: [], ...kept(next, get()) });
  },

  adopt(document, rebased) {
    const carried = (step: Past): Past => ({ ...step, document: rebased(step.document), gesture: null });
    const { past, future } = get();
    set({ document, past: past.map(carried), future: future.map(carried), ...kept(document, get()) });
  },

  endGesture() {
    const { past } = get();
    const last = past.at(-1);
    if (last?.gesture) set({ past: [...past.slice(0, -1), { ...last, gesture: null }] });
  },

  undo() {
    const { document, past, future } = get();
    const last = past.at(-1);
    if (!last) return;
    const undone = { document, label: last.label, gesture: null };
    set({
      document: last.document,
      past: past.slice(0, -1),
      future: [...future, undone],
      ...kept(last.document, get()),
    });
  },

  redo() {
    const { document, past, future } = get();
    const next = future.at(-1);
    if (!next) return;
    const done = { document, label: next.label, gesture: null };
    set({ document: next.document, past: [...past, done], future: future.slice(0, -1), ...kept(next.document, get()) });
  },

  select(nodes, edges = []) {
    set({ nodes: new Set(nodes), edges: new Set(edges) });
  },
}));

/** The selection without what the document does not have any more. */
function kept(document: FlowDocument, { nodes, edges }: EditorState): Partial<EditorState> {
  if (!nodes.size && !edges.size) return {};
  const nodeIds = new Set(document.nodes.map((node) => node.id));
  const edgeIds = new Set(document.edges.map((edge) => edge.id));
  const lost = [...nodes].some((id) => !nodeIds.has(id)) || [...edges].some((id) => !edgeIds.has(id));
  if (!lost) return {};
  return {
    nodes: new Set([...nodes].filter((id) => nodeIds.has(id))),
    edges: new Set([...edges].filter((id) => edgeIds.has(id))),
  };
}
