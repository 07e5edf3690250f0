// One row of the tree: indented, foldable, with the two buttons that a finger needs. Keys are the tree's matter.
import type { CSSProperties, ReactNode } from "react";
import type { OutlineRow } from "~/graph/outline";
import { useEditor } from "~/store/editor";
import { usePicker } from "~/store/picker";
import { useOutline } from "./state";
import { choose, configure } from "./useRowKeys";

export interface RowProps {
  row: OutlineRow;
  /** What is read out. */
  label: string;
  active: boolean;
  off?: boolean;
  children: ReactNode;
}

export default function Row({ row, label, active, off = false, children }: RowProps) {
  const chosen = useEditor((state) => (row.kind === "node" ? state.nodes : state.edges).has(row.id));
  const holds = row.kind === "node" && row.holds;
  const open = row.kind === "node" && row.open;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it has the keys
    <div
      role="treeitem"
      className={`outline-row outline-${row.kind}${off ? " outline-off" : ""}`}
      data-key={row.key}
      tabIndex={active ? 0 : -1}
      aria-level={row.level}
      aria-posinset={row.place}
      aria-setsize={row.of}
      aria-selected={chosen}
      aria-expanded={holds ? open : undefined}
      aria-label={label}
      style={{ "--level": row.level - 1 } as CSSProperties}
      onClick={(event) => {
        useOutline.getState().stand(row.key);
        event.currentTarget.focus({ preventScroll: true });
        choose(row, event.shiftKey || event.ctrlKey || event.metaKey);
      }}
      onDoubleClick={() => configure(row)}
      onContextMenu={(event) => {
        event.preventDefault();
        menuAt(row, event.clientX, event.clientY);
      }}
    >
      {holds ? (
        <button
          type="button"
          tabIndex={-1}
          className="outline-fold"
          aria-label={`${open ? "Fold" : "Unfold"} ${label}`}
          onClick={(event) => {
            event.stopPropagation();
            useOutline.getState().fold(row.id, open);
          }}
        >
          {open ? "▾" : "▸"}
        </button>
      ) : (
        <span className="outline-fold" aria-hidden="true" />
      )}
      {children}
      <span className="outline-buttons">
        <button
          type="button"
          tabIndex={-1}
          className="icon-button"
          aria-label={`Configure ${label}`}
          title="Configure"
          onClick={(event) => {
            event.stopPropagation();
            configure(row);
          }}
        >
          ✎
        </button>
        <button
          type="button"
          tabIndex={-1}
          className="icon-button"
          aria-label={`What to do with ${label}`}
          title="What to do"
          onClick={(event) => {
            event.stopPropagation();
            const place = event.currentTarget.getBoundingClientRect();
            menuAt(row, place.left, place.bottom);
          }}
        >
          ⋯
        </button>
      </span>
    </div>
  );
}

function menuAt(row: OutlineRow, x: number, y: number): void {
  const { nodes, edges } = useEditor.getState();
  useOutline.getState().stand(row.key);
  if (!(row.kind === "node" ? nodes : edges).has(row.id)) choose(row, false);
  usePicker.getState().open({ kind: "menu", x, y });
}
