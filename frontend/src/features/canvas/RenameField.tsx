// A node's name, edited on its card: F2 begins, Enter keeps, Esc leaves it as it was.
import { ViewportPortal } from "@xyflow/react";
import { create } from "zustand";
import { labelOf } from "~/graph/document";
import { rename } from "~/store/actions/editing";
import { drawnOf, placedOf } from "~/store/drawing";
import { useEditor } from "~/store/editor";
import { canvasView } from "~/store/view";

interface RenamingState {
  id: string | null;
}

const useRenaming = create<RenamingState>()(() => ({ id: null }));

export function beginRenaming(id: string): void {
  canvasView()?.reveal([id]);
  useRenaming.setState({ id });
}

export default function RenameField() {
  const id = useRenaming((state) => state.id);
  const document = useEditor((state) => state.document);
  const box = id === null ? undefined : drawnOf(placedOf(document)).boxes.get(id);
  if (!box || id === null) return null;
  const end = (name: string | null) => {
    if (useRenaming.getState().id === null) return;
    useRenaming.setState({ id: null });
    if (name !== null) rename(id, name);
    canvasView()?.focus(id);
  };
  return (
    <ViewportPortal>
      <input
        className="rename nodrag nopan"
        style={{ transform: `translate(${box.x + 30}px, ${box.y + 6}px)`, width: Math.min(box.width, 260) - 40 }}
        aria-label={`Name of ${labelOf(box.node)}`}
        defaultValue={labelOf(box.node)}
        ref={takeFocus}
        onBlur={(event) => end(event.target.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (event.key === "Enter") end(event.currentTarget.value);
          if (event.key === "Escape") end(null);
        }}
      />
    </ViewportPortal>
  );
}

function takeFocus(field: HTMLInputElement | null) {
  field?.focus({ preventScroll: true });
  field?.select();
}
