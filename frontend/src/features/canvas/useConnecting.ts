// Drawing edges with the pointer: from a port to a node, anywhere on it, or to empty canvas, where a new node is picked.
import type { FinalConnectionState, OnConnectEnd, OnConnectStart } from "@xyflow/react";
import { useCallback, useMemo, useState } from "react";
import { refusalOf, type Start } from "~/graph/connecting";
import type { Position } from "~/graph/document";
import type { Box } from "~/graph/geometry";
import { boxesAt } from "~/graph/placing";
import { connectTo } from "~/store/actions/editing";
import { current } from "~/store/drawing";
import { tell } from "~/store/notices";
import { usePicker } from "~/store/picker";
import { canvasView } from "~/store/view";

export interface Connecting {
  start: Start | null;
  /** Why a node is no target, by its id; those that are one are missing. */
  refusals: ReadonlyMap<string, string>;
  onConnectStart: OnConnectStart;
  onConnectEnd: OnConnectEnd;
}

/** The port for outcomes that are not used yet stands for one of them; they all refuse the same. */
export const startOf = (source: string, port: string | null | undefined): Start => ({
  source,
  port: port === "more" || !port ? "error" : port,
});

export function useConnecting(): Connecting {
  const [start, setStart] = useState<Start | null>(null);

  const onConnectStart = useCallback<OnConnectStart>((_, { nodeId, handleId, handleType }) => {
    if (nodeId && handleType === "source") setStart(startOf(nodeId, handleId));
  }, []);

  const onConnectEnd = useCallback<OnConnectEnd>((event, state) => {
    setStart(null);
    finish(state, pressOf(event));
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

  return { start, refusals, onConnectStart, onConnectEnd };
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
  if (target === fromNode.id && near(point, fromHandle, source)) return;
  const { open } = usePicker.getState();
  if (fromHandle.id === "more") {
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
  tell(
    "This branch leads somewhere already. Drop it on another node to lead it there, or add a node on its edge.",
    "refused",
  );
  return false;
}
