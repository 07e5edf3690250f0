// The line above the flow that says whose values are shown, how far they still hold, and which passage is looked at.
import { useEffect } from "react";
import { showsRun, useLiveRun } from "~/nodes/liveRun";
import { runMark } from "~/nodes/runMarks";
import { speak } from "~/store/notices";
import { type Observed, type ObservedSource, useObserved, useObservedIsStale } from "~/store/observed";
import { useObserving } from "~/store/observing";
import Passages from "./Passages";
import RunChooser from "./RunChooser";
import "./observed.css";

export default function ObservedStrip() {
  const observed = useObserved((state) => state.observed);
  const failure = useObserving((state) => state.failure);
  const following = useLiveRun(showsRun);
  // What is going on now is looked at in place of what is past.
  useEffect(() => {
    if (following) useObserving.getState().end();
  }, [following]);
  if (following) return null;
  if (!observed && !failure) return null;
  return (
    <section className="run-strip" aria-label="Values shown" data-region>
      {observed ? <Shown observed={observed} /> : null}
      {failure ? (
        <span role="alert" className="run-failure">
          {observed ? `What you chose could not be read: ${failure}` : failure}
        </span>
      ) : null}
      <span className="run-strip-actions">
        {observed?.source.kind === "run" ? <a href={`/runs/${observed.source.run}/`}>Open the run</a> : null}
        <button type="button" className="plain" onClick={() => useObserving.getState().end()}>
          Hide
        </button>
      </span>
    </section>
  );
}

function Shown({ observed }: { observed: Observed }) {
  const { source } = observed;
  const run = useObserving((state) => state.run);
  const busy = useObserving((state) => state.busy);
  const name = sourceWords(source);
  useEffect(() => speak(`${name} are shown on nodes and edges.`), [name]);
  return (
    <>
      {source.kind === "run" ? (
        <>
          {run?.id === source.run ? <RunStatusMark status={run.status} /> : null}
          <RunChooser
            current={source.run}
            version={source.version}
            trial={(run?.id === source.run && run.trial) || null}
          />
        </>
      ) : (
        <span>{name}</span>
      )}
      <Stale observed={observed} />
      {source.kind === "run" ? <Passages observed={observed} /> : null}
      {observed.partial ? <span className="quiet">Some of it was too much to be shown.</span> : null}
      {busy ? <span className="quiet">Reading…</span> : null}
    </>
  );
}

/** Whose values these are: "Values of run 1a2b3c4d". */
function sourceWords(source: ObservedSource): string {
  return source.kind === "run" ? `Values of run ${source.run.slice(0, 8)}` : `Values of ${source.name}`;
}

function RunStatusMark({ status }: { status: string }) {
  const { mark, words } = runMark(status);
  return <span className={`mark mark-${mark}`}>{words}</span>;
}

/** Results of an earlier draft say so. */
function Stale({ observed }: { observed: Observed }) {
  const isStale = useObservedIsStale();
  const version = observed.source.kind === "run" ? observed.source.version : null;
  return (
    <span role="status">
      {isStale ? (
        <span className="mark mark-warned">
          {version === null ? "From an earlier draft" : `From version ${version}, which differs from the draft`}
        </span>
      ) : null}
    </span>
  );
}
