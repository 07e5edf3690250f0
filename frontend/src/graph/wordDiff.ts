// Which words of a text changed: for prompts and expressions, where the whole value says too little.
import { diffWordsWithSpace } from "diff";

export interface Piece {
  kind: "same" | "added" | "removed";
  text: string;
}

/** The pieces of both texts in order. Texts that differ too much to be compared in time are shown whole. */
export function wordDiff(before: string, after: string): Piece[] {
  const found = diffWordsWithSpace(before, after, { timeout: 200 });
  if (!found)
    return [
      { kind: "removed", text: before },
      { kind: "added", text: after },
    ];
  return found.map(({ added, removed, value }) => ({
    kind: added ? "added" : removed ? "removed" : "same",
    text: value,
  }));
}
