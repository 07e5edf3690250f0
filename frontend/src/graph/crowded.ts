// Where a flow has become too large to be read: so many nodes on one level that parts of it want a flow of their own.
import type { FlowDocument } from "./document";
import { labelOf } from "./document";
import { wiringOf } from "./wiring";

/** From so many nodes on one level a flow is hard to read, and on the canvas slow to move. */
export const MANY_ON_A_LEVEL = 150;

export interface Crowd {
  /** What the level is called: the container's name, or the flow. */
  where: string;
  count: number;
}

/** The fullest level, if it is too full. */
export function crowdOf(document: FlowDocument): Crowd | null {
  const { children, nodes } = wiringOf(document);
  let fullest: Crowd | null = null;
  for (const [parent, inner] of children) {
    if (inner.length < MANY_ON_A_LEVEL || inner.length <= (fullest?.count ?? 0)) continue;
    const holder = parent === undefined ? undefined : nodes.get(parent);
    fullest = { where: holder ? labelOf(holder) : "the flow", count: inner.length };
  }
  return fullest;
}
