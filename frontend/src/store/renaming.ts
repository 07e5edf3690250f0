// Which node's name is being written; the editor in which somebody works shows the field.
import { create } from "zustand";
import { rename } from "./actions/editing";
import { canvasView } from "./view";

export const useRenaming = create<{ id: string | null }>()(() => ({ id: null }));

export function beginRenaming(id: string): void {
  canvasView()?.reveal([id]);
  useRenaming.setState({ id });
}

/** Keep a name, or with null leave it as it was; the focus goes back to the node. */
export function endRenaming(name: string | null): void {
  const { id } = useRenaming.getState();
  if (id === null) return;
  useRenaming.setState({ id: null });
  if (name !== null) rename(id, name);
  canvasView()?.focus(id);
}
