// Past runs of the last version replayed against the draft: which would go another way, end otherwise, or cost more.
import { useState } from "react";
import type { Replayed } from "~/api/flowTests";
import { findNode, labelOf } from "~/graph/document";
import { useEditor } from "~/store/editor";
import { useFlowTests } from "~/store/flowTests";
import { showNode } from "./Differences";
import { showRun } from "./showing";
import { byVerdict, many, replaySummary, replayWords, stepWords, VERDICT_WORDS } from "./words";

const NUMBERS = [10, 25, 50, 100];
const LOOKS = {
  same: "succeeded",
  refused: "failed",
  route: "retrying",
  ending: "retrying",
  cost: "retrying",
  unknown: "approval",
  incomparable: "skipped",
};

export default function PastRuns() {
  const { flow, replay, work } = useFlowTests();
  const [number, setNumber] = useState(25);
  return (
    <div className="past-runs">
      <div className="past-runs-head">
        <label>
          Newest runs of the last version{" "}
          <select value={number} onChange={(event) => setNumber(Number(event.target.value))}>
            {NUMBERS.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <button
          type="button"
          className="quiet-button"
          disabled={work !== "idle"}
          onClick={() => void useFlowTests.getState().replayPast(number)}
        >
          Replay against the draft
        </button>
        {replay && replay.items.length > 0 && (
          <select
            aria-label="Show a replayed run on the canvas"
            value=""
            onChange={(event) => event.target.value && void showRun(flow, event.target.value)}
          >
            <option value="">Show on the canvas…</option>
            {replay.items.map((one) => (
              <option key={one.run} value={one.run}>
                {`${one.run.slice(0, 8)}: ${VERDICT_WORDS[one.verdict].toLowerCase()}`}
              </option>
            ))}
          </select>
        )}
        {work === "replay" && (
          <button type="button" className="quiet-button" onClick={() => useFlowTests.getState().stop()}>
            Stop
          </button>
        )}
      </div>
      {replay ? (
        <ReplayReport />
      ) : (
        <p className="tests-none quiet">
          The draft is run in the simulator with what past runs were given, and with the replies that they got. Nothing
          is called: a call that a run did not make is reported.
        </p>
      )}
    </div>
  );
}

/** What was found so far, in one line and as a list of what differs. */
export function ReplayReport() {
  const { replay, work } = useFlowTests();
  if (!replay) return null;
  if (replay.version === null)
    return <p className="tests-none">Nothing is published yet, so there is nothing to replay.</p>;
  if (!replay.asked) return <p className="tests-none">Version {replay.version} has no runs that have ended.</p>;
  const differing = byVerdict(replay.items).filter((one) => one.verdict !== "same");
  const running = work === "replay" ? ` (${replay.items.length} of ${replay.asked} replayed)` : "";
  return (
    <>
      <p className="past-runs-summary" role="status">
        {replay.items.length
          ? `Of ${replay.items.length} runs of version ${replay.version}, ${replaySummary(replay.items)}.`
          : "Replaying…"}
        {running}
      </p>
      <ul className="tests-list">
        {differing.map((one) => (
          <Row key={one.run} replayed={one} />
        ))}
      </ul>
    </>
  );
}

function Row({ replayed }: { replayed: Replayed }) {
  const node = replayed.parting?.node ?? replayed.unmatched[0]?.path.split(/[.[#]/).at(-1) ?? null;
  const about = useEditor((state) => (node ? findNode(state.document, node) : undefined));
  return (
    <li className="test">
      <div className="test-line past-run">
        <span className={`mark mark-${LOOKS[replayed.verdict]} past-run-mark`}>{VERDICT_WORDS[replayed.verdict]}</span>
        <span className="past-run-words">
          <a href={`/runs/${replayed.run}/`} target="_blank" rel="noreferrer" className="mono">
            {replayed.run.slice(0, 8)}
          </a>{" "}
          {replayWords(replayed)}
        </span>
        <span className="test-buttons">
          {about && (
            <button type="button" className="quiet-button" onClick={() => showNode(about.id)}>
              Show {labelOf(about)}
            </button>
          )}
        </span>
      </div>
      {replayed.steps.length > 0 && <Steps steps={replayed.steps} />}
    </li>
  );
}

/** The run beside what the draft makes of it: the steps that differ. */
function Steps({ steps }: { steps: Replayed["steps"] }) {
  return (
    <details className="past-run-steps">
      <summary>
        Compare: {many(steps.length, "step")} {steps.length === 1 ? "differs" : "differ"}
      </summary>
      <ul>
        {steps.map((step) => (
          <li key={`${step.path} ${step.visit}`}>
            <button type="button" className="quiet-button" onClick={() => showNode(step.node)}>
              {step.path}
              {step.visit > 1 ? `, visit ${step.visit}` : ""}
            </button>{" "}
            {stepWords(step)}
          </li>
        ))}
      </ul>
    </details>
  );
}
