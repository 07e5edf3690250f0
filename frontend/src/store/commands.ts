// Everything that can be done by a key, a menu or the command palette, as one named value each. Features add theirs.
import { create } from "zustand";

export interface Command {
  id: string;
  title: string;
  group: string;
  /** "Mod+Z" (Ctrl, or Command on a Mac), "Alt+ArrowUp", "F2", "?". */
  keys?: readonly string[];
  /**
   * Where the keys act. `canvas`: only while canvas or outline have the focus; `outline`: only there, before the
   * canvas's; `picture`: only on the canvas, since they move or show what is drawn.
   */
  scope: "page" | "canvas" | "outline" | "picture";
  /** Why it cannot be done now, in a sentence; null where it can. */
  refusal?(): string | null;
  run(): void;
  /** Not in menus and palette, only in the list of shortcuts: moving the focus and the like. */
  quiet?: boolean;
}

interface CommandsState {
  commands: readonly Command[];
  /** Gives the function that takes them away again. */
  add(commands: readonly Command[]): () => void;
}

export const useCommands = create<CommandsState>()((set) => ({
  commands: [],
  add(added) {
    set((state) => ({ commands: [...state.commands, ...added] }));
    return () => set((state) => ({ commands: state.commands.filter((one) => !added.includes(one)) }));
  },
}));

export const commandOf = (id: string) => useCommands.getState().commands.find((one) => one.id === id);

/** A key press as commands name it. Shift counts only where the key is no sign that already needs it. */
export function keyName(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">): string {
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const isSign = key.length === 1 && key.toUpperCase() === key.toLowerCase();
  return [
    event.ctrlKey || event.metaKey ? "Mod+" : "",
    event.altKey ? "Alt+" : "",
    event.shiftKey && !isSign ? "Shift+" : "",
    key,
  ].join("");
}

/** For people: "Ctrl+Z", on a Mac "⌘Z" is written "Cmd+Z". */
export function keyWords(keys: string): string {
  const mod = /Mac|iP(hone|ad)/.test(navigator.platform) ? "Cmd" : "Ctrl";
  return keys
    .replace("Mod", mod)
    .replace("ArrowUp", "Up")
    .replace("ArrowDown", "Down")
    .replace("ArrowLeft", "Left")
    .replace("ArrowRight", "Right");
}
