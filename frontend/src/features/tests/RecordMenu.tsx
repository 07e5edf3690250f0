// Chooses a past run of which a test is made: one click, then the test can be looked at and kept.
import { useState } from "react";
import { type RunInList, readRuns } from "~/api/expressions";
import { runWords } from "~/nodes/runWords";

interface Props {
  flow: string;
  onRun: (run: string) => void;
}

export default function RecordMenu({ flow, onRun }: Props) {
  const [runs, setRuns] = useState<readonly RunInList[] | null>(null);
  const load = () => {
    readRuns(flow, { whole: true })
      .then(setRuns)
      .catch(() => setRuns([]));
  };
  return (
    <select
      className="tests-record"
      aria-label="Record a test from a run"
      value=""
      onFocus={load}
      onMouseEnter={() => runs ?? load()}
      onChange={(event) => event.target.value && onRun(event.target.value)}
    >
      <option value="">Record from a run…</option>
      {runs?.map((run) => (
        <option key={run.id} value={run.id}>
          {runWords(run)}
        </option>
      ))}
      {runs && !runs.length && <option disabled>The flow has no whole runs yet</option>}
    </select>
  );
}
