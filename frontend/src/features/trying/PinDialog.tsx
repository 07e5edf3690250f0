// Pinning an output to a node: taken from a run by one click, or typed as JSON.
import { useEffect, useState } from "react";
import { type RunInList, readRuns } from "~/api/expressions";
import { readPin } from "~/api/trying";
import { findNode, type Json, type JsonObject, labelOf } from "~/graph/document";
import { runWords } from "~/nodes/runWords";
import { useEditor } from "~/store/editor";
import { useObserved } from "~/store/observed";
import { usePin, usePins } from "~/store/pins";
import { useTrying } from "~/store/trying";
import Dialog from "~/ui/Dialog";
import { JsonField, type JsonValue } from "~/ui/JsonField";
import { Labelled } from "~/ui/Labelled";
import "./trying.css";

const LISTED = 20;

export default function PinDialog({ flow, node }: { flow: string; node: string }) {
  const about = useEditor((state) => findNode(state.document, node));
  const pin = usePin(node);
  const close = useTrying.getState().close;
  const [value, setValue] = useState<JsonValue | undefined>(undefined);
  const [writes, setWrites] = useState<JsonValue | undefined>(undefined);
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [isFaulty, setFaulty] = useState(false);
  const [isFaultyWrites, setFaultyWrites] = useState(false);
  const pinned = pin !== undefined;
  useEffect(() => {
    if (!pinned) return;
    readPin(flow, node)
      .then((found) => {
        if (found.covered) return;
        setValue(found.output);
        if (found.writes) setWrites(found.writes);
      })
      .catch((error: Error) => setFailure(error.message));
  }, [flow, node, pinned]);

  async function keep(given: Parameters<ReturnType<typeof usePins.getState>["pin"]>[1]): Promise<void> {
    setBusy(true);
    const refused = await usePins.getState().pin(node, given);
    setBusy(false);
    if (refused === null) close();
    else setFailure(refused);
  }

  return (
    <Dialog
      title={`Pin an output to “${labelOf(about ?? { id: node })}”`}
      onClose={close}
      actions={
        <>
          {pinned ? (
            <button
              type="button"
              onClick={() => {
                void usePins.getState().unpin(node);
                close();
              }}
            >
              Unpin
            </button>
          ) : null}
          <button
            type="button"
            className="primary"
            disabled={busy || isFaulty || isFaultyWrites || value === undefined}
            onClick={() => {
              const more = about?.type === "handler" && writes ? { writes: writes as JsonObject } : {};
              if (value !== undefined) void keep({ output: value as Json, ...more });
            }}
          >
            Pin this value
          </button>
        </>
      }
    >
      <p className="quiet">
        In tries it stands in for the node, which then does nothing. It is kept beside the draft for all its editors,
        and is no part of any version.
      </p>
      <FromRuns
        flow={flow}
        node={node}
        busy={busy}
        onTake={(run, step) => void keep({ run, ...(step ? { step } : {}) })}
      />
      <Labelled label="Output, as JSON" group>
        <JsonField
          label="Output, as JSON"
          value={value}
          lines={6}
          placeholder='{"key": "value"}'
          onChange={setValue}
          onFault={setFaulty}
        />
      </Labelled>
      {about?.type === "handler" ? (
        <Labelled label="State keys that it sets, as JSON" group>
          <JsonField
            label="State keys that it sets, as JSON"
            value={writes}
            lines={3}
            placeholder="{}"
            onChange={setWrites}
            onFault={setFaultyWrites}
          />
        </Labelled>
      ) : null}
      {failure ? (
        <p role="alert" className="errors">
          {failure}
        </p>
      ) : null}
    </Dialog>
  );
}

interface FromRunsProps {
  flow: string;
  node: string;
  busy: boolean;
  onTake: (run: string, step: string | null) => void;
}

/** What it gave in the run that is shown, in the last one, or in another of the newest. */
function FromRuns({ flow, node, busy, onTake }: FromRunsProps) {
  const [runs, setRuns] = useState<readonly RunInList[]>([]);
  const [chosen, setChosen] = useState("");
  const observed = useObserved((state) => state.observed);
  const shown = observed?.source.kind === "run" ? observed.source.run : undefined;
  const step = observed?.nodes.get(node)?.step ?? null;
  useEffect(() => {
    void readRuns(flow, { limit: LISTED })
      .then(setRuns)
      .catch(() => setRuns([]));
  }, [flow]);
  const run = chosen || shown || (runs.find((one) => !one.trial) ?? runs[0])?.id;
  if (!run) return <p className="quiet">The flow has no runs yet from which a value could be taken.</p>;
  return (
    <div className="pin-from">
      <label>
        Run{" "}
        <select value={run} onChange={(event) => setChosen(event.target.value)}>
          {shown && !runs.some((one) => one.id === shown) ? <option value={shown}>{shown.slice(0, 8)}</option> : null}
          {runs.map((one) => (
            <option key={one.id} value={one.id}>
              {runWords(one)}
            </option>
          ))}
        </select>
      </label>
      <button type="button" disabled={busy} onClick={() => onTake(run, run === shown ? step : null)}>
        Pin what it gave there
      </button>
    </div>
  );
}
