// Dragging nodes: where they are meanwhile, which container or edge they are over, and what happens when they are let go.
import type { NodeChange } from "@xyflow/react";
import { useCallback, useMemo, useRef, useState } from "react";
import type { Position } from "~/graph/document";
import { moveNodes } from "~/graph/edits";
import { type Box, frameAt, type Geometry, geometryOf, type Size } from "~/graph/geometry";
import { outermost } from "~/graph/moving";
import { distanceTo } from "~/graph/route";
import { spliceRefusal } from "~/graph/splicing";
import { dropNodes, spliceOnto } from "~/store/actions/editing";
import { current, drawnOf, drawnWith, placedOf, useAutomatic } from "~/store/drawing";
import { useEditor } from "~/store/editor";
import { useFolds } from "~/store/folds";
import { canvasView } from "~/store/view";
import type { Drawing, StepElement } from "./elements";
import { waysNow } from "./ways";

interface Drag {
  /** On the whole canvas; only the outermost. */
  places: ReadonlyMap<string, Position>;
  frame: string | undefined;
  edge: string | undefined;
}

const NEAR_EDGE = 28;

export interface Dragging {
  drawing: Drawing;
  moving: ReadonlySet<string> | null;
  onNodeChanges: (changes: NodeChange<StepElement>[]) => void;
  onStop: () => void;
  /** Where something would be dropped: its frame or its edge. */
  over: { frame: string | undefined; edge: string | undefined };
}

export function useDragging(): Dragging {
  const edited = useEditor((state) => state.document);
  const automatic = useAutomatic((state) => state.automatic);
  // biome-ignore lint/correctness/useExhaustiveDependencies: places given by the layout change what is drawn
  const document = useMemo(() => placedOf(edited), [edited, automatic]);
  const folds = useFolds((state) => state.folds);
  const [drag, setDrag] = useState<Drag | null>(null);
  const latest = useRef<Drag | null>(null);
  const frame = useRef(0);

  const onNodeChanges = useCallback((changes: NodeChange<StepElement>[]) => {
    const moved = new Map<string, Position>();
    for (const change of changes)
      if (change.type === "position" && change.dragging && change.position) moved.set(change.id, change.position);
    if (!moved.size) return;
    const { document: now, geometry } = current();
    const outer = new Set(outermost(now, moved.keys()));
    const places = new Map([...moved].filter(([id]) => outer.has(id)));
    const pointer = canvasView()?.pointer() ?? { x: 0, y: 0 };
    const edge = edgeUnder(geometry, places);
    latest.current = { places, edge, frame: edge ? undefined : frameAt(geometry, pointer, outer)?.id };
    // The pointer can move more often than the page is drawn.
    if (!frame.current)
      frame.current = requestAnimationFrame(() => {
        frame.current = 0;
        setDrag(latest.current);
      });
  }, []);

  const onStop = useCallback(() => {
    const last = latest.current;
    latest.current = null;
    cancelAnimationFrame(frame.current);
    frame.current = 0;
    setDrag(null);
    if (!last) return;
    const [only] = last.places.keys();
    if (last.edge && only && spliceOnto(last.edge, only, last.places.get(only))) return;
    dropNodes(last.places, canvasView()?.pointer() ?? { x: 0, y: 0 });
  }, []);

  const drawing = useMemo<Drawing>(() => {
    const geometry = drawnOf(document);
    if (!drag) return { document, geometry };
    const inner = new Map([...drag.places].map(([id, at]) => [id, within(geometry, id, at)]));
    const shown = moveNodes(inner)(document);
    return { document: shown, geometry: geometryOf(shown, { ...drawnWith(folds), frozen: frameSizes(geometry) }) };
  }, [document, drag, folds]);

  const moving = useMemo(() => (drag ? movingOf(drawing.geometry, drag) : null), [drawing, drag]);
  const over = useMemo(() => ({ frame: drag?.frame, edge: drag?.edge }), [drag?.frame, drag?.edge]);
  return { drawing, moving, onNodeChanges, onStop, over };
}

function within(geometry: Geometry, id: string, at: Position): Position {
  const holder = geometry.boxes.get(geometry.boxes.get(id)?.parent ?? "");
  return { x: at.x - (holder?.x ?? 0), y: at.y - (holder?.y ?? 0) };
}

/** Frames keep their size while something is dragged, so that it can be dragged out of them. */
function frameSizes(geometry: Geometry): Map<string, Size> {
  const frames = [...geometry.boxes.values()].filter((box) => box.frame);
  return new Map(frames.map(({ id, width, height }) => [id, { width, height }]));
}

function movingOf(geometry: Geometry, drag: Drag): Set<string> {
  const moving = new Set(drag.places.keys());
  for (const box of geometry.boxes.values()) if (box.parent !== undefined && moving.has(box.parent)) moving.add(box.id);
  return moving;
}

/** The edge that a lone node would be put onto. */
function edgeUnder(geometry: Geometry, places: ReadonlyMap<string, Position>): string | undefined {
  const [id, at] = [...places][0] ?? [];
  const box = id === undefined ? undefined : geometry.boxes.get(id);
  if (!box || !at || places.size !== 1) return undefined;
  return edgeNear({ x: at.x + box.width / 2, y: at.y + Math.min(28, box.height / 2) }, box);
}

/** The nearest edge to a point that a node could be put onto; without a node, any edge. */
export function edgeNear(at: Position, box?: Box): string | undefined {
  const { document } = current();
  let best: { id: string; distance: number } | undefined;
  for (const [id, way] of waysNow()) {
    const distance = distanceTo(way, at);
    if (distance > NEAR_EDGE || (best && best.distance <= distance)) continue;
    if (box && spliceRefusal(document, id, box.id)) continue;
    best = { id, distance };
  }
  return best?.id;
}
