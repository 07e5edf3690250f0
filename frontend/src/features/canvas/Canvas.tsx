// The canvas: the document drawn by React Flow, and what a mouse does to it.
import {
  Background,
  type Connection,
  Controls,
  type NodeChange,
  type OnSelectionChangeParams,
  ReactFlow,
  ReactFlowProvider,
} from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { useCallback, useMemo, useRef, useState } from "react";
import type { Outcome, Position } from "~/graph/document";
import { connect, connectionRefusal, moveNodes } from "~/graph/edits";
import { useCatalog } from "~/store/catalog";
import { useEditor } from "~/store/editor";
import ContainerCard from "./ContainerCard";
import { edgeElements, nodeElements, type StepElement } from "./flowElements";
import StepCard from "./StepCard";

const NODE_TYPES = { step: StepCard, container: ContainerCard };

export default function Canvas() {
  return (
    <ReactFlowProvider>
      <DrawnFlow />
    </ReactFlowProvider>
  );
}

function DrawnFlow() {
  const document = useEditor((state) => state.document);
  const selectedNodes = useEditor((state) => state.nodes);
  const selectedEdges = useEditor((state) => state.edges);
  const readOnly = useEditor((state) => state.readOnly);
  const [places, setPlaces] = useState<ReadonlyMap<string, Position>>(new Map());
  const nodes = useDrawnNodes(places);
  const edges = useMemo(() => edgeElements(document, selectedEdges), [document, selectedEdges]);

  const onNodesChange = useCallback((changes: NodeChange<StepElement>[]) => {
    const moved = changes.filter((change) => change.type === "position" && change.position);
    if (moved.length)
      setPlaces((before) => {
        const next = new Map(before);
        for (const change of moved)
          if (change.type === "position" && change.position) next.set(change.id, change.position);
        return next;
      });
  }, []);

  const onDragStop = useCallback((_: unknown, __: unknown, dragged: StepElement[]) => {
    const label = dragged.length === 1 ? "Move a node" : `Move ${dragged.length} nodes`;
    useEditor.getState().apply(label, moveNodes(new Map(dragged.map((one) => [one.id, one.position]))));
    setPlaces(new Map());
  }, []);

  const onConnect = useCallback(({ source, target, sourceHandle }: Connection) => {
    const on = (sourceHandle ?? "success") as Outcome;
    useEditor.getState().apply("Connect", connect({ source, target, ...(on === "success" ? {} : { on }) }));
  }, []);

  const isValid = useCallback(
    (connection: { source: string; target: string; sourceHandle?: string | null }) =>
      connectionRefusal(document, connection.source, connection.target, connection.sourceHandle ?? "success") === null,
    [document],
  );

  const onSelection = useCallback(({ nodes: chosen, edges: chosenEdges }: OnSelectionChangeParams) => {
    const { nodes: before, edges: edgesBefore, select } = useEditor.getState();
    const same = chosen.length === before.size && chosenEdges.length === edgesBefore.size;
    if (same && chosen.every((one) => before.has(one.id)) && chosenEdges.every((one) => edgesBefore.has(one.id)))
      return;
    select(
      chosen.map((one) => one.id),
      chosenEdges.map((one) => one.id),
    );
  }, []);

  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={NODE_TYPES}
      onNodesChange={onNodesChange}
      onNodeDragStop={onDragStop}
      onConnect={onConnect}
      isValidConnection={isValid}
      onSelectionChange={onSelection}
      nodesDraggable={!readOnly}
      nodesConnectable={!readOnly}
      edgesFocusable={false}
      deleteKeyCode={null}
      fitView
      minZoom={0.1}
      colorMode="system"
      data-selected={selectedNodes.size}
    >
      <Background gap={16} />
      <Controls showInteractive={false} />
    </ReactFlow>
  );
}

/** The document's nodes as elements; those that are being dragged at the pointer. */
function useDrawnNodes(places: ReadonlyMap<string, Position>): StepElement[] {
  const document = useEditor((state) => state.document);
  const selected = useEditor((state) => state.nodes);
  const types = useCatalog((state) => state.nodeTypes);
  const containers = useMemo(() => new Set(types.filter((one) => one.is_container).map((one) => one.name)), [types]);
  const before = useRef<ReadonlyMap<string, StepElement>>(new Map());
  const elements = useMemo(() => {
    const made = nodeElements(document, (type) => containers.has(type), selected, before.current);
    before.current = new Map(made.map((one) => [one.id, one]));
    return made;
  }, [document, containers, selected]);
  return useMemo(() => {
    if (!places.size) return elements;
    return elements.map((element) => {
      const position = places.get(element.id);
      return position ? { ...element, position } : element;
    });
  }, [elements, places]);
}
