// What other parts of the page can ask of the canvas: bring a node into view, put the focus on it. The canvas on the page
// registers itself; without one every wish is nothing.
import { create } from "zustand";
import type { Position } from "~/graph/document";

export interface CanvasView {
  /** Bring nodes into view, opening nothing: collapsed containers show themselves in their place. */
  reveal(ids: readonly string[]): void;
  /** Bring a node into view and put the focus on it; without an id where the focus was last. */
  focus(id?: string): void;
  fit(): void;
  /** Bring the selection into view, as large as it fits. */
  fitSelection(): void;
  zoomBy(factor: number): void;
  zoomTo(zoom: number): void;
  /** The point of the flow under the pointer, or in the middle of what is seen. */
  pointer(): Position;
  hasPointer(): boolean;
  /** The pointer is there on the screen, or has left. */
  pointerAt(at: Position | null): void;
  /** A point of the screen at a node, for what opens beside it. */
  screenOf(id: string): Position;
  /** The node that has the focus, or had it last. */
  focused(): string | null;
  /** Let what moves next be seen moving, unless people want less motion. */
  animate(): void;
}

interface ViewState {
  view: CanvasView | null;
  register(view: CanvasView | null): void;
}

export const useView = create<ViewState>()((set) => ({
  view: null,
  register(view) {
    set({ view });
  },
}));

export const canvasView = () => useView.getState().view;
