// Opens the inspector, on what is selected or on the flow's settings, and closes it.
import { useLayoutEffect } from "react";
import { type Command, useCommands } from "~/store/commands";
import { useEditor } from "~/store/editor";
import { usePanels } from "~/store/panels";

const COMMANDS: readonly Command[] = [
  {
    id: "settings",
    title: "Settings of the flow",
    group: "Panels",
    scope: "page",
    run: () => usePanels.getState().openInspector({ kind: "settings" }),
  },
  { id: "inspector", title: "Show or hide the inspector", group: "Panels", scope: "page", run: toggle },
];

function toggle() {
  const { inspectorOpen, openInspector, closeInspector } = usePanels.getState();
  if (inspectorOpen) closeInspector();
  else openInspector();
}

export default function InspectorButtons() {
  const isOpen = usePanels((state) => state.inspectorOpen);
  const nothing = useEditor((state) => state.nodes.size + state.edges.size === 0);
  useLayoutEffect(() => useCommands.getState().add(COMMANDS), []);
  return (
    <>
      <button
        type="button"
        aria-pressed={isOpen && nothing}
        onClick={() => usePanels.getState().openInspector({ kind: "settings" })}
      >
        Settings
      </button>
      <button type="button" aria-pressed={isOpen} onClick={toggle}>
        Inspector
      </button>
    </>
  );
}
