// The palette beside the canvas: a press or Enter adds a node after what is selected, dragging puts it anywhere.
import NodePicker from "~/nodes/NodePicker";
import { addNode } from "~/store/actions/adding";
import { useEditor } from "~/store/editor";
import { tell } from "~/store/notices";

export default function Palette() {
  const readOnly = useEditor((state) => state.readOnly);
  if (readOnly) return null;
  return (
    <section className="palette" aria-label="Nodes to add" data-region>
      <NodePicker
        label="Add a node"
        draggable
        onChoose={(choice) => {
          if (addNode(choice, { kind: "usual" })) tell(`Added ${choice.title}.`);
        }}
      />
    </section>
  );
}
