// What other parts of the page can ask of the canvas: bring a node into view, put the focus on it. The canvas on the page
// registers itself; without one every wish is nothing.
import { create } from "zustand";
import type { Position } from "~/graph/document";

export interface CanvasView {
  /**
   * Bring nodes into view. What the page folded around them is opened; a container that the document says is collapsed
   * shows itself in their place.
   */
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

/** The two editors of a flow that stand beside one another: the drawn one and the one in rows. */
export type Surface = "canvas" | "outline";

interface ViewState {
  view: CanvasView | null;
  outline: CanvasView | null;
  /** Where the focus was last: there what was just made is shown. */
  last: Surface;
  register(view: CanvasView | null): void;
  registerOutline(view: CanvasView | null): void;
}

export const useView = create<ViewState>()((set) => ({
  view: null,
  outline: null,
  last: "canvas",
  register(view) {
    set({ view });
  },
  registerOutline(outline) {
    set({ outline });
  },
}));

/** The editor in which somebody works now; where only one is on the page, that. */
export function canvasView(): CanvasView | null {
  const { view, outline, last } = useView.getState();
  return (last === "outline" ? outline : view) ?? view ?? outline;
}

/** Whether the outline is where somebody works. */
export const isInOutline = () => {
  const { view, outline, last } = useView.getState();
  return outline !== null && (view === null || last === "outline");
};
