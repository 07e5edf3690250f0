// The editor's buttons on the canvas: the view, add, undo and redo, tidy, find, the keys.
import type { ReactNode } from "react";
import { commandOf, keyWords, useCommands } from "~/store/commands";
import { useEditor } from "~/store/editor";
import type { CanvasView } from "~/store/view";
import { ToolButton } from "~/ui/Toolbar";
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

function CommandButton({ id, label, children }: { id: string; label?: string; children: ReactNode }) {
  // Drawn anew with each change, because whether it can be done changes with it.
  useEditor((state) => state.document);
  const command = useCommands((state) => state.commands.find((one) => one.id === id));
  if (!command) return null;
  const [keys] = command.keys ?? [];
  return (
    <ToolButton
      label={label ?? command.title}
      refusal={command.refusal?.() ?? null}
      onClick={() => commandOf(id)?.run()}
      {...(keys ? { keys: keyWords(keys) } : {})}
    >
      {children}
    </ToolButton>
  );
}
