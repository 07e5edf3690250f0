// Moving the view: fit, zoom, bring nodes into view, and put the focus on one.
import { useReactFlow, useStoreApi } from "@xyflow/react";
import { type RefObject, useMemo, useRef } from "react";
import type { Position } from "~/graph/document";
import { around, type Box, type Geometry } from "~/graph/geometry";
import { speak } from "~/store/notices";
import type { CanvasView } from "~/store/view";

export const LEAST_ZOOM = 0.05;
export const MOST_ZOOM = 2;
const MARGIN = 48;
/** Where names can still be read: a flow that is larger is shown from its beginning. */
const FIRST_ZOOM = 0.7;

/** Below it a node that is asked for is shown larger. */
const SHOWN_ZOOM = 0.4;

/** How far the view must move for a stretch to be seen; null where it is longer than the view. */
function missing(start: number, length: number, room: number): number | null {
  if (length > room - 32) return null;
  if (start < 16) return MARGIN - start;
  return start + length > room - 16 ? room - MARGIN - start - length : 0;
}

/** Now, or in one of the next frames: what was just added is drawn a moment later. Told when it is the last chance. */
function soon(attempt: (last: boolean) => boolean, left = 12): void {
  if (!attempt(left === 0) && left > 0) requestAnimationFrame(() => soon(attempt, left - 1));
}

interface Latest {
  geometry: Geometry;
  order: readonly string[];
  selected: ReadonlySet<string>;
  nameOf: (box: Box) => string;
  focused: string | null;
  setFocused: (id: string) => void;
  wrapper: RefObject<HTMLDivElement | null>;
}

const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

export interface FullView extends CanvasView {
  /** The first picture: all of it, or its beginning where all would be too small to read. */
  begin(): void;
}

/** One view object for the life of the canvas; it looks at what is newest when it is asked. */
export function useCanvasView(latest: Latest): FullView {
  const now = useRef(latest);
  now.current = latest;
  const flow = useReactFlow();
  const store = useStoreApi();
  const pointer = useRef<Position | null>(null);

  return useMemo(() => {
    const seen = () => [...now.current.geometry.boxes.values()].filter((box) => !box.hidden);
    const show = (boxes: readonly Box[], most: number, animated = true) => {
      const bounds = around(boxes);
      const { width, height } = store.getState();
      if (!bounds || !width) return;
      const wanted = Math.min((width - 2 * MARGIN) / bounds.width, (height - 2 * MARGIN) / bounds.height);
      const zoom = Math.min(most, Math.max(LEAST_ZOOM, wanted));
      const x = width / 2 - (bounds.x + bounds.width / 2) * zoom;
      const y = height / 2 - (bounds.y + bounds.height / 2) * zoom;
      flow.setViewport({ x, y, zoom }, { duration: animated && !still() ? 200 : 0 });
    };
    const visible = (id: string) => {
      let box = now.current.geometry.boxes.get(id);
      while (box?.hidden && box.parent) box = now.current.geometry.boxes.get(box.parent);
      return box;
    };
    const element = (id: string) =>
      now.current.wrapper.current?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(id)}"]`);

    const bringIn = (boxes: readonly Box[]) => {
      const bounds = around(boxes);
      const { width, height, transform } = store.getState();
      if (!bounds || !width) return;
      const [x, y, zoom] = transform;
      const dx = missing(bounds.x * zoom + x, bounds.width * zoom, width);
      const dy = missing(bounds.y * zoom + y, bounds.height * zoom, height);
      if (dx === null || dy === null || zoom < SHOWN_ZOOM) show(boxes, 1, false);
      else if (dx || dy) flow.setViewport({ x: x + dx, y: y + dy, zoom }, { duration: 0 });
    };

    const focusNow = (id: string, last: boolean) => {
      const box = visible(id);
      if (!box) return false;
      if (now.current.focused !== box.id) now.current.setFocused(box.id);
      bringIn([box]);
      // A card outside the view may not be drawn yet; at small scales none is.
      const found = element(box.id);
      if (!found && !last) return false;
      (found ?? now.current.wrapper.current)?.focus({ preventScroll: true });
      if (!found) speak(now.current.nameOf(box));
      return true;
    };

    const view: FullView = {
      begin() {
        const { width, height } = store.getState();
        const bounds = around(seen());
        const first = now.current.geometry.boxes.get(now.current.order[0] ?? "");
        if (!bounds || !first) return void flow.setViewport({ x: width / 3, y: height / 3, zoom: 1 });
        const wanted = Math.min((width - 2 * MARGIN) / bounds.width, (height - 2 * MARGIN) / bounds.height);
        if (wanted >= FIRST_ZOOM) return show(seen(), 1, false);
        const y = height / 2 - (first.y + first.height / 2) * FIRST_ZOOM;
        flow.setViewport({ x: MARGIN - first.x * FIRST_ZOOM, y, zoom: FIRST_ZOOM });
      },
      fit: () => show(seen(), 1),
      fitSelection() {
        const chosen = [...now.current.selected].flatMap((id) => visible(id) ?? []);
        show(chosen.length ? chosen : seen(), 1.25);
      },
      zoomBy(factor) {
        view.zoomTo(store.getState().transform[2] * factor);
      },
      zoomTo(zoom) {
        flow.zoomTo(Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, zoom)), { duration: still() ? 0 : 120 });
        speak(`Zoom ${Math.round(zoom * 100)} %.`);
      },
      reveal(ids) {
        soon(() => {
          const boxes = ids.flatMap((id) => visible(id) ?? []);
          if (boxes.length) bringIn(boxes);
          return boxes.length > 0;
        });
      },
      focus(id = now.current.focused ?? now.current.order[0]) {
        if (id === undefined || !seen().length) now.current.wrapper.current?.focus({ preventScroll: true });
        if (id !== undefined) soon((last) => focusNow(id, last));
      },
      pointer() {
        const rect = now.current.wrapper.current?.getBoundingClientRect();
        const middle = { x: (rect?.left ?? 0) + (rect?.width ?? 0) / 2, y: (rect?.top ?? 0) + (rect?.height ?? 0) / 2 };
        return flow.screenToFlowPosition(pointer.current ?? middle);
      },
      hasPointer: () => pointer.current !== null,
      pointerAt(at) {
        pointer.current = at;
      },
      screenOf(id) {
        const found = element(id)?.getBoundingClientRect() ?? now.current.wrapper.current?.getBoundingClientRect();
        return { x: (found?.left ?? 0) + 24, y: (found?.top ?? 0) + Math.min(found?.height ?? 0, 60) };
      },
      focused: () => now.current.focused,
      animate() {
        const wrapper = now.current.wrapper.current;
        if (!wrapper || still()) return;
        wrapper.classList.add("moving-softly");
        setTimeout(() => wrapper.classList.remove("moving-softly"), 320);
      },
    };
    return view;
  }, [flow, store]);
}
