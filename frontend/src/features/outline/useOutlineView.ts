// What other parts of the page ask of the outline: bring a row into view, put the focus on it, say where it is.
import { type RefObject, useEffect, useMemo } from "react";
import type { OutlineRow } from "~/graph/outline";
import { useEditor } from "~/store/editor";
import { type CanvasView, useView } from "~/store/view";
import { useOutline } from "./state";

interface Latest {
  rows: readonly OutlineRow[];
  tree: RefObject<HTMLElement | null>;
}

const canvas = () => useView.getState().view;

/** In one of the next frames: what was just added is a row a moment later. */
function soon(attempt: () => boolean, left = 12): void {
  if (!attempt() && left > 0) requestAnimationFrame(() => soon(attempt, left - 1));
}

export function useOutlineView(latest: RefObject<Latest>): void {
  const view = useMemo(() => made(latest), [latest]);
  useEffect(() => {
    const { registerOutline } = useView.getState();
    registerOutline(view);
    return () => registerOutline(null);
  }, [view]);
}

function made(latest: RefObject<Latest>): CanvasView {
  const element = (key: string) =>
    latest.current.tree.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`) ?? null;

  /** The row of a node, else where the focus was, else the one that stands there now. */
  const wanted = (id: string | undefined): string | undefined => {
    const { rows } = latest.current;
    const { active } = useOutline.getState();
    const key = id === undefined ? active : `node:${id}`;
    return rows.find((row) => row.key === key)?.key ?? (id === undefined ? rows[0]?.key : undefined);
  };

  return {
    reveal(ids) {
      canvas()?.reveal(ids);
      const [id] = ids;
      if (id === undefined) return;
      useOutline.getState().show(useEditor.getState().document, id);
      soon(() => {
        const row = element(`node:${id}`);
        row?.scrollIntoView({ block: "nearest" });
        return row !== null;
      });
    },
    focus(id) {
      if (id !== undefined) useOutline.getState().show(useEditor.getState().document, id);
      soon(() => {
        const key = wanted(id);
        const row = key === undefined ? null : element(key);
        const empty = id === undefined && !latest.current.rows.length;
        // The last row is gone: the button that begins anew.
        if (empty) latest.current.tree.current?.querySelector("button")?.focus();
        if (!row || key === undefined) return empty;
        useOutline.getState().stand(key);
        row.focus();
        return true;
      });
    },
    screenOf(id) {
      const { active } = useOutline.getState();
      const row = element(`node:${id}`) ?? element(active ?? "") ?? latest.current.tree.current;
      const place = row?.getBoundingClientRect();
      return { x: (place?.left ?? 0) + 32, y: (place?.top ?? 0) + Math.min(place?.height ?? 0, 40) };
    },
    focused() {
      const { active } = useOutline.getState();
      return active?.startsWith("node:") ? active.slice(5) : null;
    },
    fit: () => canvas()?.fit(),
    fitSelection: () => canvas()?.fitSelection(),
    zoomBy: (factor) => canvas()?.zoomBy(factor),
    zoomTo: (zoom) => canvas()?.zoomTo(zoom),
    // What is pasted here stands beside what is selected, wherever the pointer is.
    pointer: () => ({ x: 0, y: 0 }),
    hasPointer: () => false,
    pointerAt() {},
    animate: () => canvas()?.animate(),
  };
}
