// Kinds of node that are dragged from the palette onto the canvas: into a container, onto an edge, or anywhere.
import { type DragEvent, useCallback, useRef, useState } from "react";
import { frameAt } from "~/graph/geometry";
import { CHOICE_TYPE, choicesOf } from "~/nodes/choices";
import { addNode } from "~/store/actions/adding";
import { useCatalog } from "~/store/catalog";
import { current } from "~/store/drawing";
import { useEditor } from "~/store/editor";
import { canvasView } from "~/store/view";
import { edgeNear } from "./useDragging";

interface Over {
  frame: string | undefined;
  edge: string | undefined;
}

export function usePaletteDrop() {
  const [over, setOver] = useState<Over | null>(null);
  const last = useRef<Over | null>(null);

  const onDragOver = useCallback((event: DragEvent) => {
    if (!event.dataTransfer.types.includes(CHOICE_TYPE) || useEditor.getState().readOnly) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    const view = canvasView();
    view?.pointerAt({ x: event.clientX, y: event.clientY });
    const point = view?.pointer() ?? { x: 0, y: 0 };
    const edge = edgeNear(point);
    const next = { edge, frame: edge ? undefined : frameAt(current().geometry, point)?.id };
    if (last.current?.edge === next.edge && last.current?.frame === next.frame) return;
    last.current = next;
    setOver(next);
  }, []);

  const end = useCallback(() => {
    last.current = null;
    setOver(null);
  }, []);

  const onDragLeave = useCallback(
    (event: DragEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) end();
    },
    [end],
  );

  const onDrop = useCallback(
    (event: DragEvent) => {
      const key = event.dataTransfer.getData(CHOICE_TYPE);
      const edge = last.current?.edge;
      end();
      if (!key) return;
      event.preventDefault();
      const choice = choicesOf(useCatalog.getState()).find((one) => one.key === key);
      const point = canvasView()?.pointer() ?? { x: 0, y: 0 };
      // The pointer holds the card near its upper left corner.
      const corner = { x: point.x - 40, y: point.y - 28 };
      if (!choice) return;
      const id = addNode(choice, edge && !choice.ends ? { kind: "edge", edge } : { kind: "point", point: corner });
      if (id) canvasView()?.focus(id);
    },
    [end],
  );

  return { over, onDragOver, onDragLeave, onDrop };
}
