// The whole document as JSON. What is typed is applied by a button, as one step of the undo history.
import { useState } from "react";
import { type FlowDocument, type JsonObject, opened } from "~/graph/document";
import type { Document } from "~/graph/document.gen";
import { whyNotDrawn } from "~/graph/drawable";
import { useEditor } from "~/store/editor";
import { CodeField } from "~/ui/CodeField";
import { pretty } from "~/ui/JsonField";

export default function WholeDocument() {
  const document = useEditor((state) => state.document);
  const readOnly = useEditor((state) => state.readOnly);
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? pretty(document as unknown as JsonObject);
  const read = typed === null ? null : readText(typed);

  function applyText() {
    if (!read || "fault" in read) return;
    useEditor.getState().apply("Change the document as JSON", () => read.document);
    setTyped(null);
  }

  return (
    <>
      <p className="field-help">
        Everything that the flow is. A document with problems can be applied, broken JSON cannot.
      </p>
      <CodeField
        language="json"
        label="Document as JSON"
        value={text}
        onChange={setTyped}
        readOnly={readOnly}
        lines={12}
      />
      {read && "fault" in read ? <p className="field-note field-note-error">{read.fault}</p> : null}
      <div className="button-row">
        <button
          type="button"
          className="button button-primary"
          aria-disabled={typed === null || !read || "fault" in read || undefined}
          onClick={applyText}
        >
          Apply
        </button>
        <button
          type="button"
          className="button"
          aria-disabled={typed === null || undefined}
          onClick={() => setTyped(null)}
        >
          Discard
        </button>
      </div>
    </>
  );
}

/** The document that a text stands for, or why it is none that can be drawn. */
export function readText(text: string): { document: FlowDocument } | { fault: string } {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    return { fault: `This is no JSON. ${error instanceof Error ? error.message : ""}` };
  }
  const [fault] = whyNotDrawn(given);
  if (fault) return { fault };
  return { document: opened(given as unknown as Document) };
}
