// The document as React Flow draws it: one element a node and an edge, kept wherever nothing about it changed.
import { type Edge as CanvasEdge, type Node as CanvasNode, Position as Side } from "@xyflow/react";
import { type FlowDocument, type FlowEdge, labelOf, outcomeOf } from "~/graph/document";
import { type Box, type Geometry, inletOf, outletOf } from "~/graph/geometry";
import type { Port } from "~/graph/ports";
import { routeOf, type Way, wallsOf } from "~/graph/route";

export type StepElement = CanvasNode<{ box: Box; label: string }, "step" | "frame">;
export type LineElement = CanvasEdge<{ edge: FlowEdge; way: Way; label: string; name: string }, "line">;

const HIT = 24;
const LIFT = 1000;
/** Beyond so many only the end of a selected edge can be dragged: each needs an element of its own. */
const MANY_EDGES = 150;

export interface Marks {
  selected: ReadonlySet<string>;
  /** Being dragged: over all others. */
  moving: ReadonlySet<string> | null;
  className?: (box: Box) => string | undefined;
  /** The name that is read out. */
  nameOf: (box: Box) => string;
}

/** What was drawn before, and the names that were given then. */
export interface Drawn {
  elements: ReadonlyMap<string, StepElement>;
  nameOf: Marks["nameOf"] | null;
}

export function stepElements(geometry: Geometry, marks: Marks, before: Drawn): StepElement[] {
  const made: StepElement[] = [];
  const sameNames = before.nameOf === marks.nameOf;
  for (const box of geometry.boxes.values()) {
    if (box.hidden) continue;
    const old = before.elements.get(box.id);
    const selected = marks.selected.has(box.id);
    const className = marks.className?.(box) ?? "";
    const lifted = marks.moving?.has(box.id) ?? false;
    const looksSame = old?.selected === selected && old.className === className && isLifted(old) === lifted;
    if (old && looksSame && sameBox(old.data.box, box) && (sameNames || old.ariaLabel === marks.nameOf(box)))
      made.push(old);
    else made.push(elementOf(box, selected, className, marks.nameOf(box), lifted));
  }
  return made;
}

const isLifted = (element: StepElement) => (element.zIndex ?? 0) > LIFT;

function elementOf(box: Box, selected: boolean, className: string, ariaLabel: string, lifted: boolean): StepElement {
  const { width, height } = box;
  return {
    id: box.id,
    type: box.frame ? "frame" : "step",
    position: { x: box.x, y: box.y },
    data: { box, label: labelOf(box.node) },
    selected,
    className,
    ariaLabel,
    ariaRole: "group",
    domAttributes: { tabIndex: -1, "aria-describedby": `state-${box.id}` },
    zIndex: box.depth * 2 + 2 + (lifted ? LIFT : 0),
    width,
    height,
    // Given, so that nothing must be measured before edges can be drawn.
    measured: { width, height },
    handles: handlesOf(box),
    ...(box.frame ? { dragHandle: ".frame-head", style: { pointerEvents: "none" as const } } : {}),
  };
}

function handlesOf(box: Box): NonNullable<StepElement["handles"]> {
  const inlet = inletOf(box);
  const size = { width: HIT, height: HIT };
  return [
    { type: "target", position: Side.Left, x: inlet.x - HIT / 2, y: inlet.y - HIT / 2, ...size },
    ...box.ports.map((port) => {
      const at = outletOf(box, port);
      return {
        id: port.id,
        type: "source" as const,
        position: Side.Right,
        x: at.x - HIT / 2,
        y: at.y - HIT / 2,
        ...size,
      };
    }),
    { id: "more", type: "source", position: Side.Bottom, x: box.width - 36, y: box.height - HIT, ...size },
  ];
}

function sameBox(a: Box, b: Box): boolean {
  const samePlace = a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
  const sameKind = a.node === b.node && a.frame === b.frame && a.depth === b.depth && a.holds === b.holds;
  return samePlace && sameKind && samePorts(a.ports, b.ports);
}

function samePorts(a: readonly Port[], b: readonly Port[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((port, index) => {
    const other = b[index];
    return port.id === other?.id && port.label === other.label && port.edges.join() === other.edges.join();
  });
}

export interface Drawing {
  document: FlowDocument;
  geometry: Geometry;
}

/** The ways of all edges. `kept`: ways to keep, of edges whose ends are not `moving`. */
export function waysOf(
  { document, geometry }: Drawing,
  kept: ReadonlyMap<string, Way>,
  moving: ReadonlySet<string> | null,
): Map<string, Way> {
  const walls = wallsOf(geometry);
  const ways = new Map<string, Way>();
  const lanes = new Map<string, number>();
  for (const edge of document.edges) {
    const [source, target] = [geometry.boxes.get(edge.source), geometry.boxes.get(edge.target)];
    if (!source || !target || source.hidden || target.hidden) continue;
    const lane = lanes.get(edge.target) ?? 0;
    lanes.set(edge.target, lane + 1);
    const old = kept.get(edge.id);
    if (old && moving && !moving.has(edge.source) && !moving.has(edge.target)) ways.set(edge.id, old);
    else ways.set(edge.id, same(old, routeOf(edge, source, target, walls.get(source.parent) ?? [], lane)));
  }
  return ways;
}

/** The old one where both go the same way, so that its line is not drawn anew. */
function same(old: Way | undefined, made: Way): Way {
  if (old?.length !== made.length) return made;
  return old.every((point, index) => point.x === made[index]?.x && point.y === made[index]?.y) ? old : made;
}

export interface LineMarks {
  selected: ReadonlySet<string>;
  loops: ReadonlySet<string>;
  className?: (edge: FlowEdge) => string;
}

export function lineElements(
  { document, geometry }: Drawing,
  ways: ReadonlyMap<string, Way>,
  marks: LineMarks,
  before: ReadonlyMap<string, LineElement>,
): LineElement[] {
  const made: LineElement[] = [];
  for (const edge of document.edges) {
    const way = ways.get(edge.id);
    const source = geometry.boxes.get(edge.source);
    if (!way || !source) continue;
    const selected = marks.selected.has(edge.id);
    const label = labelOfLine(source, edge, marks.loops.has(edge.id));
    const port = source.ports.find((one) => one.edges.includes(edge.id))?.id ?? "success";
    const className = `line line-${outcomeOf(edge)} ${marks.className?.(edge) ?? ""}`;
    const old = before.get(edge.id);
    const isSame = old?.data?.edge === edge && old.data.way === way && old.selected === selected;
    if (isSame && old.data?.label === label && old.sourceHandle === port && old.className === className) made.push(old);
    else {
      const name = `From ${labelOf(source.node)} to ${nameOf(geometry, edge.target)}${label ? `, ${label}` : ""}`;
      const line = lineOf({ edge, way, label, name }, { selected, className, sourceHandle: port });
      made.push({ ...line, ...endOf(document, selected), zIndex: source.depth * 2 + 1 });
    }
  }
  return made;
}

/** Whether the end of an edge can be dragged to another node. */
function endOf({ edges }: FlowDocument, selected: boolean): Pick<LineElement, "reconnectable"> {
  return { reconnectable: selected || edges.length <= MANY_EDGES ? "target" : false };
}

function lineOf(
  data: NonNullable<LineElement["data"]>,
  looks: { selected: boolean; className: string; sourceHandle: string },
): LineElement {
  const { id, source, target } = data.edge;
  return { id, type: "line", source, target, data, ...looks, ariaLabel: data.name, ariaRole: "img" };
}

function nameOf(geometry: Geometry, id: string): string {
  const node = geometry.boxes.get(id)?.node;
  return node ? labelOf(node) : id;
}

/** What stands on the line: what its port does not say already. */
function labelOfLine(source: Box, edge: FlowEdge, loop: boolean): string {
  const port = source.ports.find((one) => one.edges.includes(edge.id));
  const saysAll = port !== undefined && port.kind !== "main" && port.edges.length === 1;
  return [loop ? "loop" : "", saysAll ? "" : edge.label || edge.when || ""].filter(Boolean).join(": ");
}
