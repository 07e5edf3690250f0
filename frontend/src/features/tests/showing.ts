// Shows on the canvas what a test, or a past run, makes of the draft.
import { simulateRun, simulateTest } from "~/api/flowTests";
import type { RunEvent } from "~/api/runs";
import { useLiveRun } from "~/nodes/liveRun";
import { useEditor } from "~/store/editor";
import { tell } from "~/store/notices";

async function show(label: string, simulated: Promise<readonly RunEvent[]>): Promise<void> {
  try {
    const events = await simulated;
    if (events.length) useLiveRun.getState().show(label, events);
    else tell("It could not be run, so there is nothing to show.", "refused");
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error), "refused");
  }
}

export function showTest(flow: string, test: number, name: string): Promise<void> {
  return show(`The test “${name}”`, simulateTest(flow, useEditor.getState().document, test));
}

export function showRun(flow: string, run: string): Promise<void> {
  return show(`The draft with run ${run.slice(0, 8)}`, simulateRun(flow, useEditor.getState().document, run));
}
