// A test is edited here: as a form or as JSON, tried against the draft as often as one likes, and kept.
import { useState } from "react";
import type { TestContent } from "~/api/flowTests";
import { isObject } from "~/graph/pointer";
import { tell } from "~/store/notices";
import Dialog from "~/ui/Dialog";
import { JsonField, type JsonValue } from "~/ui/JsonField";
import { Segmented } from "~/ui/Segmented";
import Differences from "./Differences";
import Expectations from "./Expectations";
import TestForm from "./TestForm";
import type { Opened } from "./TestsPanel";
import { type EditedTest, useTest } from "./useTest";

interface Props {
  flow: string;
  opened: Opened;
  mayEdit: boolean;
  onClose: () => void;
}

export default function TestDialog({ flow, opened, mayEdit, onClose }: Props) {
  const test = useTest(flow, opened);
  const [mode, setMode] = useState<"form" | "json">("form");
  const [busy, setBusy] = useState(false);
  const keep = async () => {
    setBusy(true);
    const id = await test.keep();
    setBusy(false);
    if (id === null) return;
    tell(test.isNew ? `The test “${test.content.name}” is kept with the flow.` : `“${test.content.name}” is saved.`);
    onClose();
  };
  const actions = (
    <>
      <button type="button" onClick={onClose}>
        {mayEdit ? "Cancel" : "Close"}
      </button>
      <button type="button" disabled={test.trying} onClick={() => void test.attempt()}>
        {test.trying ? "Trying…" : "Try it"}
      </button>
      {mayEdit && (
        <button type="button" className="primary" disabled={busy} onClick={() => void keep()}>
          {test.isNew ? "Keep this test" : "Save"}
        </button>
      )}
    </>
  );
  return (
    <Dialog title={test.isNew ? "New test" : "Test"} actions={actions} onClose={onClose} wide>
      {test.failure && (
        <p role="alert" className="errors">
          {test.failure}
        </p>
      )}
      <Notes notes={test.notes} />
      <Outcome test={test} />
      <div className="test-mode">
        <Segmented<"form" | "json">
          label="How the test is edited"
          options={[
            { value: "form", label: "Form" },
            { value: "json", label: "JSON" },
          ]}
          value={mode}
          onChange={setMode}
        />
      </div>
      {mode === "form" ? (
        <>
          <TestForm content={test.content} onChange={test.change} readOnly={!mayEdit} />
          <Expectations content={test.content} offers={test.offers} onChange={test.change} readOnly={!mayEdit} />
        </>
      ) : (
        <JsonField
          label="The test as JSON"
          value={test.content}
          lines={20}
          readOnly={!mayEdit}
          refuse={refusal}
          onChange={(value) => isObject(value) && test.change(value as TestContent)}
        />
      )}
    </Dialog>
  );
}

function refusal(value: JsonValue): string | null {
  if (!isObject(value)) return "A test is a JSON object.";
  return typeof value.name === "string" && value.name ? null : "A test needs a name.";
}

/** What was replaced in a recording, and what the run does not tell. */
function Notes({ notes }: { notes: readonly string[] }) {
  if (!notes.length) return null;
  return (
    <div className="notice notice-warning">
      <ul>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </div>
  );
}

/** How the test went when it was last tried; read out. */
function Outcome({ test: { result, trying } }: { test: EditedTest }) {
  return (
    <div role="status" className="test-outcome">
      {trying && !result && <span className="quiet">Trying it against the draft…</span>}
      {result && (
        <>
          <span className={`mark ${result.passed ? "mark-succeeded" : "mark-failed"}`}>
            {result.passed ? "Passes" : "Fails"}
          </span>{" "}
          {result.passed ? `against the draft: the run ${endWords(result.status)}.` : "against the draft."}
          {!result.passed && <Differences result={result} />}
        </>
      )}
    </div>
  );
}

function endWords(status: string): string {
  return status === "awaiting_approval" ? "waits for an approval" : `ends ${status}`;
}
