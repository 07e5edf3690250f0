// Flow documents as the editor holds them: never changed in place, readable even where they are not valid.
import type { Document, Edge as DocumentEdge, Node as DocumentNode } from "./document.gen";

export type {
  ArtifactDeclaration,
  Budget,
  Input,
  Layout,
  Permissions,
  Policy,
  Preset,
  Retry,
  Rule,
} from "./document.gen";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export type FlowNode = DocumentNode;
/** In the editor each edge has an id. */
export type FlowEdge = DocumentEdge & { id: string };
export type Outcome = NonNullable<DocumentEdge["on"]>;

export interface FlowDocument extends Omit<Document, "nodes" | "edges"> {
  nodes: FlowNode[];
  edges: FlowEdge[];
}

export interface Position {
  x: number;
  y: number;
}

/** The document as the editor works on it: both lists there, each edge with an id that stays the same. */
export function opened(document: Document): FlowDocument {
  const taken = new Set((document.edges ?? []).map((edge) => edge.id));
  let number = 0;
  const edges = (document.edges ?? []).map((edge) => {
    if (edge.id) return edge as FlowEdge;
    do number += 1;
    while (taken.has(`e${number}`));
    return { ...edge, id: `e${number}` };
  });
  return { ...document, nodes: document.nodes ?? [], edges };
}

export function findNode(document: FlowDocument, id: string): FlowNode | undefined {
  return document.nodes.find((node) => node.id === id);
}

export function findEdge(document: FlowDocument, id: string): FlowEdge | undefined {
  return document.edges.find((edge) => edge.id === id);
}

/** What people call a node: its name, else its id. */
export function labelOf(node: Pick<FlowNode, "id" | "name">): string {
  return node.name || node.id;
}

export function outcomeOf(edge: Pick<DocumentEdge, "on">): Outcome {
  return edge.on ?? "success";
}

/** Where the canvas draws a node, within its container. */
export function placeOf(node: FlowNode): Position {
  const place = node.layout ?? node.position;
  return { x: place?.x ?? 0, y: place?.y ?? 0 };
}

export function childrenOf(document: FlowDocument, parent: string | undefined): FlowNode[] {
  return document.nodes.filter((node) => node.parent === parent);
}

/** The node and everything inside it, itself first. */
export function withDescendants(document: FlowDocument, ids: Iterable<string>): Set<string> {
  const found = new Set(ids);
  // Children may be declared before their container, so one pass is not enough.
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const node of document.nodes) if (node.parent && found.has(node.parent)) found.add(node.id);
  }
  return found;
}

/** The containers around a node, the innermost first. A cycle ends where it closes. */
export function ancestorsOf(document: FlowDocument, id: string): string[] {
  const parents = new Map(document.nodes.map((node) => [node.id, node.parent]));
  const found: string[] = [];
  for (let at = parents.get(id); at && !found.includes(at); at = parents.get(at)) found.push(at);
  return found;
}
