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
  zoomBy(factor: number): void;
  zoomTo(zoom: number): void;
  /** The point of the flow under the pointer, or in the middle of what is seen. */
  pointer(): Position;
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
