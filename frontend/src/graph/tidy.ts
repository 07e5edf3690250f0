// Lays nodes out in columns along their edges, level by level, containers around what they hold. Runs in a worker.
import { Graph, layout } from "@dagrejs/dagre";
import { orderColumns } from "./columns";
import type { FlowDocument, FlowNode, Position } from "./document";
import {
  type Box,
  CARD,
  type Drawn,
  frameSize,
  geometryOf,
  HEAD,
  PADDING,
  PORT_LINE,
  PORT_ROW,
  type Size,
} from "./geometry";
import { type Pull, type Standing, straightened } from "./straighten";
import { edgesFrom, levelOrder, type Wiring } from "./wiring";

const BETWEEN_COLUMNS = 72;
const BETWEEN_ROWS = 28;
const MAIN_PULL = 1000;

/** New places, by node id, within their containers. `only`: those nodes, which stay about where they are. */
export function tidied(
  document: FlowDocument,
  isContainer: Drawn["isContainer"],
  only?: ReadonlySet<string>,
): Map<string, Position> {
  // Stored sizes count for nothing: frames fit what they will hold.
  const bare = { ...document, nodes: document.nodes.map(withoutSize) };
  const { boxes, wiring } = geometryOf(bare, { isContainer });
  const places = new Map<string, Position>();
  const sizes = new Map<string, Size>([...boxes].map(([id, { width, height }]) => [id, { width, height }]));
  // The innermost first: a frame's size is known once what it holds is laid out.
  const levels = [...levelsOf(boxes)].sort(([a], [b]) => depthOf(boxes, b) - depthOf(boxes, a));
  for (const [parent, level] of levels) {
    const chosen = only ? level.filter((box) => only.has(box.id)) : level;
    const origin = only ? topLeft(chosen) : parent === undefined ? { x: 0, y: 0 } : { x: PADDING, y: HEAD + PADDING };
    for (const [id, place] of levelPlaces(chosen, sizes, wiring))
      places.set(id, { x: place.x + origin.x, y: place.y + origin.y });
    const holder = parent === undefined ? undefined : boxes.get(parent);
    if (!holder?.frame) continue;
    const inner = level.map((box) => ({ ...(places.get(box.id) ?? box.place), ...sizeOf(sizes, box) }));
    sizes.set(holder.id, frameSize(inner, holder.ports));
  }
  return places;
}

function levelsOf(boxes: ReadonlyMap<string, Box>): Map<string | undefined, Box[]> {
  const levels = new Map<string | undefined, Box[]>();
  for (const box of boxes.values()) {
    const level = levels.get(box.parent);
    if (level) level.push(box);
    else levels.set(box.parent, [box]);
  }
  return levels;
}

function depthOf(boxes: ReadonlyMap<string, Box>, parent: string | undefined): number {
  return parent === undefined ? -1 : (boxes.get(parent)?.depth ?? 0);
}

function withoutSize(node: FlowNode): FlowNode {
  if (node.layout?.width === undefined && node.layout?.height === undefined) return node;
  const { width: _, height: __, ...layout } = node.layout;
  return { ...node, layout };
}

const sizeOf = (sizes: ReadonlyMap<string, Size>, box: Box): Size => sizes.get(box.id) ?? box;

function topLeft(boxes: readonly Box[]): Position {
  return {
    x: Math.min(...boxes.map((box) => box.place.x)),
    y: Math.min(...boxes.map((box) => box.place.y)),
  };
}

/** Places of the boxes of one level, from (0, 0) on. */
function levelPlaces(level: readonly Box[], sizes: ReadonlyMap<string, Size>, wiring: Wiring): Map<string, Position> {
  const members = new Map(level.map((box) => [box.id, box]));
  const nodes = level.map((box) => box.node);
  const order = levelOrder(wiring, nodes).flatMap((id) => members.get(id) ?? []);
  const graph = graphOf(order, sizes, wiring);
  if (!graph.edgeCount()) return inGrid(order, sizes);
  const ports = portPlaces(order);
  const wanted = order.map((box) => box.id);
  layout(graph, { customOrder: (layered) => orderColumns(layered, wanted, (edge) => ports.get(edge) ?? 0) });
  const lines = straightened(columnsIn(graph, order, sizes), pullsIn(graph, order));
  const places = new Map<string, Position>();
  for (const box of order) {
    const size = sizeOf(sizes, box);
    places.set(box.id, {
      x: (graph.node(box.id).x ?? 0) - size.width / 2,
      y: (lines.get(box.id) ?? 0) - line(box, size),
    });
  }
  return atOrigin(places);
}

/** Edges that lead back are left out: they must not turn a flow around. */
function graphOf(order: readonly Box[], sizes: ReadonlyMap<string, Size>, wiring: Wiring): Graph {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: BETWEEN_ROWS, ranksep: BETWEEN_COLUMNS, edgesep: 16 });
  const rank = new Map(order.map((box, index) => [box.id, index]));
  for (const box of order) graph.setNode(box.id, { width: sizeOf(sizes, box).width, height: reach(box, sizes) * 2 });
  for (const [index, box] of order.entries()) {
    for (const edge of edgesFrom(wiring, box.id)) {
      if ((rank.get(edge.target) ?? -1) <= index) continue;
      const first = box.ports[0]?.edges.includes(edge.id);
      graph.setEdge(box.id, edge.target, { weight: first ? 4 : 1, minlen: 1 }, edge.id);
    }
  }
  return graph;
}

/** How far down its port is, for each edge; branches of one node pull alike. */
function portPlaces(order: readonly Box[]): Map<string, number> {
  return new Map(
    order.flatMap((box) => box.ports.flatMap((port, at) => port.edges.map((edge) => [edge, at] as const))),
  );
}

/** What stands in one column, from the top. */
function columnsIn(graph: Graph, order: readonly Box[], sizes: ReadonlyMap<string, Size>): Standing[][] {
  const columns = new Map<number, Standing[]>();
  for (const box of order) {
    const { x = 0, y = 0 } = graph.node(box.id);
    const size = sizeOf(sizes, box);
    const above = line(box, size) + BETWEEN_ROWS / 2;
    const standing = { id: box.id, line: y, above, below: size.height + BETWEEN_ROWS - above };
    columns.set(x, [...(columns.get(x) ?? []), standing]);
  }
  const sorted = [...columns].sort(([a], [b]) => a - b);
  return sorted.map(([, column]) => column.sort((a, b) => a.line - b.line));
}

/** Edges that leave by the main port hold their ends at one height. */
function pullsIn(graph: Graph, order: readonly Box[]): Pull[] {
  const main = new Set(
    order.flatMap((box) => box.ports.filter((port) => port.kind === "main").flatMap((port) => port.edges)),
  );
  return graph.edges().map(({ v, w, name = "" }) => ({ from: v, to: w, weight: main.has(name) ? MAIN_PULL : 1 }));
}

/** Where the main edge runs in a box: cards at their first line, frames at their middle. */
function line(box: Box, size: Size): number {
  if (!box.frame) return PORT_LINE;
  return (size.height - box.ports.filter((port) => port.kind !== "main").length * PORT_ROW) / 2;
}

/** Half the height that a box needs around its line, so that main edges run straight. */
function reach(box: Box, sizes: ReadonlyMap<string, Size>): number {
  const size = sizeOf(sizes, box);
  return Math.max(line(box, size), size.height - line(box, size));
}

/** Nodes without any edge stand side by side, in the order in which they are declared. */
function inGrid(order: readonly Box[], sizes: ReadonlyMap<string, Size>): Map<string, Position> {
  const places = new Map<string, Position>();
  const across = order.length <= 4 ? order.length : Math.ceil(Math.sqrt(order.length * 1.5));
  let [x, y, tallest] = [0, 0, 0];
  order.forEach((box, index) => {
    if (index && index % across === 0) [x, y, tallest] = [0, y + tallest + BETWEEN_ROWS, 0];
    places.set(box.id, { x, y });
    const size = sizeOf(sizes, box);
    x += Math.max(size.width, CARD.width) + BETWEEN_COLUMNS;
    tallest = Math.max(tallest, size.height);
  });
  return places;
}

function atOrigin(places: ReadonlyMap<string, Position>): Map<string, Position> {
  const left = Math.min(...[...places.values()].map((place) => place.x));
  const top = Math.min(...[...places.values()].map((place) => place.y));
  return new Map([...places].map(([id, at]) => [id, { x: Math.round(at.x - left), y: Math.round(at.y - top) }]));
}
