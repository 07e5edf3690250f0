// Where everything stands: the size of each card, containers around what they hold, ports. Positions never change logic.
import { type FlowDocument, type FlowNode, type Position, placeOf } from "./document";
import { type Port, portsOf } from "./ports";
import { edgesFrom, parentOf, type Wiring, wiringOf } from "./wiring";

export const CARD = { width: 208, height: 56 };
export const PORT_ROW = 24;
/** The middle of the first line of a card: there edges come in, and the main one leaves. */
export const PORT_LINE = 28;
export const HEAD = 40;
export const PADDING = 24;
const CONTAINER = { width: 256, height: 136 };

export interface Size {
  width: number;
  height: number;
}

export interface Box extends Size {
  id: string;
  node: FlowNode;
  /** Within its container. */
  place: Position;
  /** On the whole canvas. */
  x: number;
  y: number;
  parent: string | undefined;
  depth: number;
  /** It is drawn as a frame around other nodes. */
  frame: boolean;
  container: boolean;
  /** A container around it is folded. */
  hidden: boolean;
  ports: readonly Port[];
  /** How many nodes it holds, at any depth. */
  holds: number;
}

export interface Geometry {
  /** Containers before what they hold, else in the document's order. */
  boxes: ReadonlyMap<string, Box>;
  wiring: Wiring;
}

export interface Drawn {
  isContainer: (type: string) => boolean;
  /** Whether a container is shown as a card alone. Left out: as the document says. */
  isFolded?: (node: FlowNode) => boolean;
  /** Sizes of frames that must stay as they are, while something is dragged. */
  frozen?: ReadonlyMap<string, Size>;
}

/** Cards of nodes that branch have a line for each port. */
export function cardSize(ports: readonly Port[]): Size {
  const rows = ports.filter((port) => port.kind !== "main").length;
  return { width: CARD.width, height: CARD.height + (rows ? rows * PORT_ROW + 4 : 0) };
}

/** The size of a frame around what lies at these boxes within it. */
export function frameSize(inner: Iterable<Position & Size>, ports: readonly Port[], least: Partial<Size> = {}): Size {
  let width = Math.max(CONTAINER.width, least.width ?? 0);
  let height = Math.max(CONTAINER.height, least.height ?? 0);
  for (const box of inner) {
    width = Math.max(width, box.x + box.width + PADDING);
    height = Math.max(height, box.y + box.height + PADDING);
  }
  const rows = ports.filter((port) => port.kind !== "main").length;
  return { width, height: height + rows * PORT_ROW };
}

/** Lay out the boxes of a document. Containers in a cycle stand at top level, so that they can be seen and mended. */
export function geometryOf(document: FlowDocument, drawn: Drawn): Geometry {
  const wiring = wiringOf(document);
  const inner = new Map<string, Omit<Box, "x" | "y" | "depth" | "hidden" | "parent">>();
  const measure = (node: FlowNode, around: ReadonlySet<string>) => {
    if (inner.has(node.id)) return;
    const container = drawn.isContainer(node.type) || (wiring.children.get(node.id)?.length ?? 0) > 0;
    const frame = container && !(drawn.isFolded?.(node) ?? node.layout?.collapsed);
    const ports = portsOf(node, edgesFrom(wiring, node.id));
    const children = (wiring.children.get(node.id) ?? []).filter((child) => !around.has(child.id));
    const within = new Set([...around, node.id]);
    for (const child of children) measure(child, within);
    const boxes = children.flatMap((child) => inner.get(child.id) ?? []);
    const holds = boxes.reduce((sum, box) => sum + 1 + box.holds, 0);
    const size = frame
      ? (drawn.frozen?.get(node.id) ??
        frameSize(
          boxes.map((box) => ({ ...box.place, width: box.width, height: box.height })),
          ports,
          node.layout,
        ))
      : cardSize(ports);
    inner.set(node.id, { id: node.id, node, place: placeOf(node), ...size, frame, container, ports, holds });
  };
  const boxes = new Map<string, Box>();
  const put = (node: FlowNode, parent: Box | undefined) => {
    const own = inner.get(node.id);
    if (!own || boxes.has(node.id)) return;
    const [x, y] = [(parent?.x ?? 0) + own.place.x, (parent?.y ?? 0) + own.place.y];
    const hidden = parent ? parent.hidden || !parent.frame : false;
    const box = { ...own, x, y, parent: parent?.id, depth: parent ? parent.depth + 1 : 0, hidden };
    boxes.set(node.id, box);
    for (const child of wiring.children.get(node.id) ?? []) put(child, box);
  };
  const top = document.nodes.filter((node) => parentOf(node, wiring.nodes) === undefined);
  for (const node of top) measure(node, new Set());
  for (const node of top) put(node, undefined);
  for (const node of document.nodes) {
    if (boxes.has(node.id)) continue;
    measure(node, new Set());
    put(node, undefined);
  }
  return { boxes, wiring };
}

/** Where edges come in, relative to the box. */
export function inletOf(box: Pick<Box, "frame" | "height" | "ports">): Position {
  return { x: 0, y: mainLine(box) };
}

/** Where a port stands, relative to the box. */
export function outletOf(box: Pick<Box, "frame" | "width" | "height" | "ports">, port: Port): Position {
  if (port.kind === "main") return { x: box.width, y: mainLine(box) };
  const rows = box.ports.filter((one) => one.kind !== "main");
  const top = box.frame ? box.height - rows.length * PORT_ROW : CARD.height - 2;
  return { x: box.width, y: top + rows.indexOf(port) * PORT_ROW + PORT_ROW / 2 };
}

/** Frames have their ports in the middle, where what is beside them stands. */
function mainLine(box: Pick<Box, "frame" | "height" | "ports">): number {
  if (!box.frame) return PORT_LINE;
  const rows = box.ports.filter((port) => port.kind !== "main").length;
  return Math.round((box.height - rows * PORT_ROW) / 2);
}

/** The innermost frame at a point, leaving some out with all that they hold. */
export function frameAt(geometry: Geometry, at: Position, without: ReadonlySet<string> = new Set()): Box | undefined {
  let found: Box | undefined;
  for (const box of geometry.boxes.values()) {
    if (!box.frame || box.hidden || !contains(box, at) || isWithin(geometry, box.id, without)) continue;
    if (!found || box.depth > found.depth) found = box;
  }
  return found;
}

/** Whether a box is one of some, or inside one of them. */
export function isWithin({ boxes }: Geometry, id: string, some: ReadonlySet<string>): boolean {
  for (let at: string | undefined = id; at !== undefined; at = boxes.get(at)?.parent) if (some.has(at)) return true;
  return false;
}

export function contains(box: Position & Size, at: Position, margin = 0): boolean {
  const inX = at.x >= box.x - margin && at.x <= box.x + box.width + margin;
  return inX && at.y >= box.y - margin && at.y <= box.y + box.height + margin;
}

export function overlap(a: Position & Size, b: Position & Size, margin = 0): boolean {
  const inX = a.x < b.x + b.width + margin && b.x < a.x + a.width + margin;
  return inX && a.y < b.y + b.height + margin && b.y < a.y + a.height + margin;
}

/** The box around boxes, or null for none. */
export function around(boxes: Iterable<Position & Size>): (Position & Size) | null {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const box of boxes) {
    [left, top] = [Math.min(left, box.x), Math.min(top, box.y)];
    [right, bottom] = [Math.max(right, box.x + box.width), Math.max(bottom, box.y + box.height)];
  }
  return left === Infinity ? null : { x: left, y: top, width: right - left, height: bottom - top };
}
