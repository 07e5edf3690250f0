// The keys of the tree: up and down through the rows, right and left into and out of what they hold, as trees have them.
import type { KeyboardEvent } from "react";
import { findEdge } from "~/graph/document";
import type { OutlineRow } from "~/graph/outline";
import { useEditor } from "~/store/editor";
import { usePanels } from "~/store/panels";
import { useOutline } from "./state";

const PAGE = 10;

/** Choose what a row is about; with `extend` beside what is chosen already. */
export function choose(row: OutlineRow, extend: boolean): void {
  const { nodes, edges, select } = useEditor.getState();
  if (row.kind === "node") select(extend ? [...nodes, row.id] : [row.id], extend ? edges : []);
  else select(extend ? nodes : [], extend ? [...edges, row.id] : [row.id]);
}

/** Open the settings of what a row is about, and stand in their first field. */
export function configure(row: OutlineRow): void {
  usePanels.getState().openInspector({ kind: row.kind, id: row.id });
}

export function useRowKeys(rows: readonly OutlineRow[], goTo: (row: OutlineRow, extend: boolean) => void) {
  return (event: KeyboardEvent<HTMLElement>) => {
    const target = event.target instanceof Element ? event.target : null;
    if (!target?.matches(".outline-row") || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = rows.findIndex((row) => row.key === useOutline.getState().active);
    const row = rows[at];
    if (!row || !handled(event.key, rows, at, row, (next) => goTo(next, event.shiftKey))) return;
    event.preventDefault();
  };
}

function handled(
  key: string,
  rows: readonly OutlineRow[],
  at: number,
  row: OutlineRow,
  goTo: (row: OutlineRow) => void,
): boolean {
  const steps: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: rows.length - 1,
    PageDown: Math.min(rows.length - 1, at + PAGE),
    PageUp: Math.max(0, at - PAGE),
  };
  const next = key in steps ? rows[steps[key] ?? at] : sideways(key, rows, at, row);
  if (key === "Enter") configure(row);
  else if (key === "Escape") useEditor.getState().select([]);
  else if (next) goTo(next);
  else return key in steps || key === "ArrowRight" || key === "ArrowLeft";
  return true;
}

/** Unfold and go in, or fold and go out. An edge leads to its target. */
function sideways(key: string, rows: readonly OutlineRow[], at: number, row: OutlineRow): OutlineRow | undefined {
  const { fold } = useOutline.getState();
  if (key === "ArrowRight") {
    if (row.kind === "edge") {
      const target = findEdge(useEditor.getState().document, row.id)?.target;
      return rows.find((one) => one.key === `node:${target}`);
    }
    if (row.holds && row.open) return rows[at + 1];
    if (row.holds) fold(row.id, false);
    return undefined;
  }
  if (key !== "ArrowLeft") return undefined;
  if (row.kind === "node" && row.holds && row.open) {
    fold(row.id, true);
    return undefined;
  }
  return rows.find((one) => one.key === row.around);
}
