// Where a flow is too large to be read at once: containers that begin folded, levels that want a flow of their own.
import type { FlowDocument, FlowNode } from "./document";
import { labelOf } from "./document";
import { wiringOf } from "./wiring";

/** A flow of more nodes is opened with its containers folded: nobody reads so many, and drawing them costs. */
export const MANY_NODES = 200;

/** From so many nodes on one level a flow is hard to read. */
export const MANY_ON_A_LEVEL = 200;

/** From so many on one level the canvas becomes slow. */
export const TOO_MANY_ON_A_LEVEL = 500;

export interface Crowd {
  /** What the level is called: the container's name, or the flow. */
  where: string;
  count: number;
  tooMany: boolean;
}

/** The fullest level, if it is too full. */
export function crowdOf(document: FlowDocument): Crowd | null {
  const { children, nodes } = wiringOf(document);
  let fullest: Crowd | null = null;
  for (const [parent, inner] of children) {
    const count = inner.length;
    if (count < MANY_ON_A_LEVEL || count <= (fullest?.count ?? 0)) continue;
    const holder = parent === undefined ? undefined : nodes.get(parent);
    fullest = { where: holder ? labelOf(holder) : "the flow", count, tooMany: count >= TOO_MANY_ON_A_LEVEL };
  }
  return fullest;
}

/** The containers of a large flow. Who opens it sees them folded at first; what holds nothing needs no folding. */
export function foldedAtFirst(document: FlowDocument): FlowNode[] {
  if (document.nodes.length <= MANY_NODES) return [];
  const { children } = wiringOf(document);
  return document.nodes.filter((node) => children.has(node.id));
}
