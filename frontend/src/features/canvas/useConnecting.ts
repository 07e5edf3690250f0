// Drawing edges with the pointer: from a port to a node, anywhere on it, or to empty canvas, where a new node is picked.
import type { FinalConnectionState, OnConnectEnd, OnConnectStart, ReactFlowProps } from "@xyflow/react";
import { useCallback, useMemo, useState } from "react";
import { portOfEdge, refusalOf, type Start } from "~/graph/connecting";
import { findEdge, type Position } from "~/graph/document";
import type { Box } from "~/graph/geometry";
import { boxesAt } from "~/graph/placing";
import { connectTo } from "~/store/actions/editing";
import { current } from "~/store/drawing";
import { tell } from "~/store/notices";
import { usePicker } from "~/store/picker";
import { canvasView } from "~/store/view";
import type { LineElement, StepElement } from "./elements";

export interface Connecting {
  start: Start | null;
  /** Why a node is no target, by its id; those that are one are missing. */
  refusals: ReadonlyMap<string, string>;
  onConnectStart: OnConnectStart;
  onConnectEnd: OnConnectEnd;
  onReconnectStart: OnReconnectStart;
}

type OnReconnectStart = NonNullable<ReactFlowProps<StepElement, LineElement>["onReconnectStart"]>;

/** The port for outcomes that are not used yet stands for one of them; they all refuse the same. */
export const startOf = (source: string, port: string | null | undefined): Start => ({
  source,
  port: leading !== null ? portOfEdge(leading) : port === "more" || !port ? "error" : port,
});

/** The edge whose end is being dragged: until it is let go, that edge is what is connected. */
let leading: string | null = null;

export function useConnecting(): Connecting {
  const [start, setStart] = useState<Start | null>(null);

  const onConnectStart = useCallback<OnConnectStart>((_, { nodeId, handleId, handleType }) => {
    if (nodeId && handleType === "source") setStart(startOf(nodeId, handleId));
  }, []);

  const onConnectEnd = useCallback<OnConnectEnd>((event, state) => {
    setStart(null);
    finish(state, pressOf(event));
    leading = null;
  }, []);

  // Told before the start of the connection that it is.
  const onReconnectStart = useCallback<OnReconnectStart>((_, { id }) => {
    leading = id;
  }, []);

  const refusals = useMemo(() => {
    const found = new Map<string, string>();
    if (!start) return found;
    const { document } = current();
    for (const node of document.nodes) {
      const refusal = refusalOf(document, start, node.id);
      if (refusal) found.set(node.id, refusal);
    }
    return found;
  }, [start]);

  return { start, refusals, onConnectStart, onConnectEnd, onReconnectStart };
}

function pressOf(event: MouseEvent | TouchEvent): { x: number; y: number } {
  const at = "changedTouches" in event ? event.changedTouches[0] : event;
  return { x: at?.clientX ?? 0, y: at?.clientY ?? 0 };
}

function finish({ fromNode, fromHandle, toNode }: FinalConnectionState, screen: { x: number; y: number }): void {
  const view = canvasView();
  if (!fromNode || !fromHandle || !view) return;
  view.pointerAt(screen);
  const point = view.pointer();
  const { geometry } = current();
  const source = geometry.boxes.get(fromNode.id);
  const target = toNode?.id ?? targetAt(point, source);
  if (isBack(target, fromNode.id, () => near(point, fromHandle, source))) return;
  const { open } = usePicker.getState();
  if (fromHandle.id === "more" && leading === null) {
    if (target !== fromNode.id)
      open({ kind: "outcome", source: fromNode.id, ...(target ? { target } : {}), ...screen });
    return;
  }
  const start = startOf(fromNode.id, fromHandle.id);
  if (target) connectTo(start, target);
  else if (usable(start)) open({ kind: "add", spot: { kind: "point", point, start }, ...screen });
}

/** The node at a point. A frame around the source is the ground it stands on, not a target. */
function targetAt(point: Position, source: Box | undefined): string | undefined {
  const [under] = boxesAt(current().geometry, point);
  return under && under.id !== source?.parent ? under.id : undefined;
}

/** Nothing was meant: a new edge is back at its port, or the end of an edge at the node that it leads to. */
function isBack(target: string | undefined, source: string, isNear: () => boolean): boolean {
  return leading === null ? target === source && isNear() : findEdge(current().document, leading)?.target === target;
}

/** Let go where it began: that was a press, not a drag. */
function near(
  point: { x: number; y: number },
  handle: { x: number; y: number },
  box: { x: number; y: number } | undefined,
) {
  return Math.hypot(point.x - (box?.x ?? 0) - handle.x, point.y - (box?.y ?? 0) - handle.y) < 48;
}

function usable(start: Start): boolean {
  if (!start.port.startsWith("branch:")) return true;
  tell("This edge leads somewhere already. Drop it on another node to lead it there, or add a node on it.", "refused");
  return false;
}
