// What can be done to a document: each edit takes one and gives the next, sharing what stays the same.
// An edit that changes nothing gives the same object, so that undo does not see it.
import {
  ancestorsOf,
  type FlowDocument,
  type FlowEdge,
  type FlowNode,
  findNode,
  type Json,
  outcomeOf,
  type Position,
  withDescendants,
} from "./document";
import { freeId } from "./ids";
import type { Place } from "./places";
import { setAt } from "./pointer";

export type Edit = (document: FlowDocument) => FlowDocument;

/** Change one node. A key that is set to undefined leaves the document. */
export function updateNode(id: string, change: Partial<FlowNode>): Edit {
  return (document) => ({
    ...document,
    nodes: document.nodes.map((node) => (node.id === id ? without({ ...node, ...change }) : node)),
  });
}

export function updateEdge(id: string, change: Partial<FlowEdge>): Edit {
  return (document) => ({
    ...document,
    edges: document.edges.map((edge) => (edge.id === id ? without({ ...edge, ...change }) : edge)),
  });
}

/** Change what stands at the top of a document: name, inputs, state, policy, presets, permissions, artifacts. */
export function updateDocument(change: Partial<Omit<FlowDocument, "nodes" | "edges">>): Edit {
  return (document) => without({ ...document, ...change });
}

/** Put nodes elsewhere within their containers. */
export function moveNodes(places: ReadonlyMap<string, Position>): Edit {
  return (document) => {
    if (!places.size) return document;
    const nodes = document.nodes.map((node) => {
      const place = places.get(node.id);
      if (!place) return node;
      const { position: _, ...rest } = node;
      return { ...rest, layout: { ...(node.layout ?? node.position), x: Math.round(place.x), y: Math.round(place.y) } };
    });
    return { ...document, nodes };
  };
}

/** Add a node; its id must be free. */
export function addNode(node: FlowNode): Edit {
  return (document) => ({ ...document, nodes: [...document.nodes, node] });
}

/** Remove nodes with all that they hold and every edge that touches them. */
export function removeNodes(ids: Iterable<string>): Edit {
  return (document) => {
    const gone = withDescendants(document, ids);
    if (!document.nodes.some((node) => gone.has(node.id))) return document;
    const next = {
      ...document,
      nodes: document.nodes.filter((node) => !gone.has(node.id)),
      edges: document.edges.filter((edge) => !gone.has(edge.source) && !gone.has(edge.target)),
    };
    return next.start && gone.has(next.start) ? without({ ...next, start: undefined }) : next;
  };
}

export function removeEdges(ids: Iterable<string>): Edit {
  return (document) => {
    const gone = new Set(ids);
    const edges = document.edges.filter((edge) => !gone.has(edge.id));
    return edges.length === document.edges.length ? document : { ...document, edges };
  };
}

/** Why two nodes cannot be connected, or null where they can. */
export function connectionRefusal(
  document: FlowDocument,
  source: string,
  target: string,
  on = "success",
): string | null {
  const [from, to] = [findNode(document, source), findNode(document, target)];
  if (!from || !to) return "One of the two is not there any more.";
  if ((from.parent ?? null) !== (to.parent ?? null)) {
    const inside = ancestorsOf(document, target).includes(source) || ancestorsOf(document, source).includes(target);
    return inside
      ? "A container and what it holds are not connected."
      : "An edge does not cross the border of a container.";
  }
  const twice = document.edges.some(
    (edge) => edge.source === source && edge.target === target && outcomeOf(edge) === on && !edge.when,
  );
  return twice ? "There is such an edge already." : null;
}

/** Connect two nodes; refused connections change nothing. */
export function connect(edge: Omit<FlowEdge, "id"> & { id?: string }): Edit {
  return (document) => {
    if (connectionRefusal(document, edge.source, edge.target, outcomeOf(edge))) return document;
    const taken = new Set(document.edges.map((one) => one.id));
    const id = edge.id ?? freeId(`${edge.source}_${edge.target}`, taken);
    return { ...document, edges: [...document.edges, without({ ...edge, id })] };
  };
}

/** Change one place inside a node, an edge or the document, by a JSON pointer; undefined takes it away. */
export function setIn(place: Place, pointer: string, value: Json | undefined): Edit {
  if (place.kind === "settings") return (document) => setAt(document, pointer, value);
  const list = place.kind === "node" ? "nodes" : "edges";
  return (document) => ({
    ...document,
    [list]: document[list].map((one) => (one.id === place.id ? setAt<typeof one>(one, pointer, value) : one)),
  });
}

/** Move an edge among those that leave its source by the same outcome: they are tried in this order. */
export function moveEdge(id: string, by: 1 | -1): Edit {
  return (document) => {
    const edge = document.edges.find((one) => one.id === id);
    if (!edge) return document;
    const siblings = siblingsOf(document, edge);
    const other = siblings[siblings.indexOf(edge) + by];
    if (!other) return document;
    const edges = document.edges.map((one) => (one === edge ? other : one === other ? edge : one));
    return { ...document, edges };
  };
}

/** The edges that leave the same node by the same outcome, in the order in which they are tried. */
export function siblingsOf(document: FlowDocument, edge: FlowEdge): FlowEdge[] {
  return document.edges.filter((one) => one.source === edge.source && outcomeOf(one) === outcomeOf(edge));
}

/** Several edits as one. */
export function all(...edits: Edit[]): Edit {
  return (document) => edits.reduce((current, edit) => edit(current), document);
}

function without<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as T;
}
