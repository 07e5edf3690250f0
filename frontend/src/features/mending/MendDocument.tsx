// A draft that cannot be drawn: why, and its text to be mended. Nothing of it is dropped.
import { useState } from "react";
import { type Draft, saveDraft } from "~/api/flows";
import { whyNotDrawn } from "~/graph/drawable";

interface Props {
  draft: Draft;
  readOnly: boolean;
  onMended: () => void;
}

export default function MendDocument({ draft, readOnly, onMended }: Props) {
  const [text, setText] = useState(() => JSON.stringify(draft.document, null, 2));
  const [failure, setFailure] = useState<string | null>(null);
  const read = parsed(text);
  const faults = "fault" in read ? [read.fault] : whyNotDrawn(read.document);

  async function save(): Promise<void> {
    if ("fault" in read) return;
    try {
      await saveDraft(draft.flow, read.document, draft.revision);
      onMended();
    } catch (error) {
      setFailure((error as Error).message);
    }
  }

  return (
    <section className="mending" aria-labelledby="mending-title">
      <h1 id="mending-title">This draft cannot be drawn yet</h1>
      <p>
        It was saved as it is, by an import or a program; nothing of it is lost. Mend its text, then it opens on the
        canvas.
      </p>
      <ul className="errors" role="status">
        {faults.slice(0, 20).map((fault) => (
          <li key={fault}>{fault}</li>
        ))}
        {!faults.length && <li className="quiet">Now it can be drawn.</li>}
      </ul>
      {failure && (
        <p role="alert" className="errors">
          {failure}
        </p>
      )}
      <label htmlFor="mending-text">Document as JSON</label>
      <textarea
        id="mending-text"
        className="json"
        rows={24}
        spellCheck={false}
        readOnly={readOnly}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="actions">
        {!readOnly && (
          <button type="button" className="primary" disabled={faults.length > 0} onClick={() => void save()}>
            Save and open
          </button>
        )}
        <a className="button" href={`/flows/${draft.flow}/export/`} download>
          Export it as it is
        </a>
        <a className="button" href={`/flows/${draft.flow}/`}>
          Back to the flow
        </a>
      </div>
    </section>
  );
}

function parsed(text: string): { document: object } | { fault: string } {
  try {
    return { document: JSON.parse(text) as object };
  } catch (error) {
    return { fault: `This is no JSON: ${(error as Error).message}` };
  }
}
