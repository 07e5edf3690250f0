// Which edges leave and reach each node, and what follows from it: order, loops, upstream and downstream.
import { type FlowDocument, type FlowEdge, type FlowNode, outcomeOf } from "./document";

export interface Wiring {
  nodes: ReadonlyMap<string, FlowNode>;
  /** Edges in the document's order; only those whose two ends are there. */
  out: ReadonlyMap<string, readonly FlowEdge[]>;
  into: ReadonlyMap<string, readonly FlowEdge[]>;
  children: ReadonlyMap<string | undefined, readonly FlowNode[]>;
}

const known = new WeakMap<FlowDocument, Wiring>();
const NO_EDGES: readonly FlowEdge[] = [];

/** Indexes of a document, made once for each. */
export function wiringOf(document: FlowDocument): Wiring {
  const found = known.get(document);
  if (found) return found;
  const nodes = new Map(document.nodes.map((node) => [node.id, node]));
  const out = new Map<string, FlowEdge[]>();
  const into = new Map<string, FlowEdge[]>();
  for (const edge of document.edges) {
    if (!nodes.has(edge.source) || !nodes.has(edge.target)) continue;
    push(out, edge.source, edge);
    push(into, edge.target, edge);
  }
  const children = new Map<string | undefined, FlowNode[]>();
  for (const node of document.nodes) push(children, parentOf(node, nodes), node);
  const made = { nodes, out, into, children };
  known.set(document, made);
  return made;
}

export const edgesFrom = (wiring: Wiring, id: string) => wiring.out.get(id) ?? NO_EDGES;
export const edgesInto = (wiring: Wiring, id: string) => wiring.into.get(id) ?? NO_EDGES;

/** The container that holds a node, where there is such a node. */
export function parentOf(node: FlowNode, nodes: ReadonlyMap<string, FlowNode>): string | undefined {
  return node.parent !== undefined && node.parent !== node.id && nodes.has(node.parent) ? node.parent : undefined;
}

/** Whether a path leads from one node to another (a node reaches itself), not going on from those in `stop`. */
export function reaches(wiring: Wiring, from: string, to: string, stop: ReadonlySet<string> = new Set()): boolean {
  return from === to || reachable(wiring, [from], "out", stop).has(to);
}

/** All that can be reached along edges, or against them, without the beginnings (unless a loop leads back to them). */
export function reachable(
  wiring: Wiring,
  from: Iterable<string>,
  direction: "out" | "into",
  stop: ReadonlySet<string> = new Set(),
): Set<string> {
  const found = new Set<string>();
  const open = [...from].filter((id) => !stop.has(id));
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const edge of wiring[direction].get(at) ?? NO_EDGES) {
      const next = direction === "out" ? edge.target : edge.source;
      if (found.has(next)) continue;
      found.add(next);
      if (!stop.has(next)) open.push(next);
    }
  }
  return found;
}

/** Whether an edge between two nodes would close a loop. */
export function closesLoop(document: FlowDocument, source: string, target: string): boolean {
  return reaches(wiringOf(document), target, source);
}

/**
 * All nodes in the order in which people read them: along the edges, what a container holds right after it. Where edges
 * lead back, and among equals, the document's order counts.
 */
export function readingOrder(document: FlowDocument): string[] {
  const wiring = wiringOf(document);
  const order: string[] = [];
  const seen = new Set<string>();
  const visitLevel = (parent: string | undefined) => {
    for (const id of levelOrder(wiring, wiring.children.get(parent) ?? [])) {
      if (seen.has(id)) continue;
      seen.add(id);
      order.push(id);
      visitLevel(id);
    }
  };
  visitLevel(undefined);
  // What containers hold that hold one another is reached from nowhere.
  for (const node of document.nodes) if (!seen.has(node.id)) order.push(node.id);
  return order;
}

/** The nodes of one level along their edges: depth first, each after all that lead to it, but for edges that lead back. */
export function levelOrder(wiring: Wiring, nodes: readonly FlowNode[]): string[] {
  const members = new Set(nodes.map((node) => node.id));
  const state = new Map<string, "open" | "done">();
  const finished: string[] = [];
  const entries = nodes.filter((node) => !edgesInto(wiring, node.id).some((edge) => members.has(edge.source)));
  // Backwards, because what finishes last comes first.
  for (const node of entries.reverse()) visit(node.id);
  for (const node of nodes) if (!state.has(node.id)) visitLate(node.id);
  return finished.reverse();

  function visit(start: string) {
    const stack: { id: string; next: string[] }[] = [];
    const enter = (id: string) => {
      state.set(id, "open");
      const next = edgesFrom(wiring, id).map((edge) => edge.target);
      stack.push({ id, next: next.filter((target) => members.has(target)) });
    };
    if (!state.has(start)) enter(start);
    for (let top = stack.at(-1); top; top = stack.at(-1)) {
      const next = top.next.pop();
      if (next === undefined) {
        state.set(top.id, "done");
        finished.push(top.id);
        stack.pop();
      } else if (!state.has(next)) enter(next);
    }
  }

  /** Nodes of a loop that nothing leads into stand after all others. */
  function visitLate(id: string) {
    const before = finished.splice(0);
    visit(id);
    finished.push(...before);
  }
}

/** The edges that lead back in reading order: each closes a loop. */
export function backEdges(document: FlowDocument): Set<string> {
  const place = new Map(readingOrder(document).map((id, index) => [id, index]));
  const at = (id: string) => place.get(id) ?? 0;
  return new Set(document.edges.filter((edge) => at(edge.target) <= at(edge.source)).map((edge) => edge.id));
}

/** Nodes that a node shares its predecessor with, itself among them; for the first ones: the first ones of its level. */
export function siblingsOf(document: FlowDocument, id: string): string[] {
  const wiring = wiringOf(document);
  const first = edgesInto(wiring, id).find((edge) => edge.source !== id);
  if (first) return [...new Set(edgesFrom(wiring, first.source).map((edge) => edge.target))];
  const node = wiring.nodes.get(id);
  const level = wiring.children.get(node ? parentOf(node, wiring.nodes) : undefined) ?? [];
  return level.filter((one) => !edgesInto(wiring, one.id).length).map((one) => one.id);
}

/** Where a path that starts a node can begin: success edges first. */
export function successorsOf(document: FlowDocument, id: string): string[] {
  const edges = edgesFrom(wiringOf(document), id);
  const main = edges.filter((edge) => outcomeOf(edge) === "success");
  return [...new Set([...main, ...edges].map((edge) => edge.target))];
}

export function predecessorsOf(document: FlowDocument, id: string): string[] {
  return [...new Set(edgesInto(wiringOf(document), id).map((edge) => edge.source))];
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
