// A newer draft that somebody else has saved: taken up at once where nobody here is amid something, since whoever finds
// out late has more to merge; offered where somebody is; and where changes are unsaved, shown beside them before saving
// fails. The undo steps stay: they undo what was done here, and nothing of the others'.
import { create } from "zustand";
import { readDraft } from "~/api/flows";
import { opened } from "~/graph/document";
import { whyNotDrawn } from "~/graph/drawable";
import { isUnsaved, useSaving } from "./saving";

/** Shortest time between two drafts taken up unasked: who follows somebody typing is not to see it flicker. */
const REST_MS = 1_000;

interface Newer {
  revision: number;
  /** Who saved it; null: it is not known. */
  by: string | null;
}

interface NewerState {
  /** What is not taken up yet. */
  newer: Newer | null;
  /** Who saved what was taken up last. */
  takenFrom: Newer | null;
  /** Why it could not be taken up. */
  failure: string | null;
  heard(revision: number, by: string | null): void;
  /** Take it up now, or show it beside what is unsaved. */
  take(): Promise<void>;
}

let loading = false;
let timer: ReturnType<typeof setTimeout> | undefined;
let last = Number.NEGATIVE_INFINITY;

export const useNewerDraft = create<NewerState>()((set) => ({
  newer: null,
  takenFrom: null,
  failure: null,

  heard(revision, by) {
    if (revision > useSaving.getState().revision) set({ newer: { revision, by }, failure: null });
    consider();
  },

  async take() {
    const { flow } = useSaving.getState();
    if (loading || !waits()) return;
    loading = true;
    try {
      const draft = await readDraft(flow);
      const { status, revision, conflict, meet, adopt } = useSaving.getState();
      if (status === "saving" || conflict || draft.revision <= revision) return; // told again after saving
      if (whyNotDrawn(draft.document).length) {
        set({ failure: "It cannot be drawn. Reload the page to mend it." });
        return;
      }
      last = Date.now();
      set({ newer: beyond(draft.revision), failure: null });
      if (isUnsaved()) return meet(draft);
      adopt(draft, opened(draft.document));
      set({ takenFrom: { revision: draft.revision, by: draft.updated_by } });
    } catch (error) {
      set({ failure: (error as Error).message });
    } finally {
      loading = false;
    }
  },
}));

/** What was heard of, if it is newer still: more may be saved while a draft is being read. */
function beyond(revision: number): Newer | null {
  const { newer } = useNewerDraft.getState();
  return newer && newer.revision > revision ? newer : null;
}

function waits(): boolean {
  const { newer } = useNewerDraft.getState();
  const { revision, conflict, leftover, status } = useSaving.getState();
  if (newer && newer.revision <= revision) useNewerDraft.setState({ newer: null, failure: null });
  return Boolean(newer && newer.revision > revision && !conflict && !leftover && status !== "saving");
}

/** Take up what was heard of unless somebody here is amid something; then it is offered. */
function consider(): void {
  clearTimeout(timer);
  if (!waits() || useNewerDraft.getState().failure) return;
  if (isAmidSomething() && !isUnsaved()) return;
  const rest = isUnsaved() ? 0 : Math.max(0, last + REST_MS - Date.now());
  timer = setTimeout(() => void useNewerDraft.getState().take(), rest);
}

let pressed = false;

/** A gesture, a text that is being written, a dialog: what is under it must not change. */
function isAmidSomething(): boolean {
  const focus = document.activeElement;
  const writes =
    focus instanceof HTMLElement && (focus.isContentEditable || focus.matches("input, textarea, select, .code-host"));
  return pressed || writes || document.querySelector("dialog[open]") !== null;
}

/** Follows what people here do and what is saved, until the function that this gives is called. */
export function followNewerDraft(): () => void {
  const ends = [useSaving.subscribe(consider)];
  const soon = () => void setTimeout(consider);
  const listen = (name: string, react: () => void) => {
    window.addEventListener(name, react, true);
    ends.push(() => window.removeEventListener(name, react, true));
  };
  listen("pointerdown", () => {
    pressed = true;
  });
  for (const name of ["pointerup", "pointercancel"])
    listen(name, () => {
      pressed = false;
      soon();
    });
  for (const name of ["focusout", "close"]) listen(name, soon);
  return () => {
    for (const end of ends) end();
    clearTimeout(timer);
    pressed = false;
    useNewerDraft.setState({ newer: null, takenFrom: null, failure: null });
  };
}
