// The edge that a node which is being dragged would be put onto.
import { ViewportPortal } from "@xyflow/react";
import { pathOf, type Way } from "~/graph/route";

export default function DropLine({ way }: { way: Way | undefined }) {
  if (!way) return null;
  return (
    <ViewportPortal>
      <svg className="drop-line" aria-hidden="true">
        <path d={pathOf(way)} />
      </svg>
    </ViewportPortal>
  );
}
