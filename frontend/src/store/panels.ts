// Which panels beside the canvas are open, how large they are, and which field is to be focused next.
import { create } from "zustand";
import type { Place } from "~/graph/places";
import { useEditor } from "./editor";

/** A wish to stand in a field. `pointer` is a JSON pointer within the place; the empty text is its first field. */
export interface FocusRequest {
  place: Place;
  pointer: string;
}

export const INSPECTOR_WIDTH = { least: 280, usual: 360, most: 720 };
export const PROBLEMS_HEIGHT = { least: 96, usual: 180, most: 480 };
export const TESTS_HEIGHT = { least: 140, usual: 260, most: 640 };

/** As in the styles of the inspector: below it there is no room beside the canvas. */
const NARROW = 700;

export const isNarrow = () => window.innerWidth <= NARROW;

/** Which of the two editors are shown. */
export type Surfaces = "canvas" | "outline" | "both";

const KEPT_AS = "flowsite.surfaces";

/** As it was left in this browser; on a narrow screen the outline, which needs no room to the side. */
function firstSurfaces(): Surfaces {
  if (isNarrow()) return "outline";
  try {
    const kept = localStorage.getItem(KEPT_AS);
    return kept === "outline" || kept === "both" ? kept : "canvas";
  } catch {
    return "canvas";
  }
}

export interface PanelsState {
  inspectorOpen: boolean;
  inspectorWidth: number;
  problemsOpen: boolean;
  problemsHeight: number;
  surfaces: Surfaces;
  testsOpen: boolean;
  testsHeight: number;
  focus: FocusRequest | null;
  /** Open the inspector; with a place, select that and stand in its field at `pointer`. */
  openInspector(place?: Place, pointer?: string): void;
  closeInspector(): void;
  toggleProblems(open?: boolean): void;
  showSurfaces(surfaces: Surfaces): void;
  toggleTests(open?: boolean): void;
  resizeInspector(width: number): void;
  resizeProblems(height: number): void;
  resizeTests(height: number): void;
  /** The field has been focused, or there is none: the wish is done. */
  focusTaken(): void;
}

export const usePanels = create<PanelsState>()((set, get) => ({
  // On a narrow screen it would cover the canvas.
  inspectorOpen: !isNarrow(),
  inspectorWidth: INSPECTOR_WIDTH.usual,
  problemsOpen: false,
  problemsHeight: PROBLEMS_HEIGHT.usual,
  surfaces: firstSurfaces(),
  testsOpen: false,
  testsHeight: TESTS_HEIGHT.usual,
  focus: null,

  openInspector(place, pointer = "") {
    if (place) select(place);
    set({ inspectorOpen: true, ...(place ? { focus: { place, pointer } } : {}) });
  },

  closeInspector() {
    set({ inspectorOpen: false, focus: null });
  },

  toggleProblems(open = !get().problemsOpen) {
    set({ problemsOpen: open });
  },

  showSurfaces(surfaces) {
    set({ surfaces });
    if (isNarrow()) return;
    try {
      localStorage.setItem(KEPT_AS, surfaces);
    } catch {
      // Then the next visit begins with the canvas.
    }
  },

  toggleTests(open = !get().testsOpen) {
    set({ testsOpen: open });
  },

  resizeInspector(width) {
    set({ inspectorWidth: within(width, INSPECTOR_WIDTH) });
  },

  resizeProblems(height) {
    set({ problemsHeight: within(height, PROBLEMS_HEIGHT) });
  },

  resizeTests(height) {
    set({ testsHeight: within(height, TESTS_HEIGHT) });
  },

  focusTaken() {
    set({ focus: null });
  },
}));

function select(place: Place) {
  const { select: choose } = useEditor.getState();
  if (place.kind === "node") choose([place.id]);
  else if (place.kind === "edge") choose([], [place.id]);
  else choose([]);
}

function within(size: number, { least, most }: { least: number; most: number }): number {
  return Math.round(Math.min(most, Math.max(least, size)));
}
