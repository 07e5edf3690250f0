// The buttons that move the view. One tab stop: arrows go from one to the next.
import { useStore } from "@xyflow/react";
import type { ReactNode } from "react";
import type { CanvasView } from "~/store/view";
import Toolbar, { ToolButton } from "~/ui/Toolbar";

export default function ViewTools({ view, children }: { view: CanvasView; children?: ReactNode }) {
  return (
    <Toolbar label="View" className="toolbar canvas-tools">
      <ToolButton label="Zoom out" keys="-" onClick={() => view.zoomBy(0.8)}>
        −
      </ToolButton>
      <ZoomButton view={view} />
      <ToolButton label="Zoom in" keys="+" onClick={() => view.zoomBy(1.25)}>
        +
      </ToolButton>
      <ToolButton label="Fit the flow" keys="1" onClick={() => view.fit()}>
        Fit
      </ToolButton>
      {children}
    </Toolbar>
  );
}

function ZoomButton({ view }: { view: CanvasView }) {
  const percent = useStore((state) => Math.round(state.transform[2] * 100));
  return (
    <ToolButton
      label={`Zoom ${percent} %, set to 100 %`}
      keys="0"
      className="zoom-value"
      onClick={() => view.zoomTo(1)}
    >
      {percent} %
    </ToolButton>
  );
}
