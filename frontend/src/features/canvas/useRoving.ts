// The keys that move the focus and the view on a canvas, editable or not. One tab stop; Tab always leaves.
import { type FocusEvent, type KeyboardEvent, useState } from "react";
import { type Geometry, isWithin } from "~/graph/geometry";
import { type Direction, nearest } from "~/graph/placing";
import { predecessorsOf, siblingsOf, successorsOf } from "~/graph/wiring";
import type { Drawing } from "./elements";
import type { FullView } from "./useView";

interface Asked {
  drawing: Drawing;
  order: readonly string[];
  focused: string | null;
  selected: ReadonlySet<string>;
  view: FullView;
  onSelect: (nodes: Iterable<string>, edges?: Iterable<string>) => void;
  onOpen: ((id: string) => void) | undefined;
}

const DIRECTIONS: Record<string, Direction> = {
  ArrowRight: "right",
  ArrowLeft: "left",
  ArrowUp: "up",
  ArrowDown: "down",
};

export function useRoving({ drawing, order, focused, selected, view, onSelect, onOpen }: Asked) {
  const [inside, setInside] = useState(false);

  function goTo(id: string | undefined, extend: boolean) {
    if (id === undefined) return;
    onSelect(extend ? [...selected, id] : [id]);
    view.focus(id);
  }

  const visible = () => order.filter((id) => !drawing.geometry.boxes.get(id)?.hidden);
  const keys = new Map<string, (extend: boolean) => void>([
    ["Home", () => goTo(visible()[0], false)],
    ["End", () => goTo(visible().at(-1), false)],
    ["Escape", () => onSelect([])],
    ["+", () => view.zoomBy(1.25)],
    ["=", () => view.zoomBy(1.25)],
    ["-", () => view.zoomBy(0.8)],
    ["0", () => view.zoomTo(1)],
    ["1", () => view.fit()],
    ["2", () => view.fitSelection()],
  ]);
  for (const [key, direction] of Object.entries(DIRECTIONS))
    keys.set(key, (extend) => goTo(focused ? nextOf(drawing, focused, direction) : visible()[0], extend));
  if (focused && onOpen) keys.set("Enter", () => onOpen(focused));

  function handled(event: KeyboardEvent): boolean {
    const key = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys.get(event.key);
    key?.(event.shiftKey);
    return key !== undefined;
  }

  return {
    tabIndex: inside ? -1 : 0,
    onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
      if (!isOnCanvas(event.target)) return;
      if (handled(event)) event.preventDefault();
    },
    onFocus(event: FocusEvent<HTMLDivElement>) {
      const came = event.target === event.currentTarget && !isOnCanvas(event.relatedTarget);
      // Not while it is in the buttons that lie on the canvas: from there the way back leads to the node.
      setInside(isOnCanvas(event.target));
      // By Tab the focus goes on to the node where it was last.
      if (came && event.currentTarget.matches(":focus-visible") && order.length) view.focus();
    },
    onBlur(event: FocusEvent<HTMLDivElement>) {
      if (!event.currentTarget.contains(event.relatedTarget)) setInside(false);
    },
  };
}

/** The focus is on the canvas itself or a node of it, not in a field or a button that lies on it. */
export function isOnCanvas(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches(".flow-canvas, .flow-canvas .react-flow__node");
}

/** Along the edges to the right and the left, among siblings up and down; where there are none, what is nearest. */
function nextOf({ document, geometry }: Drawing, id: string, direction: Direction): string | undefined {
  const shown = (ids: readonly string[]) => ids.filter((one) => !geometry.boxes.get(one)?.hidden);
  if (direction === "right") return shown(successorsOf(document, id))[0] ?? entryOf(geometry, id);
  if (direction === "left") return shown(predecessorsOf(document, id))[0] ?? geometry.boxes.get(id)?.parent;
  const siblings = shown(siblingsOf(document, id)).sort((a, b) => topOf(geometry, a) - topOf(geometry, b));
  const at = siblings.indexOf(id);
  return siblings[direction === "up" ? at - 1 : at + 1] ?? nearest(geometry, id, direction);
}

const topOf = (geometry: Geometry, id: string) => geometry.boxes.get(id)?.y ?? 0;

/** The first node inside a frame that nothing follows. */
function entryOf(geometry: Geometry, id: string): string | undefined {
  const inner = [...geometry.boxes.values()].filter(
    (box) => box.parent === id && isWithin(geometry, box.id, new Set([id])),
  );
  return inner.sort((a, b) => a.x - b.x)[0]?.id;
}
