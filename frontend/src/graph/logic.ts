// What of a document a run can notice: two that differ in names, notes and places alone do the same.
import type { FlowDocument, FlowEdge, FlowNode } from "./document";
import { isObject } from "./pointer";

/** Keys that no step ever reads, by where they stand. As the server's `logic_hash` has them. */
const FOR_PEOPLE = {
  node: new Set(["name", "description", "notes", "layout", "position"]),
  edge: new Set(["label"]),
  document: new Set(["name", "description", "nodes", "edges"]),
};

const written = new WeakMap<object, string>();

/** Nodes and edges keep their identity while others change, so each is written once. */
function textOf(part: object, kind: keyof typeof FOR_PEOPLE): string {
  const found = written.get(part);
  if (found !== undefined) return found;
  const kept = Object.entries(part).filter(([key]) => !FOR_PEOPLE[kind].has(key) && !key.startsWith("x-"));
  const text = JSON.stringify(Object.fromEntries(kept), sorted);
  written.set(part, text);
  return text;
}

/** Objects with their keys in order, so that the order in which they were written says nothing. */
function sorted(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Whether a run could not tell these two nodes apart. */
export function sameNode(a: FlowNode | undefined, b: FlowNode | undefined): boolean {
  if (a === b) return true;
  return a !== undefined && b !== undefined && textOf(a, "node") === textOf(b, "node");
}

function sameList<Part extends FlowNode | FlowEdge>(a: readonly Part[], b: readonly Part[], kind: "node" | "edge") {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  return a.every((part, index) => {
    const other = b[index];
    return other !== undefined && (part === other || textOf(part, kind) === textOf(other, kind));
  });
}

/** Whether a run could not tell these two documents apart. Order counts: it is that of scheduling. */
export function sameLogic(a: FlowDocument, b: FlowDocument): boolean {
  if (a === b) return true;
  if (!sameList(a.nodes, b.nodes, "node") || !sameList(a.edges, b.edges, "edge")) return false;
  return textOf(a, "document") === textOf(b, "document");
}
