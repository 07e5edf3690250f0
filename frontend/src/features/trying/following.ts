// A try that runs for real, on the canvas: live while it goes on, then its values.
import { useLiveRun } from "~/nodes/liveRun";
import { useObserving } from "~/store/observing";

const ENDED: ReadonlySet<string> = new Set(["succeeded", "failed", "canceled"]);

export function follow(flow: string, run: string): void {
  useLiveRun.getState().follow(run);
  const stop = useLiveRun.subscribe((state) => {
    if (state.run !== run) stop();
    else if (ENDED.has(state.status)) {
      stop();
      useLiveRun.getState().stop();
      useObserving.setState({ flow });
      void useObserving.getState().choose(run);
    }
  });
}
