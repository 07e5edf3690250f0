// What lies over a drawn flow, for its cards and lines: given once by the canvas, read by each for itself.
import { createContext, useCallback, useContext, useSyncExternalStore } from "react";
import type { DiffMark, DiffMarks, EdgeOverlay, Overlay, StepOverlay } from "./overlay";

export interface Layers {
  overlay: Overlay | null;
  diff: DiffMarks | null;
  /** Nodes can be added, connected and moved; their problems are shown. */
  editable: boolean;
}

export const LayersContext = createContext<Layers>({ overlay: null, diff: null, editable: false });

export const useLayers = () => useContext(LayersContext);

const never = () => () => {};

export function useStepOverlay(id: string): StepOverlay | undefined {
  const { overlay } = useLayers();
  const read = useCallback(() => overlay?.node(id), [overlay, id]);
  return useSyncExternalStore(overlay?.subscribe ?? never, read);
}

export function useEdgeOverlay(id: string): EdgeOverlay | undefined {
  const { overlay } = useLayers();
  const read = useCallback(() => overlay?.edge(id), [overlay, id]);
  return useSyncExternalStore(overlay?.subscribe ?? never, read);
}

/** `same` where versions are compared and this does not differ; undefined where none are. */
export function useDiffMark(kind: "nodes" | "edges", id: string): DiffMark | "same" | undefined {
  const { diff } = useLayers();
  return diff ? (diff[kind].get(id) ?? "same") : undefined;
}
