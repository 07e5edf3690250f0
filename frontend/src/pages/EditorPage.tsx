// The editor: reads catalog and draft, then puts its parts on the page. What each part does is the features' matter.
import { useEffect, useState } from "react";
import { readDraft } from "~/api/flows";
import Canvas from "~/features/canvas/Canvas";
import { opened } from "~/graph/document";
import { useCatalog } from "~/store/catalog";
import { useEditor } from "~/store/editor";
import type { Boot } from "./boot";

export default function EditorPage({ boot }: { boot: Boot }) {
  const [failure, setFailure] = useState<string | null>(null);
  const [ready, setReady] = useState(false);
  useEffect(() => {
    Promise.all([useCatalog.getState().load(), readDraft(boot.flow.id)])
      .then(([, draft]) => {
        useEditor.getState().open(opened(draft.document), { readOnly: !boot.may.edit });
        setReady(true);
      })
      .catch((error: unknown) => setFailure(error instanceof Error ? error.message : String(error)));
  }, [boot]);
  if (failure) return <p role="alert">The flow could not be opened: {failure} Reload the page to try again.</p>;
  if (!ready) return <p className="quiet">Opening the flow…</p>;
  return (
    <div className="editor">
      <section className="editor-canvas" aria-label="Canvas">
        <Canvas />
      </section>
    </div>
  );
}
