// A try that did not come to where it should: what is missing, and what can be done about it.
import { useState } from "react";
import type { Tried } from "~/api/trying";
import type { JsonObject } from "~/graph/document";
import { useEditor } from "~/store/editor";
import { namesOf, useTrying } from "~/store/trying";
import Dialog from "~/ui/Dialog";
import Inputs from "./Inputs";
import { simulate } from "./simulating";
import "./trying.css";

interface Props {
  nodes: readonly string[];
  tried: Tried | null;
  failure: string | null;
}

export default function NeedsDialog({ nodes, tried, failure }: Props) {
  const document = useEditor((state) => state.document);
  const busy = useTrying((state) => state.busy);
  const [inputs, setInputs] = useState<JsonObject | undefined>(undefined);
  const [isFaulty, setFaulty] = useState(false);
  const { close } = useTrying.getState();
  return (
    <Dialog
      title={`The try did not come to ${namesOf(document, nodes)}`}
      onClose={close}
      actions={
        <button
          type="button"
          className="primary"
          disabled={busy || isFaulty}
          onClick={() => void simulate(nodes, inputs === undefined ? {} : { inputs })}
        >
          Try again
        </button>
      }
    >
      {failure ? (
        <p role="alert" className="errors">
          {failure}
        </p>
      ) : null}
      {tried ? <Missing tried={tried} /> : null}
      <Inputs value={inputs} onChange={setInputs} onFault={setFaulty} open={failure !== null} />
    </Dialog>
  );
}

/** What nothing stands in for, each with the button that pins a value; else why the way does not lead there. */
export function Missing({ tried }: { tried: Tried }) {
  const { open } = useTrying.getState();
  const readOnly = useEditor((state) => state.readOnly);
  if (!tried.missing.length) return tried.told ? <p role="alert">{tried.told}</p> : null;
  return (
    <div role="alert">
      <ul className="try-missing">
        {tried.missing.map((one) => (
          <li key={one.path}>
            {one.told}{" "}
            {readOnly ? null : (
              <button type="button" className="quiet-button" onClick={() => open({ kind: "pin", node: one.node })}>
                Pin a value<span className="visually-hidden"> to {one.node}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
