// What the canvas asks at a point of the screen: which node to add, where to connect, which outcome, which command.
import { create } from "zustand";
import type { Start } from "~/graph/connecting";
import type { Spot } from "./actions/adding";

export type Wish =
  /** A new node. */
  | { kind: "add"; spot: Spot }
  /** What to connect a port with, or where to lead an edge that is there. */
  | { kind: "connect"; start: Start; edge?: string }
  /** One of the edges of a node. */
  | { kind: "edges"; node: string }
  /** A container to move the selection into. */
  | { kind: "into" }
  /** Which outcome an edge leaves by; then what it leads to, unless that is known. */
  | { kind: "outcome"; source: string; target?: string }
  /** What can be done with the selection. */
  | { kind: "menu" };

export type Asked = Wish & { x: number; y: number };

interface PickerState {
  asked: Asked | null;
  open(asked: Asked): void;
  close(): void;
}

export const usePicker = create<PickerState>()((set) => ({
  asked: null,
  open(asked) {
    set({ asked });
  },
  close() {
    set({ asked: null });
  },
}));
