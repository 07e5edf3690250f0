// A node's name, edited on its card: F2 begins, Enter keeps, Esc leaves it as it was.
import { ViewportPortal } from "@xyflow/react";
import { labelOf } from "~/graph/document";
import NameField from "~/nodes/NameField";
import { drawnOf, placedOf } from "~/store/drawing";
import { useEditor } from "~/store/editor";
import { useRenaming } from "~/store/renaming";
import { isInOutline } from "~/store/view";

export default function RenameField() {
  const id = useRenaming((state) => state.id);
  const document = useEditor((state) => state.document);
  const box = id === null ? undefined : drawnOf(placedOf(document)).boxes.get(id);
  if (!box || id === null || isInOutline()) return null;
  return (
    <ViewportPortal>
      <NameField
        className="rename nodrag nopan"
        style={{ transform: `translate(${box.x + 30}px, ${box.y + 6}px)`, width: Math.min(box.width, 260) - 40 }}
        name={labelOf(box.node)}
      />
    </ViewportPortal>
  );
}
