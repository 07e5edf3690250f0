// Saving the draft: after each change to this browser, soon after to the server, never over what somebody else saved.
import { create } from "zustand";
import { ApiError, isSignedOut, Unreachable } from "~/api/client";
import { type Draft, readDraft, saveDraft } from "~/api/flows";
import { type FlowDocument, opened } from "~/graph/document";
import { whyNotDrawn } from "~/graph/drawable";
import { rebased, same, sharing } from "~/graph/merge";
import { useEditor } from "./editor";
import { dropCopy, keepCopy, type LocalCopy, readCopy } from "./localCopies";

const PAUSE_MS = 300;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 15_000;

/** What somebody else saved while this draft was being edited. */
export interface Conflict {
  document: FlowDocument;
  revision: number;
  updatedBy: string | null;
  updatedAt: string;
}

/** The draft is there, but it is nothing that can be drawn. */
export class Undrawable extends Error {
  constructor(readonly draft: Draft) {
    super("The draft cannot be drawn.");
  }
}

interface SavingState {
  flow: string;
  person: string;
  /** The draft as the server has it, as far as is known here, and its revision. */
  saved: FlowDocument | null;
  revision: number;
  savedAt: Date | null;
  status: "saved" | "unsaved" | "saving" | "unreachable" | "refused" | "signed out" | "conflict";
  /** Why it was refused, in the server's words. */
  refusal: string | null;
  conflict: Conflict | null;
  /** Changes that an earlier visit left in this browser, until they are taken or dropped. */
  leftover: LocalCopy | null;
  /** Open the draft of a flow. Raises ApiError, Unreachable, or Undrawable. */
  open(flow: string, person: string, options: { readOnly: boolean }): Promise<void>;
  /** Save now what is unsaved; resolves to whether all is saved. */
  flush(): Promise<boolean>;
  /** Somebody else saved this while nothing is unsaved here: go on from it, with the undo steps of before. */
  adopt(draft: Draft, document: FlowDocument): void;
  /** Somebody else saved this while something is unsaved here: both are shown, and somebody has to choose. */
  meet(draft: Draft): void;
  /** End a conflict with this document, which is then saved over the other one. */
  settle(label: string, document: FlowDocument): void;
  takeLeftover(): void;
  dropLeftover(): void;
}

let timer: ReturnType<typeof setTimeout> | undefined;
let running: Promise<void> | null = null;
let pause = FIRST_RETRY_MS;

export const useSaving = create<SavingState>()((set, get) => ({
  flow: "",
  person: "",
  saved: null,
  revision: 0,
  savedAt: null,
  status: "saved",
  refusal: null,
  conflict: null,
  leftover: null,

  async open(flow, person, { readOnly }) {
    const draft = await readDraft(flow);
    if (whyNotDrawn(draft.document).length) throw new Undrawable(draft);
    const document = opened(draft.document);
    const copy = readOnly ? undefined : await readCopy(person, flow);
    const leftover = copy && !same(copy.document, document) ? copy : null;
    if (copy && !leftover) await dropCopy(person, flow);
    set({ flow, person, leftover, status: "saved", refusal: null, conflict: null, ...known(draft, document) });
    useEditor.getState().open(document, { readOnly });
  },

  async flush() {
    clearTimeout(timer);
    if (running) await running;
    if (get().saved !== useEditor.getState().document) await save();
    return get().status === "saved";
  },

  adopt(draft, theirs) {
    const { document: base } = useEditor.getState();
    const document = sharing(base, theirs);
    set({ ...known(draft, document), status: "saved", refusal: null });
    useEditor.getState().adopt(document, (step) => rebased(base, step, document));
  },

  meet(draft) {
    clearTimeout(timer);
    set({ status: "conflict", conflict: conflictOf(draft) });
  },

  settle(label, document) {
    const { conflict } = get();
    if (!conflict) return;
    set({ saved: conflict.document, revision: conflict.revision, conflict: null, status: "unsaved" });
    useEditor.getState().apply(label, () => document);
    schedule(0);
  },

  takeLeftover() {
    const { leftover, revision } = get();
    if (!leftover) return;
    set({ leftover: null });
    if (leftover.revision === revision) {
      useEditor.getState().apply("Take up unsaved changes", () => leftover.document);
      return;
    }
    // Somebody saved in between: what is on the server and what was left here are compared like any conflict.
    const { document } = useEditor.getState();
    const conflict = { document, revision, updatedBy: null, updatedAt: get().savedAt?.toISOString() ?? "" };
    useEditor.getState().apply("Take up unsaved changes", () => leftover.document);
    set({ saved: leftover.base, conflict, status: "conflict" });
  },

  dropLeftover() {
    const { person, flow } = get();
    set({ leftover: null });
    void dropCopy(person, flow);
  },
}));

function known(draft: Draft, document: FlowDocument): Partial<SavingState> {
  return { saved: document, revision: draft.revision, savedAt: new Date(draft.updated_at) };
}

/** Follows the document from now on; gives a function that ends it. */
export function startSaving(): () => void {
  const ends = [
    useEditor.subscribe((state, before) => {
      if (state.document !== before.document) changed(state.document);
    }),
    listen(window, "online", () => schedule(0)),
    listen(window, "pagehide", () => lastChance()),
    listen(window, "beforeunload", (event) => {
      if (isUnsaved()) event.preventDefault();
    }),
  ];
  return () => {
    for (const end of ends) end();
    clearTimeout(timer);
  };
}

export function isUnsaved(): boolean {
  const { saved, leftover } = useSaving.getState();
  return !leftover && saved !== null && saved !== useEditor.getState().document;
}

function changed(document: FlowDocument): void {
  const { saved, status, person, flow, revision } = useSaving.getState();
  if (!saved || document === saved) {
    if (status === "unsaved") useSaving.setState({ status: "saved" });
    clearTimeout(timer);
    if (saved) void dropCopy(person, flow);
    return;
  }
  void keepCopy(person, flow, { document, base: saved, revision, at: Date.now() });
  if (status === "conflict") return; // somebody has to choose first; the copy is kept
  if (status !== "saving") useSaving.setState({ status: "unsaved" });
  schedule(PAUSE_MS);
}

function schedule(ms: number): void {
  clearTimeout(timer);
  if (isUnsaved() && !useSaving.getState().conflict) timer = setTimeout(() => void save(), ms);
}

function save(): Promise<void> {
  running ??= send().finally(() => {
    running = null;
  });
  return running;
}

async function send(): Promise<void> {
  const { flow, revision, person, conflict } = useSaving.getState();
  const { document } = useEditor.getState();
  if (conflict) return;
  useSaving.setState({ status: "saving" });
  try {
    const draft = await saveDraft(flow, document, revision);
    useSaving.setState({ ...known(draft, document), status: "saved", refusal: null });
    pause = FIRST_RETRY_MS;
    if (useEditor.getState().document === document) await dropCopy(person, flow);
    else changed(useEditor.getState().document);
  } catch (error) {
    failed(error);
  }
}

function failed(error: unknown): void {
  if (error instanceof ApiError && error.code === "revision_conflict") {
    useSaving.setState({ status: "conflict", conflict: conflictOf(error.details) });
  } else if (isSignedOut(error)) {
    useSaving.setState({ status: "signed out" });
  } else if (error instanceof ApiError) {
    useSaving.setState({ status: "refused", refusal: error.message });
    if (error.status === 429) schedule(LONGEST_RETRY_MS);
  } else {
    useSaving.setState({ status: "unreachable" });
    if (!(error instanceof Unreachable)) console.error(error);
    schedule(pause);
    pause = Math.min(pause * 2, LONGEST_RETRY_MS);
  }
}

function conflictOf(details: unknown): Conflict {
  const told = details as { document: FlowDocument; revision: number; updated_by: string | null; updated_at: string };
  return {
    document: opened(told.document),
    revision: told.revision,
    updatedBy: told.updated_by,
    updatedAt: told.updated_at,
  };
}

/** The tab is closing: the copy in this browser is written already; small documents can still reach the server. */
function lastChance(): void {
  const { flow, revision, conflict, status } = useSaving.getState();
  if (!isUnsaved() || conflict || status === "saving") return;
  void saveDraft(flow, useEditor.getState().document, revision, true).catch(() => undefined);
}

function listen<Name extends keyof WindowEventMap>(
  target: Window,
  name: Name,
  react: (event: WindowEventMap[Name]) => void,
): () => void {
  target.addEventListener(name, react);
  return () => target.removeEventListener(name, react);
}
