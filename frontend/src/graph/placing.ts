// Where a new node stands: after another one, on an edge, or at a point; making room where there is none.
import type { FlowDocument, Position } from "./document";
import { type Edit, moveNodes } from "./edits";
import { type Box, CARD, contains, type Geometry, overlap, type Size } from "./geometry";
import { edgesFrom } from "./wiring";

export const GAP = 72;
const ROW_GAP = 28;
const GRID = 8;

export const onGrid = (value: number) => Math.round(value / GRID) * GRID;

/** Beside a node, to its right, below what stands there already. Within its container. */
export function placeAfter(geometry: Geometry, id: string, size: Size = CARD): Position {
  const box = geometry.boxes.get(id);
  if (!box) return { x: 0, y: 0 };
  const middle = box.frame ? box.place.y + box.height / 2 - CARD.height / 2 : box.place.y;
  const followers = edgesFrom(geometry.wiring, id).flatMap((edge) => geometry.boxes.get(edge.target) ?? []);
  const beside = followers.filter((one) => one.parent === box.parent && one.place.x > box.place.x);
  const y = beside.length ? Math.max(...beside.map((one) => one.place.y + one.height)) + ROW_GAP : middle;
  return freePlace(geometry, box.parent, { x: box.place.x + box.width + GAP, y }, size);
}

/** The first place at or below a point where nothing stands. Within a container. */
export function freePlace(geometry: Geometry, parent: string | undefined, at: Position, size: Size = CARD): Position {
  const beside = [...geometry.boxes.values()].filter((box) => box.parent === parent && !box.hidden);
  let y = at.y;
  for (let tries = 0; tries < 200; tries += 1) {
    const rect = { x: at.x, y, ...size };
    const hit = beside.find((box) => overlap(rect, { ...box.place, width: box.width, height: box.height }, GRID));
    if (!hit) break;
    y = hit.place.y + hit.height + ROW_GAP;
  }
  return { x: Math.round(at.x), y: Math.round(y) };
}

export interface Room {
  place: Position;
  edit: Edit;
}

/** Between the two ends of an edge. Where they are too close, what stands to the right moves on. */
export function roomOnEdge(geometry: Geometry, source: Box, target: Box, size: Size = CARD): Room {
  const forward = target.place.x >= source.place.x + source.width;
  if (!forward) {
    const place = freePlace(
      geometry,
      source.parent,
      { x: source.place.x, y: source.place.y - size.height - GAP },
      size,
    );
    return { place, edit: (document) => document };
  }
  const free = target.place.x - source.place.x - source.width;
  const missing = Math.max(0, size.width + 2 * GAP - free);
  const x = missing ? source.place.x + source.width + GAP : source.place.x + source.width + (free - size.width) / 2;
  const y = line(target) - size.height / 2;
  const place = { x: Math.round(x), y: Math.round(y) };
  return {
    place,
    edit: missing ? shiftRight(geometry, source.parent, target.place.x, missing) : (document) => document,
  };
}

function line(box: Box): number {
  return box.place.y + (box.frame ? box.height / 2 : CARD.height / 2);
}

/** Move all of one level that stands right of a line. */
export function shiftRight(geometry: Geometry, parent: string | undefined, from: number, by: number): Edit {
  const moved = [...geometry.boxes.values()].filter((box) => box.parent === parent && box.place.x >= from);
  return moveNodes(new Map(moved.map((box) => [box.id, { x: box.place.x + by, y: box.place.y }])));
}

/** Where the first node of an empty container, or of an empty flow, stands. */
export function firstPlace(geometry: Geometry, parent: string | undefined): Position {
  const beside = [...geometry.boxes.values()].filter((box) => box.parent === parent);
  if (!beside.length) return parent === undefined ? { x: 0, y: 0 } : { x: 24, y: 64 };
  const right = beside.reduce((one, other) => (other.place.x + other.width > one.place.x + one.width ? other : one));
  return freePlace(geometry, parent, { x: right.place.x + right.width + GAP, y: right.place.y });
}

/** The last node of the flow, in reading order, from which a new one may go on; undefined where there is no such. */
export function lastOf(document: FlowDocument, order: readonly string[], mayGoOn: (id: string) => boolean) {
  const top = new Set(document.nodes.filter((node) => node.parent === undefined).map((node) => node.id));
  return [...order].reverse().find((id) => top.has(id) && mayGoOn(id));
}

export type Direction = "up" | "down" | "left" | "right";

/** The nearest node of the same level in a direction, for the arrow keys where no edge leads that way. */
export function nearest(geometry: Geometry, id: string, direction: Direction): string | undefined {
  const from = geometry.boxes.get(id);
  if (!from) return undefined;
  const beside = [...geometry.boxes.values()].filter(
    (box) => box.parent === from.parent && !box.hidden && box !== from,
  );
  const costs = beside
    .map((box) => ({ id: box.id, cost: costOf(from, box, direction) }))
    .filter((one) => one.cost < Number.POSITIVE_INFINITY);
  return costs.sort((a, b) => a.cost - b.cost)[0]?.id;
}

/** How far it is, twice as far to the side; infinite for what lies behind. */
function costOf(from: Box, to: Box, direction: Direction): number {
  const x = to.x + to.width / 2 - from.x - from.width / 2;
  const y = to.y + to.height / 2 - from.y - from.height / 2;
  const flat = direction === "left" || direction === "right";
  const [along, across] = flat ? [x, y] : [y, x];
  const ahead = direction === "left" || direction === "up" ? -along : along;
  return ahead > 0 ? ahead + Math.abs(across) * 2 : Number.POSITIVE_INFINITY;
}

/** All boxes at a point, the innermost first. */
export function boxesAt(geometry: Geometry, at: Position): Box[] {
  const found = [...geometry.boxes.values()].filter((box) => !box.hidden && contains(box, at));
  return found.sort((a, b) => b.depth - a.depth);
}
