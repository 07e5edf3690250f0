// The kinds of node that were added last, in this browser. Where it keeps nothing, the list begins empty each time.
import { create } from "zustand";

const KEY = "flowsite.recent-nodes";
const MOST = 4;

interface RecentsState {
  keys: readonly string[];
  used(key: string): void;
}

export const useRecents = create<RecentsState>()((set, get) => ({
  keys: read(),
  used(key) {
    const keys = [key, ...get().keys.filter((one) => one !== key)].slice(0, MOST);
    set({ keys });
    try {
      localStorage.setItem(KEY, JSON.stringify(keys));
    } catch {
      // Storage is full or forbidden: then it is forgotten with the page.
    }
  },
}));

function read(): string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}
