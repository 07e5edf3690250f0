// Nodes as JSON text, for the clipboard: out of one flow, into another or the same, with new ids.
import {
  type FlowDocument,
  type FlowEdge,
  type FlowNode,
  type Json,
  type Position,
  placeOf,
  withDescendants,
} from "./document";
import type { Edit } from "./edits";
import { freeId } from "./ids";
import { outermost } from "./moving";

export interface Fragment {
  nodes: FlowNode[];
  edges: FlowEdge[];
}

/** The chosen nodes with what they hold, and the edges between them. The outermost stand at top level, from (0, 0) on. */
export function fragmentOf(document: FlowDocument, ids: Iterable<string>, at: (id: string) => Position): Fragment {
  const top = new Set(outermost(document, ids));
  const all = withDescendants(document, top);
  const places = [...top].map(at);
  const origin = { x: Math.min(...places.map((one) => one.x)), y: Math.min(...places.map((one) => one.y)) };
  const nodes = document.nodes
    .filter((node) => all.has(node.id))
    .map((node) => {
      if (!top.has(node.id)) return node;
      const { parent: _, position: __, ...rest } = node;
      const place = at(node.id);
      return { ...rest, layout: { ...rest.layout, x: place.x - origin.x, y: place.y - origin.y } };
    });
  return { nodes, edges: document.edges.filter((edge) => all.has(edge.source) && all.has(edge.target)) };
}

export function fragmentText(fragment: Fragment): string {
  return `${JSON.stringify({ "x-flowsite": "nodes", format: 1, ...fragment }, null, 2)}\n`;
}

export type Parsed = { fragment: Fragment } | { refusal: string };

/** Read nodes out of a text: what was copied here, a whole flow document, a list of nodes, or one node. */
export function parseFragment(text: string): Parsed {
  if (!text.trim()) return { refusal: "The clipboard holds no text. Copy nodes first." };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { refusal: `The clipboard's text is not JSON: ${placeOfError(text, error)}` };
  }
  const whole = Array.isArray(value)
    ? { nodes: value }
    : isObject(value) && "type" in value
      ? { nodes: [value] }
      : value;
  if (!isObject(whole) || !Array.isArray(whole.nodes))
    return { refusal: "The clipboard's JSON holds no nodes: it has no list `nodes`." };
  if (!whole.nodes.length) return { refusal: "The clipboard's list `nodes` is empty." };
  return checked(whole.nodes, Array.isArray(whole.edges) ? whole.edges : []);
}

function checked(nodes: unknown[], edges: unknown[]): Parsed {
  const ids = new Set<string>();
  for (const [index, node] of nodes.entries()) {
    const wrong = wrongNode(node, ids);
    if (wrong) return { refusal: `The clipboard's nodes cannot be read: nodes[${index}] ${wrong}` };
    ids.add((node as FlowNode).id);
  }
  for (const [index, edge] of edges.entries()) {
    if (!isObject(edge) || typeof edge.source !== "string" || typeof edge.target !== "string")
      return {
        refusal: `The clipboard's edges cannot be read: edges[${index}] needs the texts \`source\` and \`target\`.`,
      };
  }
  const kept = (edges as FlowEdge[]).filter((edge) => ids.has(edge.source) && ids.has(edge.target));
  const whole = (nodes as FlowNode[]).map((node) => ({ ...node, config: node.config ?? {} }));
  return { fragment: { nodes: whole, edges: kept.map((edge, index) => ({ ...edge, id: edge.id ?? `e${index}` })) } };
}

function wrongNode(node: unknown, ids: ReadonlySet<string>): string | null {
  if (!isObject(node)) return "is no object.";
  if (typeof node.type !== "string" || !node.type) return "has no text `type`.";
  if (typeof node.id !== "string" || !node.id) return "has no text `id`.";
  if (ids.has(node.id)) return `has the id ${node.id}, which another one has too.`;
  if (node.config !== undefined && !isObject(node.config)) return "has a `config` that is no object.";
  const place = node.layout ?? node.position;
  if (place !== undefined && !(isObject(place) && Number.isFinite(place.x) && Number.isFinite(place.y)))
    return "has a `layout` without the numbers `x` and `y`.";
  return null;
}

/** Browsers tell the position in different words, if at all. */
function placeOfError(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const found = /position (\d+)/.exec(message);
  if (!found) return message;
  const before = text.slice(0, Number(found[1])).split("\n");
  return `line ${before.length}, character ${(before.at(-1)?.length ?? 0) + 1}. ${message.replace(/ in JSON.*/, "")}.`;
}

export interface Pasted {
  edit: Edit;
  /** The new ids of the outermost nodes. */
  ids: string[];
  /** Ids that the nodes refer to and that the flow does not have. */
  unresolved: string[];
}

/** Put nodes into a container (undefined: top level), the first corner at `at` within it. */
export function paste(document: FlowDocument, fragment: Fragment, parent: string | undefined, at: Position): Pasted {
  const taken = new Set(document.nodes.map((node) => node.id));
  const names = new Map<string, string>();
  for (const node of fragment.nodes) {
    const id = freeId(node.id, taken);
    taken.add(id);
    names.set(node.id, id);
  }
  const inner = new Set(fragment.nodes.map((node) => node.id));
  const isTop = (node: FlowNode) => node.parent === undefined || !inner.has(node.parent);
  const nodes = fragment.nodes.map((node) => renamed(node, names, isTop(node) ? { parent, at } : null));
  const edgeIds = new Set(document.edges.map((edge) => edge.id));
  const edges = fragment.edges.map((edge) => {
    const [source, target] = [names.get(edge.source) ?? edge.source, names.get(edge.target) ?? edge.target];
    const id = freeId(edgeIds.has(edge.id) ? `${source}_${target}` : edge.id, edgeIds);
    edgeIds.add(id);
    return { ...edge, id, source, target, ...(edge.when ? { when: renamedText(edge.when, names) } : {}) };
  });
  const known = new Set([...taken]);
  return {
    edit: (current) => ({ ...current, nodes: [...current.nodes, ...nodes], edges: [...current.edges, ...edges] }),
    ids: fragment.nodes.filter(isTop).map((node) => names.get(node.id) ?? node.id),
    unresolved: [...new Set(nodes.flatMap(stepsIn))].filter((id) => !known.has(id)),
  };
}

function renamed(node: FlowNode, names: ReadonlyMap<string, string>, top: { parent?: string; at: Position } | null) {
  const { parent, position: _, ...rest } = node;
  const place = placeOf(node);
  const next: FlowNode = {
    ...rest,
    id: names.get(node.id) ?? node.id,
    config: renamedValue(node.config as Json, names) as FlowNode["config"],
  };
  if (node.synthesis && names.has(node.synthesis)) next.synthesis = names.get(node.synthesis);
  if (!top) return { ...next, parent: names.get(parent ?? "") ?? parent };
  next.layout = { ...rest.layout, x: Math.round(place.x + top.at.x), y: Math.round(place.y + top.at.y) };
  return top.parent === undefined ? next : { ...next, parent: top.parent };
}

const STEP = /\bsteps(\.|\[['"])([A-Za-z_][A-Za-z0-9_]*)/g;

/** `steps.<id>` in expressions and templates follows a node to its new id. */
function renamedText(text: string, names: ReadonlyMap<string, string>): string {
  return text.replace(STEP, (whole, dot: string, id: string) =>
    names.has(id) ? `steps${dot}${names.get(id)}` : whole,
  );
}

function renamedValue(value: Json, names: ReadonlyMap<string, string>): Json {
  if (typeof value === "string") return renamedText(value, names);
  if (Array.isArray(value)) return value.map((one) => renamedValue(one, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, renamedValue(inner as Json, names)]));
}

function stepsIn(node: FlowNode): string[] {
  return [...JSON.stringify(node.config ?? {}).matchAll(STEP)].map((found) => found[2] ?? "");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
