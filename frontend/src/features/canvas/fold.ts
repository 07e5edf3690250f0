// How a container is folded and opened: by the document in the editor, by the page alone where nothing can be changed.
import { createContext } from "react";

export const FoldContext = createContext<(id: string) => void>(() => {});

/** Pixels on the screen below which nothing is to be pressed. */
const LEAST = 24;
/** In steps, so that the canvas is drawn anew at few of the zooms; the largest still fits into the head of a container. */
const SIZES = [24, 28, 32, 36] as const;

/** How large a fold button is drawn, so that it can be hit at this zoom; null where it could not, and is left out. */
export const foldSize = (zoom: number): number | null => SIZES.find((size) => size * zoom >= LEAST) ?? null;
