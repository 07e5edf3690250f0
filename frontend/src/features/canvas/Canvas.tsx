// The editor's canvas: the edited document, and what mouse, keys and clipboard do to it.
import type { ReactFlowProps } from "@xyflow/react";
import { useCallback, useEffect, useMemo, useState } from "react";
import { findEdge } from "~/graph/document";
import type { Box } from "~/graph/geometry";
import type { DiffMarks, Overlay } from "~/nodes/overlay";
import { placeAutomatically } from "~/store/actions/arranging";
import { toggleCollapsed } from "~/store/actions/editing";
import { useEditor } from "~/store/editor";
import { useFolds } from "~/store/folds";
import { isNarrow, usePanels } from "~/store/panels";
import { usePicker } from "~/store/picker";
import { canvasView, useView } from "~/store/view";
import ConnectionLine from "./ConnectionLine";
import DropLine from "./DropLine";
import EditorTools from "./EditorTools";
import type { LineElement, StepElement } from "./elements";
import FlowCanvas from "./FlowCanvas";
import Minimap from "./Minimap";
import RenameField from "./RenameField";
import { useConnecting } from "./useConnecting";
import { useDragging } from "./useDragging";
import { usePaletteDrop } from "./usePaletteDrop";
import type { FullView } from "./useView";
import Welcome from "./Welcome";
import { rememberWays } from "./ways";

interface Props {
  /** How the steps of a run of this draft stand. */
  overlay?: Overlay | null;
  diff?: DiffMarks | null;
}

/** Drawn once every node has a place: where the document gives none, the layout does. */
export default function Canvas(props: Props) {
  const flow = useEditor((state) => state.document.id);
  const [ready, setReady] = useState<string | null>(null);
  useEffect(() => {
    let gone = false;
    const { document } = useEditor.getState();
    useFolds.getState().begin(document);
    placeAutomatically(document).then(() => {
      if (!gone) setReady(flow);
    });
    return () => {
      gone = true;
    };
  }, [flow]);
  return ready === flow ? <DrawnCanvas {...props} /> : <p className="quiet canvas-waiting">Laying out the flow…</p>;
}

function DrawnCanvas({ overlay = null, diff = null }: Props) {
  const selectedNodes = useEditor((state) => state.nodes);
  const selectedEdges = useEditor((state) => state.edges);
  const readOnly = useEditor((state) => state.readOnly);
  const name = useEditor((state) => state.document.name ?? state.document.id);
  const dragging = useDragging();
  const connecting = useConnecting();
  const drop = usePaletteDrop();

  const over = drop.over ?? dragging.over;
  const { start, refusals, onConnectStart, onConnectEnd, onReconnectStart } = connecting;
  const classNameOf = useMemo(() => {
    if (!start && !over.frame) return undefined;
    return (box: Box) => {
      if (start) return box.id === start.source ? "" : refusals.has(box.id) ? "no-target" : "is-target";
      return box.id === over.frame ? "drop-target" : "";
    };
  }, [start, refusals, over.frame]);

  const { onStop } = dragging;
  const flow = useMemo<Partial<ReactFlowProps<StepElement, LineElement>>>(
    () => ({
      onNodeDragStop: onStop,
      onConnectStart,
      onConnectEnd,
      // The end of the connection does it: there too, a drop is on a whole node.
      ...(readOnly ? {} : { onReconnectStart, onReconnect: () => {} }),
      reconnectRadius: 9, // larger ones would cover the middle of a short edge, where its button is
      isValidConnection: ({ target }) => !refusals.has(target ?? ""),
      connectOnClick: false,
      connectionLineComponent: ConnectionLine,
      connectionRadius: 24,
      onNodeContextMenu: (event, { id }) => {
        event.preventDefault();
        const { nodes, select } = useEditor.getState();
        if (!nodes.has(id)) select([id]);
        usePicker.getState().open({ kind: "menu", x: event.clientX, y: event.clientY });
      },
      onPaneContextMenu: (event) => {
        event.preventDefault();
        usePicker.getState().open({ kind: "menu", x: event.clientX, y: event.clientY });
      },
      onDragOver: drop.onDragOver,
      onDragLeave: drop.onDragLeave,
      onDrop: drop.onDrop,
      onDoubleClick: addAtPointer,
    }),
    [
      onStop,
      onConnectStart,
      onConnectEnd,
      onReconnectStart,
      readOnly,
      refusals,
      drop.onDragOver,
      drop.onDragLeave,
      drop.onDrop,
    ],
  );

  const onView = useCallback((view: FullView) => {
    useView.getState().register(opening(view));
    // Somebody went to the canvas while it was not there yet.
    if (document.activeElement?.matches(".editor-canvas")) view.focus();
  }, []);
  useEffect(() => () => useView.getState().register(null), []);
  useOpening(selectedNodes, selectedEdges);

  return (
    <FlowCanvas
      label={`Canvas of ${name}`}
      drawing={dragging.drawing}
      moving={dragging.moving}
      selectedNodes={selectedNodes}
      selectedEdges={selectedEdges}
      onSelect={useEditor.getState().select}
      onPress={pressNode}
      onOpen={openNode}
      onFold={toggleCollapsed}
      overlay={overlay}
      diff={diff}
      editable={!readOnly}
      classNameOf={classNameOf}
      flow={flow}
      onNodeChanges={dragging.onNodeChanges}
      onView={onView}
      tools={(scene, view) => {
        rememberWays(scene.ways);
        return (
          <>
            <EditorTools view={view} />
            <Minimap scene={scene} />
            <RenameField />
            <DropLine way={over.edge ? scene.ways.get(over.edge) : undefined} />
            <Welcome />
          </>
        );
      }}
    />
  );
}

/** What is selected is not left hidden in what the page folded. */
function useOpening(nodes: ReadonlySet<string>, edges: ReadonlySet<string>) {
  useEffect(() => {
    if (nodes.size + edges.size !== 1) return;
    const { document } = useEditor.getState();
    const [edge] = edges;
    const { source, target } = findEdge(document, edge ?? "") ?? {};
    useFolds.getState().openAround(document, [...nodes, ...(source && target ? [source, target] : [])]);
  }, [nodes, edges]);
}

/** The view, opening what the page folded around the nodes that are asked for. */
function opening(view: FullView): FullView {
  const open = (ids: readonly string[], act: () => void) => {
    // What was opened is drawn a moment later.
    if (useFolds.getState().openAround(useEditor.getState().document, ids)) requestAnimationFrame(act);
    else act();
  };
  return {
    ...view,
    reveal: (ids) => open(ids, () => view.reveal(ids)),
    focus: (id) => open(id === undefined ? [] : [id], () => view.focus(id)),
  };
}

/** Where there is no room for the inspector beside the canvas, it comes with what is pressed; the focus stays there. */
function pressNode(id: string) {
  if (!isNarrow()) return;
  usePanels.getState().openInspector();
  // Once the canvas has its new, smaller height.
  setTimeout(() => canvasView()?.reveal([id]), 100);
}

function openNode(id: string) {
  usePanels.getState().openInspector({ kind: "node", id });
}

/** A double click on empty canvas. */
function addAtPointer(event: { target: EventTarget; clientX: number; clientY: number }) {
  const { view } = useView.getState();
  const onPane = event.target instanceof Element && event.target.matches(".react-flow__pane");
  if (!onPane || !view || useEditor.getState().readOnly) return;
  const spot = { kind: "point", point: view.pointer() } as const;
  usePicker.getState().open({ kind: "add", spot, x: event.clientX, y: event.clientY });
}
