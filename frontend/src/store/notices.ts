// What the page says to the person who just did something: shown for some seconds and read out. Errors of data stay at
// their cause; here stand only answers to an action.
import { create } from "zustand";

export type Tone = "done" | "refused";

export interface Notice {
  number: number;
  text: string;
  tone: Tone;
}

interface NoticesState {
  notice: Notice | null;
  /** Only read out, for what is seen anyway: selection, zoom, focus. */
  spoken: string;
  tell(text: string, tone?: Tone): void;
  speak(text: string): void;
  dismiss(number: number): void;
}

let count = 0;

export const useNotices = create<NoticesState>()((set, get) => ({
  notice: null,
  spoken: "",
  tell(text, tone = "done") {
    count += 1;
    set({ notice: { number: count, text, tone } });
  },
  speak(text) {
    // The same text once more would be no change, and nothing would be read out.
    set({ spoken: text === get().spoken ? `${text}\u00a0` : text });
  },
  dismiss(number) {
    if (get().notice?.number === number) set({ notice: null });
  },
}));

export const tell = (text: string, tone?: Tone) => useNotices.getState().tell(text, tone);
export const speak = (text: string) => useNotices.getState().speak(text);
