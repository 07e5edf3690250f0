// Canvas, outline, or both beside one another.
import { useLayoutEffect } from "react";
import { type Command, useCommands } from "~/store/commands";
import { isNarrow, type Surfaces, usePanels } from "~/store/panels";
import { canvasView, type Surface, useView } from "~/store/view";
import { Segmented } from "~/ui/Segmented";

const NAMES: Record<Surfaces, string> = { canvas: "Canvas", outline: "Outline", both: "Both" };

/** Show an editor and stand in it, where somebody stood in the other one. */
function show(surfaces: Surfaces): void {
  usePanels.getState().showSurfaces(surfaces);
  if (surfaces !== "both") useView.setState({ last: surfaces });
}

function goTo(surface: Surface): void {
  if (usePanels.getState().surfaces !== "both") show(surface);
  useView.setState({ last: surface });
  // Once it is on the page.
  setTimeout(() => canvasView()?.focus(), 60);
}

const COMMANDS: readonly Command[] = [
  {
    id: "switch-surface",
    title: "Go to the outline, or to the canvas",
    group: "View",
    keys: ["F4"],
    scope: "page",
    run: () => goTo(useView.getState().last === "outline" ? "canvas" : "outline"),
  },
  {
    id: "show-canvas",
    title: "Show the canvas alone",
    group: "View",
    scope: "page",
    run: () => show("canvas"),
  },
  {
    id: "show-outline",
    title: "Show the outline alone",
    group: "View",
    scope: "page",
    run: () => show("outline"),
  },
  {
    id: "show-both",
    title: "Show canvas and outline side by side",
    group: "View",
    scope: "page",
    refusal: () => (isNarrow() ? "There is no room for both on this screen." : null),
    run: () => show("both"),
  },
];

export default function SurfaceSwitch() {
  const surfaces = usePanels((state) => state.surfaces);
  useLayoutEffect(() => useCommands.getState().add(COMMANDS), []);
  const offered: Surfaces[] = isNarrow() ? ["canvas", "outline"] : ["canvas", "outline", "both"];
  return (
    <Segmented
      label="How the flow is shown"
      small
      options={offered.map((value) => ({ value, label: NAMES[value] }))}
      value={surfaces}
      onChange={show}
    />
  );
}
