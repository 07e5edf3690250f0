// From a problem's place in the document to the node, edge or setting it concerns, and the pointer within that.
import type { FlowDocument } from "./document";
import { join, parts } from "./pointer";

/** What the inspector shows: a node, an edge, or what stands at the top of the document. */
export type Place = { kind: "node"; id: string } | { kind: "edge"; id: string } | { kind: "settings" };

export interface Found {
  place: Place;
  /** JSON pointer within the place; of settings, within the document. */
  pointer: string;
}

/** Where a pointer into a document leads; ids, where they are given, are surer than places in lists. */
export function placeOf(document: FlowDocument, problem: { path: string; node?: string; edge?: string }): Found {
  const [list, index, ...rest] = parts(problem.path);
  const pointer = join("", ...rest);
  if (list === "nodes") {
    const id = document.nodes[Number(index)]?.id ?? problem.node;
    if (typeof id === "string") return { place: { kind: "node", id }, pointer };
  }
  if (list === "edges") {
    const id = problem.edge ?? document.edges[Number(index)]?.id;
    if (id !== undefined) return { place: { kind: "edge", id }, pointer };
  }
  if (problem.node !== undefined) return { place: { kind: "node", id: problem.node }, pointer: "" };
  if (problem.edge !== undefined) return { place: { kind: "edge", id: problem.edge }, pointer: "" };
  return { place: { kind: "settings" }, pointer: problem.path };
}

/** Of the fields that are there, the one at a pointer, or the nearest around it; null where nothing is. */
export function nearest(pointers: readonly string[], wanted: string): string | null {
  const known = new Set(pointers);
  const keys = parts(wanted);
  for (let length = keys.length; length >= 0; length -= 1) {
    const at = join("", ...keys.slice(0, length));
    if (known.has(at)) return at;
    const inside = pointers.find((one) => one.startsWith(`${at}/`));
    if (length === keys.length && inside !== undefined) return inside;
  }
  return null;
}

/** The field in words: `arguments › amount`. */
export function fieldWords(pointer: string): string {
  const keys = parts(pointer).filter((key) => key !== "config");
  return keys.map((key) => (/^\d+$/.test(key) ? String(Number(key) + 1) : key)).join(" › ");
}

/** What a problem says where its field is named already: not once more. */
export function messageAt({ path, message }: { path: string; message: string }): string {
  const named = /^([\w.-]+): /.exec(message);
  const [said, keys] = named ?? [];
  if (!said || !keys || !path.endsWith(`/${keys.replaceAll(".", "/")}`)) return message;
  const rest = message.slice(said.length);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}
