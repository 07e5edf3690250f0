// The ways of the edited document's edges as they are drawn, for finding the edge under the pointer.
import type { Way } from "~/graph/route";

let drawn: ReadonlyMap<string, Way> = new Map();

export const waysNow = () => drawn;

export function rememberWays(ways: ReadonlyMap<string, Way>): void {
  drawn = ways;
}
