// Taking a document into the draft: from a file or pasted text, in any form that the server knows, with what was lost.
import { useState } from "react";
import { type Conversion, convertDocument } from "~/api/transfer";
import { type FlowDocument, opened } from "~/graph/document";
import { whyNotDrawn } from "~/graph/drawable";
import { useEditor } from "~/store/editor";
import { tell } from "~/store/notices";
import Dialog from "~/ui/Dialog";

interface Props {
  flow: string;
  onClose: () => void;
}

export default function ImportDialog({ flow, onClose }: Props) {
  const [text, setText] = useState("");
  const [found, setFound] = useState<Conversion | null>(null);
  const [failure, setFailure] = useState<string | null>(null);

  async function read(source: string): Promise<void> {
    setText(source);
    setFound(null);
    setFailure(null);
    if (!source.trim()) return;
    try {
      const conversion = await convertDocument(parsed(source), flow);
      const [fault] = whyNotDrawn(conversion.document);
      if (fault) throw new Error(`The document cannot be drawn: ${fault}`);
      setFound(conversion);
    } catch (error) {
      setFailure((error as Error).message);
    }
  }

  function take(conversion: Conversion): void {
    // The flow keeps its own id: it is the place where the document goes, not part of what it says.
    const document: FlowDocument = { ...opened(conversion.document), id: flow };
    useEditor.getState().apply("Import a document", () => document);
    tell("The document is the draft now. Undo brings the draft before it back.");
    onClose();
  }

  const actions = (
    <>
      <button type="button" onClick={onClose}>
        Cancel
      </button>
      <button type="button" className="primary" disabled={!found} onClick={() => found && take(found)}>
        Replace the draft
      </button>
    </>
  );
  return (
    <Dialog title="Import a document" actions={actions} onClose={onClose} wide>
      <div className="field">
        <label htmlFor="import-file">A JSON file</label>
        <input
          id="import-file"
          type="file"
          accept=".json,application/json"
          onChange={(event) => void event.target.files?.[0]?.text().then(read)}
        />
      </div>
      <div className="field">
        <label htmlFor="import-text">Or its text</label>
        <textarea
          id="import-text"
          className="json"
          spellCheck={false}
          value={text}
          onChange={(event) => void read(event.target.value)}
        />
      </div>
      {failure && (
        <p role="alert" className="errors">
          {failure}
        </p>
      )}
      {found && <Report conversion={found} />}
    </Dialog>
  );
}

function parsed(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch (error) {
    throw new Error(`This is no JSON: ${(error as Error).message}`);
  }
}

function Report({ conversion: { title, document, losses } }: { conversion: Conversion }) {
  const nodes = document.nodes?.length ?? 0;
  return (
    <div role="status">
      <p>
        {title}: {nodes} {nodes === 1 ? "node" : "nodes"}.{" "}
        {losses.length ? "Our form cannot say everything that it says:" : "Nothing of it is lost."}
      </p>
      <ul>
        {losses.map((loss) => (
          <li key={`${loss.place} ${loss.what}`}>
            <code>{loss.place || "/"}</code> {loss.what}: {loss.instead}
          </li>
        ))}
      </ul>
    </div>
  );
}
