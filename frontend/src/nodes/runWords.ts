// A run in a list of runs, in one line.
import type { RunInList } from "~/api/expressions";
import { dayAndTime } from "~/ui/times";

/** "1a2b3c4d, version 3, succeeded, 30 Nov 2026, 22:10:47" */
export function runWords({ id, version, trial = null, status, started_at: at }: RunInList): string {
  return `${id.slice(0, 8)}, ${ranWords({ version, trial })}, ${status.replace("_", " ")}, ${dayAndTime(at)}`;
}

/** What ran: "version 3", "draft", "try of fetch". */
export function ranWords({ version, trial }: Pick<RunInList, "version" | "trial">): string {
  if (trial) return `try of ${trial.join(", ")}`;
  return version.number === null ? "draft" : `version ${version.number}`;
}
