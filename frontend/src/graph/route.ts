// The ways of edges: along right angles, around what stands between, loops over or under what they go back past.
import type { Position } from "./document";
import { around, type Box, type Geometry, inletOf, outletOf, type Size } from "./geometry";

export type Way = readonly Position[];
type Rect = Position & Size;

const OUT = 20;
const CLEAR = 12;
const MOST_TRIES = 24;

/** The way of each edge that can be seen, by its id. `before`: ways to keep where nothing changed. */
export function routesOf(geometry: Geometry, edges: readonly { id: string; source: string; target: string }[]) {
  const ways = new Map<string, Way>();
  const walls = wallsOf(geometry);
  const lanes = new Map<string, number>();
  for (const edge of edges) {
    const [source, target] = [geometry.boxes.get(edge.source), geometry.boxes.get(edge.target)];
    if (!source || !target || source.hidden || target.hidden) continue;
    const lane = lanes.get(edge.target) ?? 0;
    lanes.set(edge.target, lane + 1);
    ways.set(edge.id, routeOf(edge, source, target, walls.get(source.parent) ?? [], lane));
  }
  return ways;
}

/** What edges of one level must go around: the boxes of that level. */
export function wallsOf(geometry: Geometry): Map<string | undefined, Box[]> {
  const walls = new Map<string | undefined, Box[]>();
  for (const box of geometry.boxes.values()) {
    if (box.hidden) continue;
    const list = walls.get(box.parent);
    if (list) list.push(box);
    else walls.set(box.parent, [box]);
  }
  return walls;
}

/** The way of one edge, from its port to its target's inlet, as corner points. */
export function routeOf(edge: { id: string }, source: Box, target: Box, walls: readonly Box[], lane = 0): Way {
  const port = source.ports.find((one) => one.edges.includes(edge.id)) ?? source.ports[0];
  const leave = port ? outletOf(source, port) : { x: source.width, y: inletOf(source).y };
  const enter = inletOf(target);
  const from = { x: source.x + leave.x, y: source.y + leave.y };
  const to = { x: target.x + enter.x, y: target.y + enter.y };
  const row = port ? Math.max(0, source.ports.indexOf(port)) : 0;
  return way(from, to, source, target, walls, row, lane);
}

function way(
  from: Position,
  to: Position,
  source: Rect,
  target: Rect,
  walls: readonly Rect[],
  row: number,
  lane: number,
) {
  if (to.x - from.x < 8) return detour(from, to, source, target, walls, lane);
  const between = walls.filter(
    (wall) => wall !== source && wall !== target && wall.x < to.x && wall.x + wall.width > from.x,
  );
  if (Math.abs(to.y - from.y) < 2 && !blocked([from, { x: to.x, y: from.y }], between))
    return [from, { x: to.x, y: from.y }];
  for (const x of turns(from, to, row)) {
    const straight = [from, { x, y: from.y }, { x, y: to.y }, to];
    if (!blocked(straight, between)) return straight;
  }
  if (to.x - from.x < 3 * OUT)
    return [from, { x: (from.x + to.x) / 2, y: from.y }, { x: (from.x + to.x) / 2, y: to.y }, to];
  const first = from.x + OUT + Math.min(row, 4) * 6;
  const last = to.x - OUT;
  for (const y of corridors(from, to, between)) {
    const over = [from, { x: first, y: from.y }, { x: first, y }, { x: last, y }, { x: last, y: to.y }, to];
    if (!blocked(over, between)) return over;
  }
  const x = to.x - OUT;
  return [from, { x, y: from.y }, { x, y: to.y }, to];
}

/** Where a way may turn: close behind its source, close before its target, between them. */
function turns(from: Position, to: Position, row: number): number[] {
  // So that ways from ports below one another do not cross: going up, the upper one turns first; going down, the lower.
  const shift = (to.y < from.y ? 4 - Math.min(row, 4) : Math.min(row, 4)) * 6;
  return [to.x - OUT - shift, from.x + OUT + shift, (from.x + to.x) / 2].filter((x) => x > from.x + 3 && x < to.x - 3);
}

/** Heights between the boxes that are in the way, the nearest first. */
function corridors(from: Position, to: Position, between: readonly Rect[]): number[] {
  const middle = (from.y + to.y) / 2;
  const heights = between.flatMap((wall) => [wall.y - CLEAR - 4, wall.y + wall.height + CLEAR + 4]);
  return heights.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle)).slice(0, MOST_TRIES);
}

/** A way back: out to the right, along the nearest free height, in from the left. */
function detour(from: Position, to: Position, source: Rect, target: Rect, walls: readonly Rect[], lane: number): Way {
  const [out, back] = [from.x + OUT, to.x - OUT];
  const passed = walls.filter((wall) => wall.x < out + CLEAR && wall.x + wall.width > back - CLEAR);
  const apart = CLEAR + 8 + (lane % 4) * 8;
  const gap = verticalGap(source, target);
  const heights = passed.flatMap((wall) => [wall.y - apart, wall.y + wall.height + apart]);
  const way = (y: number) => [from, { x: out, y: from.y }, { x: out, y }, { x: back, y }, { x: back, y: to.y }, to];
  const far = (y: number) => Math.abs(y - from.y) + Math.abs(y - to.y);
  const nearest = [...(gap === null ? [] : [gap]), ...heights].sort((a, b) => far(a) - far(b)).slice(0, MOST_TRIES);
  const others = passed.filter((wall) => wall !== source && wall !== target);
  // The level part must be free of all; the upright ones stand close to the two ends, which they may touch.
  const isFree = (y: number) => !blocked(way(y).slice(2, 4), passed) && !blocked(way(y), others);
  const y = nearest.find(isFree) ?? nearest.find((one) => !blocked(way(one).slice(2, 4), passed));
  return way(y ?? (around(passed)?.y ?? from.y) - apart);
}

/** The middle between two boxes that stand one under the other. */
function verticalGap(source: Rect, target: Rect): number | null {
  if (source.y + source.height + 2 * CLEAR <= target.y) return (source.y + source.height + target.y) / 2;
  if (target.y + target.height + 2 * CLEAR <= source.y) return (target.y + target.height + source.y) / 2;
  return null;
}

function blocked(points: Way, walls: readonly Rect[]): boolean {
  for (let index = 1; index < points.length; index += 1) {
    const [a, b] = [points[index - 1], points[index]];
    if (!a || !b) continue;
    const [left, right] = [Math.min(a.x, b.x) - CLEAR / 2, Math.max(a.x, b.x) + CLEAR / 2];
    const [top, bottom] = [Math.min(a.y, b.y) - CLEAR / 2, Math.max(a.y, b.y) + CLEAR / 2];
    for (const wall of walls)
      if (wall.x < right && wall.x + wall.width > left && wall.y < bottom && wall.y + wall.height > top) return true;
  }
  return false;
}

/** A way as the text of an SVG path, its corners rounded. */
export function pathOf(points: Way, radius = 8): string {
  const [first, ...rest] = points;
  if (!first) return "";
  let text = `M${first.x} ${first.y}`;
  rest.forEach((point, index) => {
    const [before, after] = [points[index], rest[index + 1]];
    if (!before || !after) {
      text += `L${point.x} ${point.y}`;
      return;
    }
    const r = Math.min(radius, length(before, point) / 2, length(point, after) / 2);
    const a = towards(point, before, r);
    const b = towards(point, after, r);
    text += `L${a.x} ${a.y}Q${point.x} ${point.y} ${b.x} ${b.y}`;
  });
  return text;
}

/** The middle of the longest part, where a label or a button has the most room. */
export function middleOf(points: Way): Position {
  let best = { x: points[0]?.x ?? 0, y: points[0]?.y ?? 0, length: -1 };
  for (let index = 1; index < points.length; index += 1) {
    const [a, b] = [points[index - 1], points[index]];
    if (!a || !b) continue;
    // Level parts are favoured: what stands on them covers less.
    const weight = length(a, b) * (a.y === b.y ? 1.5 : 1);
    if (weight > best.length) best = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, length: weight };
  }
  return { x: best.x, y: best.y };
}

/** How far a point is from a way. */
export function distanceTo(points: Way, at: Position): number {
  let least = Infinity;
  for (let index = 1; index < points.length; index += 1) {
    const [a, b] = [points[index - 1], points[index]];
    if (!a || !b) continue;
    const near = { x: clamp(at.x, a.x, b.x), y: clamp(at.y, a.y, b.y) };
    least = Math.min(least, length(at, near));
  }
  return least;
}

function clamp(value: number, one: number, other: number): number {
  return Math.min(Math.max(value, Math.min(one, other)), Math.max(one, other));
}

function length(a: Position, b: Position): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function towards(from: Position, to: Position, by: number): Position {
  const whole = length(from, to) || 1;
  return { x: from.x + ((to.x - from.x) * by) / whole, y: from.y + ((to.y - from.y) * by) / whole };
}
