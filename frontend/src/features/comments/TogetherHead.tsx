// In the head: who else has this draft open, and the button that shows the comments.
import { useEffect, useLayoutEffect } from "react";
import { type Command, useCommands } from "~/store/commands";
import { followTogether, useTogether } from "~/store/together";

const COMMANDS: readonly Command[] = [
  {
    id: "comments",
    title: "Show or hide the comments",
    group: "Panels",
    scope: "page",
    run: () => useTogether.getState().showPanel(),
  },
];

export default function TogetherHead({ flow }: { flow: string }) {
  const people = useTogether((state) => state.people);
  const isOpen = useTogether((state) => state.panelOpen);
  const count = useTogether((state) => [...state.open.values()].reduce((sum, one) => sum + one, 0));
  useEffect(() => followTogether(flow), [flow]);
  useLayoutEffect(() => useCommands.getState().add(COMMANDS), []);
  const names = [...new Set(people.map((one) => one.name))];
  return (
    <>
      <span className="together-names" role="status">
        {names.length ? `Also here: ${names.join(", ")}` : ""}
      </span>
      <button type="button" aria-pressed={isOpen} onClick={() => useTogether.getState().showPanel()}>
        Comments{count ? ` (${count})` : ""}
      </button>
    </>
  );
}
