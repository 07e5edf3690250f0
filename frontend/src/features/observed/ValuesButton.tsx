// In the head: shows the values of a past run on the flow, and puts them away.
import { useLayoutEffect } from "react";
import { useCommands } from "~/store/commands";
import { useObserved } from "~/store/observed";
import { toggleValues, valueCommands } from "./commands";

export default function ValuesButton({ flow }: { flow: string }) {
  const isShown = useObserved((state) => state.observed !== null);
  useLayoutEffect(() => useCommands.getState().add(valueCommands(flow)), [flow]);
  return (
    <button
      type="button"
      aria-pressed={isShown}
      title="Values of a past run on every node and edge"
      onClick={() => toggleValues(flow)}
    >
      Values
    </button>
  );
}
