// Opens the inspector, on what is selected or on the flow's settings, and closes it.
import { useEditor } from "~/store/editor";
import { usePanels } from "~/store/panels";

export default function InspectorButtons() {
  const isOpen = usePanels((state) => state.inspectorOpen);
  const nothing = useEditor((state) => state.nodes.size + state.edges.size === 0);
  const { openInspector, closeInspector } = usePanels.getState();
  return (
    <>
      <button type="button" aria-pressed={isOpen && nothing} onClick={() => openInspector({ kind: "settings" })}>
        Settings
      </button>
      <button type="button" aria-pressed={isOpen} onClick={() => (isOpen ? closeInspector() : openInspector())}>
        Inspector
      </button>
    </>
  );
}
