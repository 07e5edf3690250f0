// The editor's buttons on the canvas: the view, add, undo and redo, tidy, find, the keys.
import CommandButton from "~/nodes/CommandButton";
import { useEditor } from "~/store/editor";
import type { CanvasView } from "~/store/view";
import ViewTools from "./ViewTools";

export default function EditorTools({ view }: { view: CanvasView }) {
  const last = useEditor((state) => state.past.at(-1)?.label);
  const next = useEditor((state) => state.future.at(-1)?.label);
  const readOnly = useEditor((state) => state.readOnly);
  return (
    <ViewTools view={view}>
      {readOnly ? null : (
        <>
          <span className="tool-gap" />
          <CommandButton id="add" label="Add a node">
            Add
          </CommandButton>
          <CommandButton id="undo" label={last ? `Undo: ${last}` : "Undo"}>
            Undo
          </CommandButton>
          <CommandButton id="redo" label={next ? `Redo: ${next}` : "Redo"}>
            Redo
          </CommandButton>
          <CommandButton id="tidy">Tidy</CommandButton>
        </>
      )}
      <span className="tool-gap" />
      <CommandButton id="find">Find</CommandButton>
      <CommandButton id="shortcuts">?</CommandButton>
    </ViewTools>
  );
}
