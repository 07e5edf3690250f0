// What a run did at one node: its attempts with input, output, error and log; or why it did nothing there.
import { useEffect, useState } from "react";
import type { RunEvent } from "~/api/runs";
import { readStep, readStepsOf, type StepRun, type StepSummary } from "~/api/steps";
import { type FlowDocument, findNode, labelOf } from "~/graph/document";
import { whyNot } from "~/nodes/runHistory";
import StepValue, { SHOWN_BYTES } from "~/nodes/StepValue";
import PinFromRun from "./PinFromRun";

interface Props {
  run: string;
  /** Flow whose draft may take over an output as pinned data. */
  pinsTo: string | null;
  node: string;
  document: FlowDocument;
  events: readonly RunEvent[];
  count: number;
  onClose: () => void;
}

/** How often anything happened at the node: when that changes, its attempts are read anew. */
function happenedAt(events: readonly RunEvent[], count: number, node: string): number {
  let found = 0;
  for (let index = 0; index < count; index += 1) if (events[index]?.step === node) found += 1;
  return found;
}

export default function StepPanel({ run, pinsTo, node, document, events, count, onClose }: Props) {
  const [steps, setSteps] = useState<StepSummary[]>([]);
  const [chosen, setChosen] = useState<string | null>(null);
  const happened = happenedAt(events, count, node);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `happened` is why it is read anew
  useEffect(() => {
    let gone = false;
    void readStepsOf(run, node).then((found) => {
      if (!gone) setSteps(found);
    });
    return () => {
      gone = true;
    };
  }, [run, node, happened]);
  const about = findNode(document, node);
  const shown =
    steps.find((step) => step.id === chosen) ?? steps.find((step) => step.status === "failed") ?? steps.at(-1);
  return (
    <aside className="run-step" aria-label="Step">
      <header className="run-step-head">
        <h2>{labelOf(about ?? { id: node })}</h2>
        <button type="button" className="plain" aria-label="Close" onClick={onClose}>
          ✕
        </button>
      </header>
      {!steps.length && <Reasons reasons={whyNot(document, events.slice(0, count), node)} />}
      {steps.length > 1 && (
        <label className="run-step-choice">
          Attempt
          <select value={shown?.id} onChange={(event) => setChosen(event.target.value)}>
            {steps.map((step) => (
              <option key={step.id} value={step.id}>
                {`${step.path}${step.visit > 1 ? `, visit ${step.visit}` : ""}, attempt ${step.attempt}: ${step.status}`}
              </option>
            ))}
          </select>
        </label>
      )}
      {shown && <Attempt key={`${shown.id}${shown.status}`} run={run} step={shown} pinsTo={pinsTo} node={node} />}
    </aside>
  );
}

function Reasons({ reasons }: { reasons: string[] }) {
  return (
    <>
      <p>
        <strong>It has not run.</strong>
      </p>
      <ul className="run-step-reasons">
        {reasons.map((reason) => (
          <li key={reason}>{reason}</li>
        ))}
      </ul>
    </>
  );
}

interface AttemptProps {
  run: string;
  step: StepSummary;
  pinsTo: string | null;
  node: string;
}

function Attempt({ run, step, pinsTo, node }: AttemptProps) {
  const [whole, setWhole] = useState<StepRun | null>(null);
  const isLarge = step.input_size + step.output_size > SHOWN_BYTES * 4;
  useEffect(() => {
    void readStep(run, step.id, !isLarge).then(setWhole);
  }, [run, step.id, isLarge]);
  return (
    <div className="run-step-attempt">
      <dl className="facts">
        <dt>Status</dt>
        <dd>
          {step.status}
          {step.lost > 0 && `, lost ${step.lost}×`}
        </dd>
        <dt>Worker</dt>
        <dd>{step.worker || <span className="quiet">none</span>}</dd>
      </dl>
      <p>
        <a href={`/runs/${run}/steps/${step.id}/`}>Open the attempt</a>
        {whole?.approval && (
          <>
            {" · "}
            <a href={`/inbox/${whole.approval}/`}>Open the approval</a>
          </>
        )}
      </p>
      {pinsTo && whole && step.status === "succeeded" && (
        <PinFromRun flow={pinsTo} node={node} run={run} step={step.id} sensitive={whole.sensitive} />
      )}
      {whole?.error && (
        <div className="notice notice-error">
          <div>
            <p>
              <strong>{whole.error.message}</strong>
            </p>
            <p className="small">
              <code>{whole.error.code}</code>
            </p>
          </div>
        </div>
      )}
      {whole?.sensitive && (
        <p className="quiet">Its values are covered, since they touch what the flow marks as sensitive.</p>
      )}
      {isLarge && <p className="quiet">Its values are large: the attempt's own page shows and offers them.</p>}
      {whole?.values && (
        <>
          <StepValue title="Input" value={whole.values.input} />
          <StepValue title="Output" value={whole.values.output} />
          <StepValue title="Written to the state" value={whole.values.delta} />
        </>
      )}
      {whole && whole.log.lines.length > 0 && (
        <details>
          <summary>Log: {whole.log.lines.length} lines</summary>
          <pre className="value">{whole.log.lines.map((line) => `${line.at_ms} ms  ${line.message}`).join("\n")}</pre>
        </details>
      )}
    </div>
  );
}
