// The canvas that editor, run page and version compare share: draws a flow, shows what lies over it, moves the view and
// the focus. What changes the document comes from outside.
import {
  Background,
  type EdgeChange,
  type EdgeMouseHandler,
  type NodeChange,
  ReactFlow,
  type ReactFlowProps,
  ReactFlowProvider,
  SelectionMode,
  useStore,
} from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { Box } from "~/graph/geometry";
import { boxesAt } from "~/graph/placing";
import { type Layers, LayersContext } from "~/nodes/layers";
import type { DiffMarks, Overlay } from "~/nodes/overlay";
import type { Drawing, LineElement, StepElement } from "./elements";
import FrameCard from "./FrameCard";
import { FoldContext, foldSize } from "./fold";
import Line from "./Line";
import Overview from "./Overview";
import type { Scene } from "./paint";
import StepCard from "./StepCard";
import { useElements } from "./useElements";
import { isOnCanvas, useRoving } from "./useRoving";
import { type FullView, LEAST_ZOOM, MOST_ZOOM, useCanvasView } from "./useView";

const NODE_TYPES = { step: StepCard, frame: FrameCard };
const EDGE_TYPES = { line: Line };
const NO_NODES: StepElement[] = [];
const NO_EDGES: LineElement[] = [];
/** From so many nodes on only those in view are mounted, at small scales none, and no dots are drawn behind them. */
const MANY = 120;
const SMALL = 0.4;
const DEFAULT_EDGE = { selectable: false, focusable: false };
const MARQUEE_BUTTONS = [1];

export interface FlowCanvasProps {
  label: string;
  drawing: Drawing;
  selectedNodes: ReadonlySet<string>;
  selectedEdges: ReadonlySet<string>;
  onSelect: (nodes: Iterable<string>, edges?: Iterable<string>) => void;
  /** A click or a tap on a node, beside selecting it. */
  onPress?: ((id: string) => void) | undefined;
  /** Enter, or a double click. */
  onOpen?: ((id: string) => void) | undefined;
  onFold: (id: string) => void;
  overlay?: Overlay | null;
  diff?: DiffMarks | null;
  editable?: boolean;
  /** Nodes that are being dragged. */
  moving?: ReadonlySet<string> | null;
  classNameOf?: ((box: Box) => string | undefined) | undefined;
  /** What else React Flow is to be told, for editing. Must be stable. */
  flow?: Partial<ReactFlowProps<StepElement, LineElement>>;
  onNodeChanges?: (changes: NodeChange<StepElement>[]) => void;
  /** Told the view once it is there. */
  onView?: (view: FullView) => void;
  /** What lies on the canvas: toolbars, minimap. */
  tools?: (scene: Scene, view: FullView) => ReactNode;
}

export default function FlowCanvas(props: FlowCanvasProps) {
  return (
    <ReactFlowProvider>
      <Drawn {...props} />
    </ReactFlowProvider>
  );
}

function Drawn(props: FlowCanvasProps) {
  const {
    label,
    drawing,
    selectedNodes,
    selectedEdges,
    onSelect,
    onPress,
    onOpen,
    onFold,
    editable = false,
    flow,
    tools,
  } = props;
  const { overlay = null, diff = null, moving = null, classNameOf, onNodeChanges, onView } = props;
  const wrapper = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<string | null>(null);
  const elements = useElements({ drawing, selectedNodes, selectedEdges, moving, classNameOf });
  const { order, nameOf, ways } = elements;
  const { geometry } = drawing;
  const view = useCanvasView({ geometry, order, selected: selectedNodes, nameOf, focused, setFocused, wrapper });
  const roving = useRoving({ drawing, order, focused, selected: selectedNodes, view, onSelect, onOpen });
  const many = geometry.boxes.size > MANY;
  const small = useStore((state) => state.transform[2] < SMALL) && many;
  const fold = useStore((state) => foldSize(state.transform[2]));
  const scene = useMemo<Scene>(
    () => ({ geometry, ways, selected: selectedNodes, focused, overlay }),
    [geometry, ways, selectedNodes, focused, overlay],
  );
  const layers = useMemo<Layers>(() => ({ overlay, diff, editable }), [overlay, diff, editable]);
  useFirstPicture(view, onView);
  useKeptFocus(small, wrapper);

  const onNodesChange = useCallback(
    (changes: NodeChange<StepElement>[]) => {
      const next = changed(selectedNodes, changes);
      if (next) onSelect(next, selectedEdges.size && next.size ? [] : selectedEdges);
      onNodeChanges?.(changes);
    },
    [selectedNodes, selectedEdges, onSelect, onNodeChanges],
  );
  const onEdgesChange = useCallback(
    (changes: EdgeChange<LineElement>[]) => {
      const next = changed(selectedEdges, changes);
      if (next) onSelect(selectedNodes, next);
    },
    [selectedNodes, selectedEdges, onSelect],
  );
  const onEdgeClick = useCallback<EdgeMouseHandler<LineElement>>(
    (event, { id }) => onSelect([], event.shiftKey ? [...selectedEdges, id] : [id]),
    [onSelect, selectedEdges],
  );

  return (
    <div
      ref={wrapper}
      data-fold={fold ?? "none"}
      className={`flow-canvas${editable ? " flow-canvas-editable" : ""}${diff ? " flow-canvas-diff" : ""}`}
      role="application"
      aria-label={`${label}, ${geometry.boxes.size} nodes. Arrow keys move along the edges, ? lists the keys.`}
      {...roving}
      onPointerMove={(event) => view.pointerAt({ x: event.clientX, y: event.clientY })}
      onPointerLeave={() => view.pointerAt(null)}
    >
      <LayersContext value={layers}>
        <FoldContext value={onFold}>
          <ReactFlow
            nodes={small ? NO_NODES : elements.nodes}
            edges={small ? NO_EDGES : elements.edges}
            nodeTypes={NODE_TYPES}
            edgeTypes={EDGE_TYPES}
            defaultEdgeOptions={DEFAULT_EDGE}
            onNodesChange={onNodesChange}
            onEdgesChange={onEdgesChange}
            onEdgeClick={onEdgeClick}
            onNodeClick={(_, { id }) => {
              setFocused(id);
              view.focus(id);
              onPress?.(id);
            }}
            onNodeDoubleClick={(_, { id }) => onOpen?.(id)}
            onPaneClick={(event) => {
              const [box] = small ? boxesAt(geometry, view.pointer()) : [];
              if (box) setTimeout(() => onSelect([box.id]));
              else if (event.currentTarget) wrapper.current?.focus({ preventScroll: true });
            }}
            nodesDraggable={editable}
            nodesConnectable={editable}
            nodesFocusable={false}
            edgesFocusable={false}
            disableKeyboardA11y
            deleteKeyCode={null}
            selectionOnDrag={editable}
            selectionMode={SelectionMode.Partial}
            panOnDrag={editable ? MARQUEE_BUTTONS : true}
            multiSelectionKeyCode={["Shift", "Meta", "Control"]}
            nodeDragThreshold={4}
            zoomOnDoubleClick={false}
            elevateNodesOnSelect={false}
            zIndexMode="manual"
            onlyRenderVisibleElements={many}
            minZoom={LEAST_ZOOM}
            maxZoom={MOST_ZOOM}
            colorMode="system"
            {...flow}
          >
            {many ? null : <Background gap={24} size={1.5} />}
            {small ? <Overview scene={scene} /> : null}
            {tools?.(scene, view)}
          </ReactFlow>
        </FoldContext>
      </LayersContext>
    </div>
  );
}

/** At small scales no cards are drawn: the focus of one that goes stays on the canvas, so that its keys go on working. */
function useKeptFocus(small: boolean, wrapper: RefObject<HTMLElement | null>) {
  const held = useRef(false);
  // Looked at while the cards are still there.
  held.current = isOnCanvas(document.activeElement);
  useLayoutEffect(() => {
    if (small && held.current) wrapper.current?.focus({ preventScroll: true });
  }, [small, wrapper]);
}

/** As soon as the canvas knows its size: a flow drawn before that would have no place. */
function useFirstPicture(view: FullView, onView: ((view: FullView) => void) | undefined) {
  const ready = useStore((state) => state.width > 0 && state.panZoom !== null);
  useEffect(() => {
    if (!ready) return;
    view.begin();
    onView?.(view);
  }, [ready, view, onView]);
}

/** The selection after changes, or null where they change none. */
function changed(selected: ReadonlySet<string>, changes: readonly { type: string; id?: string; selected?: boolean }[]) {
  let next: Set<string> | null = null;
  for (const change of changes) {
    if (change.type !== "select" || change.id === undefined || selected.has(change.id) === change.selected) continue;
    next ??= new Set(selected);
    if (change.selected) next.add(change.id);
    else next.delete(change.id);
  }
  return next;
}
