// The run that is followed on the canvas: how it stands, what failed, where to see more.
import { useLiveRun } from "~/nodes/liveRun";

const WORDS = {
  active: "Running",
  awaiting_approval: "Waiting for approval",
  paused: "Paused",
  succeeded: "Succeeded",
  failed: "Failed",
  canceled: "Canceled",
} as const;
const MARKS = {
  active: "running",
  awaiting_approval: "approval",
  paused: "paused",
  succeeded: "succeeded",
  failed: "failed",
  canceled: "canceled",
} as const;

interface Props {
  onStep: (node: string) => void;
  /** Make a flow test of the run; left out where that is not this person's to do. */
  onRecord?: ((run: string) => void) | undefined;
}

export default function RunStrip({ onStep, onRecord }: Props) {
  const { run, status, failure, stream } = useLiveRun();
  if (!run) return null;
  const warned = status === "succeeded" && failure;
  return (
    <section className="run-strip" aria-label="Run" data-region>
      <span className={`mark mark-${warned ? "warned" : MARKS[status]}`} role="status">
        {warned ? "Succeeded with a failed step" : WORDS[status]}
      </span>
      <span>
        Run <span className="mono">{run.slice(0, 8)}</span>
      </span>
      {failure && (
        <span className="run-failure">
          <button type="button" className="plain" onClick={() => onStep(failure.step)}>
            {failure.step}
          </button>
          {failure.message}
        </span>
      )}
      {stream === "waiting" && <span className="quiet">Reconnecting…</span>}
      {stream === "offline" && <span className="quiet">No connection</span>}
      <span className="run-strip-actions">
        {status === "awaiting_approval" && <a href={`/inbox/?run=${run}`}>Open the inbox</a>}
        <a href={`/runs/${run}/`}>Open the run</a>
        {onRecord && (
          <button type="button" className="plain" onClick={() => onRecord(run)}>
            Make a test of it
          </button>
        )}
        <button type="button" className="plain" onClick={() => useLiveRun.getState().stop()}>
          Hide
        </button>
      </span>
    </section>
  );
}
