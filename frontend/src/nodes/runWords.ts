// A run in a list of runs, in one line.
import type { RunInList } from "~/api/expressions";
import { dayAndTime } from "~/ui/times";

/** "1a2b3c4d, version 3, succeeded, 30 Nov 2026, 22:10:47" */
export function runWords({ id, version, trial, status, started_at: at }: RunInList): string {
  const whole = version.number === null ? "draft" : `version ${version.number}`;
  const of = trial ? `try of ${trial.join(", ")}` : whole;
  return `${id.slice(0, 8)}, ${of}, ${status.replace("_", " ")}, ${dayAndTime(at)}`;
}
