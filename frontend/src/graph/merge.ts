// Two people changed the same draft: which parts differ, and one document out of both. Parts are nodes, edges, and the
// keys at the top. A part that only one side changed is taken from that side; for the rest somebody has to choose.
import type { FlowDocument, FlowEdge, FlowNode } from "./document";
import { isObject } from "./pointer";

export type Side = "mine" | "theirs";

/** One part that differs between the sides. `key` is `node:ID`, `edge:ID` or `top:KEY`; an absent side is undefined. */
export interface Difference {
  key: string;
  base: unknown;
  mine: unknown;
  theirs: unknown;
  /** Who changed it; `both` needs a choice. */
  changedBy: Side | "both";
}

/** The parts in which the two sides differ, in the order of mine, then those that only theirs has. */
export function differences(base: FlowDocument, mine: FlowDocument, theirs: FlowDocument): Difference[] {
  const [b, m, t] = [partsOf(base), partsOf(mine), partsOf(theirs)];
  const keys = [...new Set([...m.keys(), ...t.keys()])];
  const found: Difference[] = [];
  for (const key of keys) {
    const [before, own, other] = [b.get(key), m.get(key), t.get(key)];
    if (same(own, other)) continue;
    const changedBy = same(own, before) ? "theirs" : same(other, before) ? "mine" : "both";
    found.push({ key, base: before, mine: own, theirs: other, changedBy });
  }
  return found;
}

/** One document: each part as its only changer has it; where both changed it, as `choices` says, else mine. */
export function merged(
  base: FlowDocument,
  mine: FlowDocument,
  theirs: FlowDocument,
  choices: Readonly<Record<string, Side>> = {},
): FlowDocument {
  return combined(base, mine, theirs, ({ key, mine: own, theirs: other }) => (choices[key] === "theirs" ? other : own));
}

/** A step of the undo history, made before `theirs` came in place of `base`: what they changed stays as they have it,
 * down to single values of a part. */
export function rebased(base: FlowDocument, step: FlowDocument, theirs: FlowDocument): FlowDocument {
  return combined(base, step, theirs, (part) => withTheirs(part.base, part.mine, part.theirs));
}

function withTheirs(base: unknown, mine: unknown, theirs: unknown): unknown {
  if (same(theirs, base)) return mine;
  if (same(mine, base) || !isObject(base) || !isObject(mine) || !isObject(theirs)) return theirs;
  const keys = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])];
  const values = keys.map((key): [string, unknown] => [key, withTheirs(base[key], mine[key], theirs[key])]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** Each part as its only changer has it; where both changed it, as `settled` says. An absent part is undefined. */
function combined(
  base: FlowDocument,
  mine: FlowDocument,
  theirs: FlowDocument,
  settled: (difference: Difference) => unknown,
): FlowDocument {
  const chosen = new Map<string, unknown>(partsOf(mine));
  for (const difference of differences(base, mine, theirs)) {
    if (difference.changedBy === "mine") continue;
    const value = difference.changedBy === "theirs" ? difference.theirs : settled(difference);
    if (value === undefined) chosen.delete(difference.key);
    else chosen.set(difference.key, value);
  }
  const order = [...partsOf(theirs).keys()].filter((key) => chosen.has(key));
  return assembled(
    inserted(
      [...partsOf(mine).keys()].filter((key) => chosen.has(key)),
      order,
    ),
    chosen,
  );
}

/** The keys of one side, with those that only the other has put behind the part that they follow there. */
function inserted(keys: string[], others: readonly string[]): string[] {
  const result = [...keys];
  const known = new Set(keys);
  others.forEach((key, index) => {
    if (known.has(key)) return;
    const before = others.slice(0, index).findLast((one) => known.has(one) && kindOf(one) === kindOf(key));
    result.splice(before === undefined ? result.length : result.indexOf(before) + 1, 0, key);
    known.add(key);
  });
  return result;
}

function assembled(keys: readonly string[], parts: ReadonlyMap<string, unknown>): FlowDocument {
  const top = keys.filter((key) => kindOf(key) === "top").map((key) => [key.slice(4), parts.get(key)]);
  const nodes = keys.filter((key) => kindOf(key) === "node").map((key) => parts.get(key) as FlowNode);
  const ids = new Set(nodes.map((node) => node.id));
  const edges = keys
    .filter((key) => kindOf(key) === "edge")
    .map((key) => parts.get(key) as FlowEdge)
    .filter((edge) => ids.has(edge.source) && ids.has(edge.target));
  return { ...(Object.fromEntries(top) as unknown as FlowDocument), nodes, edges };
}

function kindOf(key: string): string {
  return key.slice(0, key.indexOf(":"));
}

function partsOf(document: FlowDocument): Map<string, unknown> {
  const { nodes, edges, ...top } = document;
  return new Map<string, unknown>([
    ...Object.entries(top).map(([key, value]): [string, unknown] => [`top:${key}`, value]),
    ...nodes.map((node): [string, unknown] => [`node:${node.id}`, node]),
    ...edges.map((edge): [string, unknown] => [`edge:${edge.id}`, edge]),
  ]);
}

/** The same document as `next`, with the very parts of `base` where they say the same: what shows them needs no redraw. */
export function sharing(base: FlowDocument, next: FlowDocument): FlowDocument {
  const known = partsOf(base);
  const parts = [...partsOf(next)].map(([key, value]): [string, unknown] => {
    const before = known.get(key);
    return [key, before !== undefined && same(before, value) ? before : value];
  });
  const of = (kind: string) => parts.filter(([key]) => kindOf(key) === kind).map(([, value]) => value);
  const top = parts.filter(([key]) => kindOf(key) === "top").map(([key, value]) => [key.slice(4), value]);
  return {
    ...(Object.fromEntries(top) as unknown as FlowDocument),
    nodes: of("node") as FlowNode[],
    edges: of("edge") as FlowEdge[],
  };
}

/** Whether two JSON values are the same, whatever the order of their keys. */
export function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), b as Record<string, unknown>];
  return (
    left.length === Object.keys(right).length && left.every(([key, value]) => key in right && same(value, right[key]))
  );
}
