// The panel on the right: shows what is selected, and the flow's settings where nothing is. It never covers the canvas.
import { type ReactNode, useEffect, useRef } from "react";
import { nearest, type Place } from "~/graph/places";
import { useEditor } from "~/store/editor";
import { INSPECTOR_WIDTH, usePanels } from "~/store/panels";
import { useValues } from "~/store/values";
import { canvasView } from "~/store/view";
import { Splitter } from "~/ui/Splitter";
import EdgePanel from "./edge/EdgePanel";
import ManyPanel from "./ManyPanel";
import NodePanel from "./node/NodePanel";
import SettingsPanel from "./settings/SettingsPanel";
import ValuesBar from "./ValuesBar";
import "./inspector.css";

interface Props {
  flow: string;
  /** What else is told of what is selected. */
  more?: ReactNode;
}

export default function Inspector({ flow, more }: Props) {
  const isOpen = usePanels((state) => state.inspectorOpen);
  const width = usePanels((state) => state.inspectorWidth);
  const panel = useRef<HTMLElement>(null);
  useFocusRequests(panel);
  useEffect(() => {
    useValues.getState().open(flow);
  }, [flow]);
  if (!isOpen) return null;
  const { resizeInspector } = usePanels.getState();
  return (
    <aside
      className="inspector"
      data-region
      ref={panel}
      style={{ width }}
      aria-label="Inspector"
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented) canvasView()?.focus();
      }}
    >
      <Splitter
        label="Width of the inspector"
        orientation="vertical"
        size={width}
        {...INSPECTOR_WIDTH}
        onResize={resizeInspector}
      />
      <button type="button" className="icon-button inspector-close" aria-label="Close the inspector" onClick={close}>
        ×
      </button>
      <div className="inspector-body">
        <Shown flow={flow} />
      </div>
      {more}
      <ValuesBar />
    </aside>
  );
}

/** The focus goes back to what was inspected. */
function close() {
  usePanels.getState().closeInspector();
  canvasView()?.focus();
}

function Shown({ flow }: { flow: string }) {
  const nodes = useEditor((state) => state.nodes);
  const edges = useEditor((state) => state.edges);
  const [node] = nodes;
  const [edge] = edges;
  if (nodes.size + edges.size > 1) return <ManyPanel />;
  if (node !== undefined) return <NodePanel key={node} flow={flow} id={node} />;
  if (edge !== undefined) return <EdgePanel key={edge} flow={flow} id={edge} />;
  return <SettingsPanel flow={flow} />;
}

const TRIES = 20;
const BETWEEN_MS = 50;
/** Keys by which the focus is taken elsewhere. */
const MOVES = new Set(["Tab", "F6", "Escape"]);

/** Stand in the field that somebody asked for, once it is drawn; what folds it away is opened. */
function useFocusRequests(panel: { current: HTMLElement | null }) {
  const focus = usePanels((state) => state.focus);
  useEffect(() => {
    if (!focus) return;
    let tries = 0;
    const timer = setInterval(() => {
      tries += 1;
      // Who has gone on to something else in the meantime is not fetched back.
      const field = isShown(focus.place) ? panel.current && fieldAt(panel.current, focus.pointer) : null;
      const stands = field !== null && stand(field);
      if (isShown(focus.place) && !stands && tries < TRIES) return;
      clearInterval(timer);
      usePanels.getState().focusTaken();
    }, BETWEEN_MS);
    // Whoever goes elsewhere meanwhile is not fetched back.
    const leave = (event: Event) => {
      if (event instanceof KeyboardEvent && !MOVES.has(event.key)) return;
      clearInterval(timer);
      usePanels.getState().focusTaken();
    };
    document.addEventListener("keydown", leave, true);
    document.addEventListener("pointerdown", leave, true);
    return () => {
      clearInterval(timer);
      document.removeEventListener("keydown", leave, true);
      document.removeEventListener("pointerdown", leave, true);
    };
  }, [focus, panel]);
}

function fieldAt(panel: HTMLElement, pointer: string): HTMLElement | null {
  const fields = [...panel.querySelectorAll<HTMLElement>("[data-pointer]")];
  if (pointer === "") return fields[0] ?? null;
  const at = nearest(
    fields.map((field) => field.dataset.pointer ?? ""),
    pointer,
  );
  return fields.find((field) => field.dataset.pointer === at) ?? fields[0] ?? null;
}

/** Whether the panel shows this place: what is selected decides. */
function isShown(place: Place): boolean {
  const { nodes, edges } = useEditor.getState();
  if (place.kind === "node") return nodes.has(place.id);
  if (place.kind === "edge") return edges.has(place.id);
  return !nodes.size && !edges.size;
}

/** Put the focus into a field; false where it is still being loaded. */
function stand(field: HTMLElement): boolean {
  for (let around = field.closest("details"); around; around = around.parentElement?.closest("details") ?? null) {
    around.open = true;
  }
  const target = targetIn(field);
  target?.focus();
  field.scrollIntoView({ block: "center" });
  return target !== null;
}

function targetIn(field: HTMLElement): HTMLElement | null {
  const host = field.matches(".code-host") ? field : field.querySelector<HTMLElement>(".code-host");
  if (host?.shadowRoot || field.matches(".code-host")) return host?.shadowRoot?.querySelector(".cm-content") ?? null;
  if (!field.matches("fieldset, div")) return field;
  return field.querySelector<HTMLElement>("input, select, textarea, button") ?? field;
}
