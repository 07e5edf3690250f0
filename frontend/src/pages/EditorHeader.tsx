// The line above the canvas: which flow, whether it is saved, and what is done with the flow as a whole.
import type { ReactNode } from "react";
import NewerDraft from "~/features/saving/NewerDraft";
import SaveState from "~/features/saving/SaveState";
import { useEditor } from "~/store/editor";
import HeadMenu from "~/ui/HeadMenu";
import Toolbar from "~/ui/Toolbar";
import type { Boot } from "./boot";

export type DialogName = "start" | "publish" | "versions" | "import" | "description" | "extract";

interface Props {
  boot: Boot;
  onOpen: (dialog: DialogName) => void;
  /** Further buttons, of the features. */
  children?: ReactNode;
}

export default function EditorHeader({ boot, onOpen, children }: Props) {
  const name = useEditor((state) => state.document.name);
  return (
    <header className="editor-head" data-region>
      <h1 className="visually-hidden">Edit {name || boot.flow.id}</h1>
      <nav className="crumbs" aria-label="Path">
        {/* The list of flows is in the line above, one stop for Tab and not two. */}
        <span>Flows /</span> <a href={`/flows/${boot.flow.id}/`}>{name || boot.flow.id}</a>
      </nav>
      {boot.may.edit ? <SaveState /> : <span className="save-state">To look at: you may not change this flow</span>}
      <NewerDraft />
      <Toolbar label="Flow" className="editor-head-actions">
        {children}
        <button type="button" onClick={() => onOpen("versions")}>
          Versions
        </button>
        <HeadMenu label="More">
          <button type="button" className="plain" onClick={() => onOpen("description")}>
            What this flow does
          </button>
          <a href={`/flows/${boot.flow.id}/export/`} download>
            Export the draft
          </a>
          {boot.may.edit && (
            <button type="button" className="plain" onClick={() => onOpen("import")}>
              Import a document
            </button>
          )}
        </HeadMenu>
        {boot.may.run && (
          <button type="button" onClick={() => onOpen("start")}>
            Run…
          </button>
        )}
        {boot.may.publish && (
          <button type="button" className="primary" onClick={() => onOpen("publish")}>
            Publish…
          </button>
        )}
      </Toolbar>
    </header>
  );
}
