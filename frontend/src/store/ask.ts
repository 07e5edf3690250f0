// Questions that an action asks before it goes on. One at a time; the page shows it as a dialog.
import { create } from "zustand";

export interface Question {
  title: string;
  text?: string;
  /** Shown as a list. */
  lines?: readonly string[];
  confirm: string;
}

interface AskState {
  question: Question | null;
  answer(yes: boolean): void;
}

let resolve: (yes: boolean) => void = () => {};

export const useAsk = create<AskState>()((set) => ({
  question: null,
  answer(yes) {
    set({ question: null });
    resolve(yes);
  },
}));

/** Resolves with the answer; false also where another question takes its place. */
export function ask(question: Question): Promise<boolean> {
  resolve(false);
  return new Promise((done) => {
    resolve = done;
    useAsk.setState({ question });
  });
}
