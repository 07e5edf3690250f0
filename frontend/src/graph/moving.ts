// Moving nodes into containers and out of them: their places, and the edges that would cross a border.
import {
  ancestorsOf,
  type FlowDocument,
  type FlowEdge,
  type FlowNode,
  outcomeOf,
  type Position,
  withDescendants,
} from "./document";
import { all, connectionRefusal, type Edit, moveNodes } from "./edits";
import { type Geometry, HEAD, PADDING } from "./geometry";
import { bypass } from "./splicing";

export interface Plan {
  edit: Edit;
  /** Edges that are removed, because they would cross the border of a container. */
  lost: FlowEdge[];
}

/** The chosen nodes without those inside another chosen one. */
export function outermost(document: FlowDocument, ids: Iterable<string>): string[] {
  const chosen = new Set(ids);
  return [...chosen].filter((id) => !ancestorsOf(document, id).some((around) => chosen.has(around)));
}

/** Why nodes cannot be moved into a container, or null. */
export function moveRefusal(document: FlowDocument, ids: readonly string[], parent: string | undefined): string | null {
  if (parent !== undefined && withDescendants(document, ids).has(parent)) return "A container cannot hold itself.";
  return null;
}

/** Move nodes into a container (undefined: top level) at these places on the whole canvas. */
export function moveInto(
  document: FlowDocument,
  geometry: Geometry,
  parent: string | undefined,
  places: ReadonlyMap<string, Position>,
): Plan {
  const changed = new Set(document.nodes.filter((node) => places.has(node.id) && node.parent !== parent).map(idOf));
  const crosses = (edge: FlowEdge) =>
    places.has(edge.source) !== places.has(edge.target) && (changed.has(edge.source) || changed.has(edge.target));
  // What comes before a lone node leads on to what comes after it.
  const healed = changed.size === 1 ? all(...[...changed].map(bypass))(document) : document;
  const remaining = healed.edges.filter((edge) => !crosses(edge));
  const box = parent === undefined ? undefined : geometry.boxes.get(parent);
  const inner = new Map([...places].map(([id, at]) => [id, { x: at.x - (box?.x ?? 0), y: at.y - (box?.y ?? 0) }]));
  const edit: Edit = (current) =>
    remaining.length === current.edges.length ? current : { ...current, edges: remaining };
  const moved = new Set(places.keys());
  const left = new Set(remaining.map(idOf));
  return {
    edit: all(edit, reparent(moved, parent), moveNodes(inner), roomFor(parent)),
    // Of a node that was taken out of a row nothing is lost: the row holds without it.
    lost: healed === document ? document.edges.filter((edge) => !left.has(edge.id)) : notOfRow(document, changed, left),
  };
}

const idOf = (one: { id: string }) => one.id;

function notOfRow(document: FlowDocument, out: ReadonlySet<string>, left: ReadonlySet<string>): FlowEdge[] {
  return document.edges.filter(
    (edge) => !left.has(edge.id) && !(out.has(edge.source) && outcomeOf(edge) === "success"),
  );
}

function reparent(ids: ReadonlySet<string>, parent: string | undefined): Edit {
  return (document) => ({
    ...document,
    nodes: document.nodes.map((node) => {
      if (!ids.has(node.id) || node.parent === parent) return node;
      const { parent: _, ...rest } = node;
      return parent === undefined ? rest : { ...rest, parent };
    }),
  });
}

/** Make room where what a container holds stands over its head or its left border: it grows there, on screen nothing moves. */
export function roomFor(parent: string | undefined): Edit {
  return (document) => {
    if (parent === undefined) return document;
    const inner = document.nodes.filter((node) => node.parent === parent);
    if (!inner.length) return document;
    const place = (node: FlowNode) => node.layout ?? node.position ?? { x: 0, y: 0 };
    const missing = {
      x: Math.max(0, PADDING - Math.min(...inner.map((node) => place(node).x))),
      y: Math.max(0, HEAD + PADDING / 2 - Math.min(...inner.map((node) => place(node).y))),
    };
    const holder = document.nodes.find((node) => node.id === parent);
    if (!holder || (!missing.x && !missing.y)) return document;
    const places = new Map(
      inner.map((node) => [node.id, { x: place(node).x + missing.x, y: place(node).y + missing.y }]),
    );
    places.set(parent, { x: place(holder).x - missing.x, y: place(holder).y - missing.y });
    return all(moveNodes(places), roomFor(holder.parent))(document);
  };
}

/** Move nodes within their containers, which make room. Places are relative to the container. */
export function moveWithin(document: FlowDocument, places: ReadonlyMap<string, Position>): Edit {
  const parents = new Set(document.nodes.filter((node) => places.has(node.id)).map((node) => node.parent));
  return all(moveNodes(places), ...[...parents].map((parent) => roomFor(parent)));
}

/** Put nodes of one level into a new container; edges of the outside lead to it and from it, where that means the same. */
export function group(document: FlowDocument, geometry: Geometry, ids: readonly string[], container: FlowNode): Plan {
  const inside = new Set(ids);
  const parent = document.nodes.find((node) => node.id === ids[0])?.parent;
  const boxes = ids.flatMap((id) => geometry.boxes.get(id) ?? []);
  const left = Math.min(...boxes.map((box) => box.place.x)) - PADDING;
  const top = Math.min(...boxes.map((box) => box.place.y)) - HEAD - PADDING;
  const places = new Map(boxes.map((box) => [box.id, { x: box.place.x - left, y: box.place.y - top }]));
  const made: FlowNode = {
    ...container,
    ...(parent === undefined ? {} : { parent }),
    layout: { x: Math.round(left), y: Math.round(top) },
  };
  const { edges, lost } = regrouped(document, inside, container.id);
  const index = document.nodes.findIndex((node) => inside.has(node.id));
  const edit: Edit = (current) => ({
    ...current,
    ...(current.start && inside.has(current.start) ? { start: container.id } : {}),
    nodes: [...current.nodes.slice(0, index), made, ...current.nodes.slice(index)],
    edges,
  });
  return { edit: all(edit, reparent(inside, container.id), moveNodes(places)), lost };
}

function regrouped(document: FlowDocument, inside: ReadonlySet<string>, container: string) {
  const lost: FlowEdge[] = [];
  let edges: FlowEdge[] = [];
  for (const edge of document.edges) {
    const [from, to] = [inside.has(edge.source), inside.has(edge.target)];
    if (from === to) {
      edges = [...edges, edge];
      continue;
    }
    const changed = from ? { ...edge, source: container } : { ...edge, target: container };
    const refused = connectionRefusal(
      withContainer(document, edges, container),
      changed.source,
      changed.target,
      edge.on,
    );
    const second = from && edges.some((one) => one.source === container && outcomeOf(one) === outcomeOf(edge));
    if (!meansTheSame(document, edge, inside, from) || (second && !refused)) lost.push(edge);
    else if (!refused) edges = [...edges, changed];
  }
  return { edges, lost };
}

/** A way in leads to where the container begins; a way out leaves from where it ends, whatever the state. */
function meansTheSame({ edges }: FlowDocument, edge: FlowEdge, inside: ReadonlySet<string>, out: boolean): boolean {
  if (!out) return !edges.some((one) => inside.has(one.source) && one.target === edge.target);
  const goesOn = (one: FlowEdge) =>
    one.source === edge.source && inside.has(one.target) && outcomeOf(one) === "success";
  return edge.when === undefined && !edges.some(goesOn);
}

/** As it will be, for asking whether there is such an edge already: all on one level. */
function withContainer(document: FlowDocument, edges: FlowEdge[], container: string): FlowDocument {
  const nodes = document.nodes.map(({ parent: _, ...node }) => node);
  return { ...document, nodes: [...nodes, { id: container, type: "sequence", config: {} }], edges };
}

/** Take a container away and leave what it held in its place. */
export function ungroup(document: FlowDocument, geometry: Geometry, id: string): Plan {
  const box = geometry.boxes.get(id);
  const inner = document.nodes.filter((node) => node.parent === id);
  const held = new Set(inner.map((node) => node.id));
  const first = inner.filter(
    (node) => !document.edges.some((edge) => edge.target === node.id && held.has(edge.source)),
  );
  const last = inner.filter(
    (node) => !document.edges.some((edge) => edge.source === node.id && outcomeOf(edge) === "success"),
  );
  const lost: FlowEdge[] = [];
  const edges = document.edges.flatMap((edge) => {
    if (edge.source !== id && edge.target !== id) return [edge];
    const end = edge.target === id ? first : last;
    const only = end.length === 1 && (edge.target === id || outcomeOf(edge) === "success") ? end[0] : undefined;
    if (only) return [edge.target === id ? { ...edge, target: only.id } : { ...edge, source: only.id }];
    lost.push(edge);
    return [];
  });
  const place = box?.place ?? { x: 0, y: 0 };
  const places = new Map(
    inner.map((node) => {
      const at = geometry.boxes.get(node.id)?.place ?? { x: 0, y: 0 };
      return [node.id, { x: at.x + place.x, y: at.y + place.y }];
    }),
  );
  const parent = document.nodes.find((node) => node.id === id)?.parent;
  const start = document.start === id && first[0] ? { start: first[0].id } : {};
  const edit: Edit = (current) => ({
    ...current,
    ...start,
    nodes: current.nodes.filter((node) => node.id !== id),
    edges,
  });
  return { edit: all(reparent(held, parent), edit, moveNodes(places)), lost };
}
