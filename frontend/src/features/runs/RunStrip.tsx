// The run that is followed on the canvas: how it stands, what failed, where to see more.
import { findNode, labelOf } from "~/graph/document";
import { type Simulated, useLiveRun } from "~/nodes/liveRun";
import { runMark } from "~/nodes/runMarks";
import { useEditor } from "~/store/editor";

interface Props {
  onStep: (node: string) => void;
  /** Make a flow test of the run; left out where that is not this person's to do. */
  onRecord?: ((run: string) => void) | undefined;
  /** Show what each node of the run gave. */
  onValues: (run: string) => void;
}

export default function RunStrip({ onStep, onRecord, onValues }: Props) {
  const { run, status, failure, stream, simulated } = useLiveRun();
  if (simulated) return <SimulatedStrip simulated={simulated} />;
  if (!run) return null;
  const warned = status === "succeeded" && failure;
  return (
    <section className="run-strip" aria-label="Run" data-region>
      <span className={`mark mark-${warned ? "warned" : runMark(status).mark}`} role="status">
        {warned ? "Succeeded with a failed step" : runMark(status).words}
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
        <button type="button" className="plain" onClick={() => onValues(run)}>
          Show its values
        </button>
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

/** A simulated run on the canvas: whole, or up to the step that is selected. */
function SimulatedStrip({ simulated: { label, events, upTo } }: { simulated: Simulated }) {
  const { status, show, stop } = useLiveRun();
  const document = useEditor((state) => state.document);
  const selected = useEditor((state) => (state.nodes.size === 1 ? ([...state.nodes][0] ?? null) : null));
  const name = (id: string) => labelOf(findNode(document, id) ?? { id });
  return (
    <section className="run-strip" aria-label="Simulated run" data-region>
      <span className={`mark mark-${runMark(status).mark}`} role="status">
        Simulated{upTo ? ` up to ${name(upTo)}` : `: ${runMark(status).words.toLowerCase()}`}
      </span>
      <span>{label}. Nothing was called.</span>
      <span className="run-strip-actions">
        {selected && selected !== upTo && (
          <button type="button" className="plain" onClick={() => show(label, events, selected)}>
            Only up to {name(selected)}
          </button>
        )}
        {upTo && (
          <button type="button" className="plain" onClick={() => show(label, events)}>
            All of it
          </button>
        )}
        <button type="button" className="plain" onClick={stop}>
          Hide
        </button>
      </span>
    </section>
  );
}
