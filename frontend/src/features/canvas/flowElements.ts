// The document as React Flow draws it: one element a node and an edge, made anew only where the document changed.
import type { Edge as CanvasEdge, Node as CanvasNode } from "@xyflow/react";
import { ancestorsOf, type FlowDocument, type FlowEdge, type FlowNode, outcomeOf, placeOf } from "~/graph/document";

export type StepElement = CanvasNode<{ node: FlowNode }, "step" | "container">;
export type EdgeElement = CanvasEdge<{ edge: FlowEdge }>;

const CARD = { width: 208, height: 56 };
const CONTAINER = { width: 460, height: 220 };

/** React Flow wants containers before what they hold; nodes whose parent is missing stand at top level. */
export function nodeElements(
  document: FlowDocument,
  isContainer: (type: string) => boolean,
  selected: ReadonlySet<string>,
  before: ReadonlyMap<string, StepElement>,
): StepElement[] {
  const ids = new Set(document.nodes.map((node) => node.id));
  const depth = new Map(document.nodes.map((node) => [node.id, ancestorsOf(document, node.id).length]));
  const ordered = [...document.nodes].sort((a, b) => (depth.get(a.id) ?? 0) - (depth.get(b.id) ?? 0));
  return ordered.map((node) => {
    const old = before.get(node.id);
    const isSelected = selected.has(node.id);
    if (old?.data.node === node && old.selected === isSelected) return old;
    const parentId = node.parent && ids.has(node.parent) ? node.parent : undefined;
    return elementOf(node, isContainer(node.type), isSelected, parentId);
  });
}

function elementOf(node: FlowNode, container: boolean, selected: boolean, parentId: string | undefined): StepElement {
  const size = container ? { width: node.layout?.width, height: node.layout?.height } : CARD;
  return {
    id: node.id,
    type: container ? "container" : "step",
    position: placeOf(node),
    data: { node },
    selected,
    width: size.width ?? CONTAINER.width,
    height: size.height ?? CONTAINER.height,
    ...(parentId ? { parentId } : {}),
  };
}

export function edgeElements(document: FlowDocument, selected: ReadonlySet<string>): EdgeElement[] {
  const ids = new Set(document.nodes.map((node) => node.id));
  return document.edges
    .filter((edge) => ids.has(edge.source) && ids.has(edge.target))
    .map((edge) => ({
      id: edge.id,
      source: edge.source,
      target: edge.target,
      sourceHandle: outcomeOf(edge),
      data: { edge },
      selected: selected.has(edge.id),
      ...(edge.label || edge.when ? { label: edge.label ?? edge.when } : {}),
    }));
}
