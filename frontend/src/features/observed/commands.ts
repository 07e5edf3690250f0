// Values of a past run on canvas and outline: shown and put away by one command.
import { useLiveRun } from "~/nodes/liveRun";
import type { Command } from "~/store/commands";
import { speak } from "~/store/notices";
import { useObserved } from "~/store/observed";
import { useObserving } from "~/store/observing";

/** Show the values of the last run that succeeded, or put away what is shown. */
export function toggleValues(flow: string): void {
  if (useObserved.getState().observed) {
    useObserving.getState().end();
    speak("Values are put away.");
    return;
  }
  useLiveRun.getState().stop();
  void useObserving.getState().begin(flow);
}

/** Show the values of this run in place of whatever is shown. */
export function showValuesOf(flow: string, run: string): void {
  useLiveRun.getState().stop();
  useObserving.setState({ flow });
  void useObserving.getState().choose(run);
}

export const valueCommands = (flow: string): Command[] => [
  {
    id: "values",
    title: "Show or hide the values of a past run",
    group: "View",
    keys: ["V"],
    scope: "canvas",
    run: () => toggleValues(flow),
  },
];
