// When commands on the selection can be done, and where they ask what else they need. Canvas and outline share them.
import { findEdge, findNode } from "~/graph/document";
import { isContainer } from "./drawing";
import { useEditor } from "./editor";
import { usePicker, type Wish } from "./picker";
import { canvasView } from "./view";

export const editor = () => useEditor.getState();
export const FIXED = "This flow can only be looked at.";

export const fixed = () => (editor().readOnly ? FIXED : null);
export const needs = (least: number) => () => {
  const { nodes } = editor();
  if (nodes.size >= least) return fixed();
  return least === 1 ? "Select a node first." : `Select at least ${least} nodes first.`;
};
export const needsAny = () => (editor().nodes.size || editor().edges.size ? fixed() : "Select something first.");
export const one = () => {
  const [id] = editor().nodes;
  return editor().nodes.size === 1 ? id : undefined;
};
export const needsOne = () => (one() === undefined ? "Select one node first." : fixed());
export const needsContainer = () => {
  const node = findNode(editor().document, one() ?? "");
  return node && isContainer(node.type) ? fixed() : "Select a container first.";
};

/** The only thing selected is an edge. */
export const oneEdge = () => {
  const { document, nodes, edges } = editor();
  const [id] = edges;
  return edges.size === 1 && !nodes.size && id !== undefined ? findEdge(document, id) : undefined;
};

/** Ask something beside the selected node, or in the middle of the canvas. */
export function askAt(wish: Wish, beside = one() ?? ""): void {
  const view = canvasView();
  const at = view?.screenOf(beside) ?? { x: 200, y: 200 };
  usePicker.getState().open({ ...wish, x: at.x, y: at.y });
}
