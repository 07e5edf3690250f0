// A try in the simulator, shown in place of a run that the canvas follows.
import { useLiveRun } from "~/nodes/liveRun";
import { type TryValues, useTrying } from "~/store/trying";

export function simulate(nodes: readonly string[], values?: TryValues): Promise<boolean> {
  useLiveRun.getState().stop();
  return useTrying.getState().simulate(nodes, values);
}
