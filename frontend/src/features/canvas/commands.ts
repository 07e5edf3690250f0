// What can be done on the canvas, each as a named command: menus, keys and the command palette share these.
import { useLayoutEffect } from "react";
import { portOfEdge, usualPort } from "~/graph/connecting";
import { copySelection, duplicateSelection, pasteFromClipboard } from "~/store/actions/copying";
import { deleteSelection, selectAlong, toggleEnabled } from "~/store/actions/editing";
import { type Command, useCommands } from "~/store/commands";
import { askAt, editor, fixed, needs, needsAny, needsOne, one, oneEdge } from "~/store/guards";
import { speak, tell } from "~/store/notices";
import { usePanels } from "~/store/panels";
import { beginRenaming } from "~/store/renaming";
import { canvasView, isInOutline } from "~/store/view";
import { ARRANGING } from "./arranging";

function addAfter(): void {
  const [edge] = editor().edges;
  const onEdge = edge !== undefined && !editor().nodes.size;
  askAt({ kind: "add", spot: onEdge ? { kind: "edge", edge } : { kind: "usual" } });
}

function connect(): void {
  const source = one() ?? "";
  const port = usualPort(editor().document, source);
  if (port) askAt({ kind: "connect", start: { source, port } });
  else tell("This node ends its path: nothing comes after it.", "refused");
}

function lead(): void {
  const edge = oneEdge();
  if (edge)
    askAt({ kind: "connect", start: { source: edge.source, port: portOfEdge(edge.id) }, edge: edge.id }, edge.target);
}

function selectAll(): void {
  editor().select(editor().document.nodes.map((node) => node.id));
  speak(`${editor().nodes.size} nodes selected.`);
}

function spokenStep(step: "undo" | "redo"): void {
  const { past, future } = editor();
  const label = (step === "undo" ? past : future).at(-1)?.label;
  editor()[step]();
  if (label) speak(`${step === "undo" ? "Undone" : "Done again"}: ${label}.`);
}

const selection: Command[] = [
  {
    id: "add",
    title: "Add a node after it",
    group: "Edit",
    keys: ["A"],
    scope: "canvas",
    refusal: fixed,
    run: addAfter,
  },
  {
    id: "connect",
    title: "Connect with",
    group: "Edit",
    keys: ["C"],
    scope: "canvas",
    refusal: needsOne,
    run: connect,
  },
  {
    id: "outcomes",
    title: "On error, timeout and others",
    group: "Edit",
    keys: ["O"],
    scope: "canvas",
    refusal: needsOne,
    run: () => askAt({ kind: "outcome", source: one() ?? "" }),
  },
  {
    id: "edges",
    title: "Edges of the node",
    group: "Edit",
    keys: ["E"],
    scope: "canvas",
    refusal: () => (one() === undefined ? "Select one node first." : null),
    run: () => askAt({ kind: "edges", node: one() ?? "" }),
  },
  {
    id: "lead",
    title: "Lead the edge to another node",
    group: "Edit",
    keys: ["L"],
    scope: "canvas",
    refusal: () => (oneEdge() ? fixed() : "Select one edge first: E lists those of a node."),
    run: lead,
  },
  {
    id: "rename",
    title: "Rename",
    group: "Edit",
    keys: ["F2"],
    scope: "canvas",
    refusal: needsOne,
    run: () => beginRenaming(one() ?? ""),
  },
  {
    id: "note",
    title: "Write a note",
    group: "Edit",
    keys: ["N"],
    scope: "canvas",
    refusal: needsOne,
    run: () => usePanels.getState().openInspector({ kind: "node", id: one() ?? "" }, "/notes"),
  },
  {
    id: "disable",
    title: "Disable or enable",
    group: "Edit",
    keys: ["D"],
    scope: "canvas",
    refusal: needs(1),
    run: toggleEnabled,
  },
  {
    id: "duplicate",
    title: "Duplicate",
    group: "Edit",
    keys: ["Mod+D"],
    scope: "canvas",
    refusal: needs(1),
    run: () => {
      duplicateSelection();
      if (isInOutline()) canvasView()?.focus(one());
    },
  },
  {
    id: "copy",
    title: "Copy",
    group: "Edit",
    scope: "canvas",
    refusal: () => (editor().nodes.size ? null : "Select a node first."),
    run: () => copySelection(),
  },
  { id: "cut", title: "Cut", group: "Edit", scope: "canvas", refusal: needs(1), run: () => copySelection(true) },
  { id: "paste", title: "Paste", group: "Edit", scope: "canvas", refusal: fixed, run: pasteFromClipboard },
  {
    id: "delete",
    title: "Delete",
    group: "Edit",
    keys: ["Delete", "Backspace"],
    scope: "canvas",
    refusal: needsAny,
    run: () => deleteAndStay(true),
  },
  {
    id: "delete-gap",
    title: "Delete and leave a gap",
    group: "Edit",
    keys: ["Shift+Delete"],
    scope: "canvas",
    refusal: needsAny,
    run: () => deleteAndStay(false),
  },
];

/** The focus goes to what came before, so that the keys go on working. */
function deleteAndStay(heal: boolean): void {
  const { document, nodes } = editor();
  const before = document.edges.find((edge) => nodes.has(edge.target) && !nodes.has(edge.source))?.source;
  deleteSelection(heal);
  canvasView()?.focus(before);
}

const choosing: Command[] = [
  { id: "select-all", title: "Select all", group: "Select", keys: ["Mod+A"], scope: "canvas", run: selectAll },
  {
    id: "select-before",
    title: "Select all that comes before",
    group: "Select",
    scope: "canvas",
    refusal: () => (editor().nodes.size ? null : "Select a node first."),
    run: () => selectAlong("into"),
  },
  {
    id: "select-after",
    title: "Select all that comes after",
    group: "Select",
    scope: "canvas",
    refusal: () => (editor().nodes.size ? null : "Select a node first."),
    run: () => selectAlong("out"),
  },
];

const history: Command[] = [
  {
    id: "undo",
    title: "Undo",
    group: "Edit",
    keys: ["Mod+Z"],
    scope: "page",
    refusal: () => (editor().past.length ? null : "There is nothing to undo."),
    run: () => spokenStep("undo"),
  },
  {
    id: "redo",
    title: "Redo",
    group: "Edit",
    keys: ["Mod+Shift+Z", "Mod+Y"],
    scope: "page",
    refusal: () => (editor().future.length ? null : "There is nothing to do again."),
    run: () => spokenStep("redo"),
  },
];

const quiet = (id: string, title: string, group: string, ...keys: string[]): Command => ({
  id,
  title,
  group,
  keys,
  scope: "canvas",
  run: () => {},
  quiet: true,
});

/** Done by the canvas itself, listed here so that they can be looked up. */
const looking: Command[] = [
  quiet("go-along", "Next and previous node along the edges", "Move the focus", "ArrowRight", "ArrowLeft"),
  quiet("go-beside", "Nodes above and below", "Move the focus", "ArrowUp", "ArrowDown"),
  quiet("go-ends", "First and last node", "Move the focus", "Home", "End"),
  quiet("open", "Open the node's settings", "Move the focus", "Enter"),
  quiet("clip", "Copy, cut and paste", "Edit", "Mod+C", "Mod+X", "Mod+V"),
  {
    id: "zoom-in",
    title: "Zoom in",
    group: "View",
    keys: ["+"],
    scope: "picture",
    run: () => canvasView()?.zoomBy(1.25),
  },
  {
    id: "zoom-out",
    title: "Zoom out",
    group: "View",
    keys: ["-"],
    scope: "picture",
    run: () => canvasView()?.zoomBy(0.8),
  },
  {
    id: "zoom-100",
    title: "Zoom to 100 %",
    group: "View",
    keys: ["0"],
    scope: "picture",
    run: () => canvasView()?.zoomTo(1),
  },
  { id: "fit", title: "Fit the flow", group: "View", keys: ["1"], scope: "picture", run: () => canvasView()?.fit() },
  {
    id: "fit-selection",
    title: "Fit the selection",
    group: "View",
    keys: ["2"],
    scope: "picture",
    run: () => canvasView()?.fitSelection(),
  },
  quiet("pan", "Hold it and drag to move the view", "View", "Space"),
];

export const CANVAS_COMMANDS: readonly Command[] = [...history, ...selection, ...choosing, ...ARRANGING, ...looking];

export function useCanvasCommands(): void {
  useLayoutEffect(() => useCommands.getState().add(CANVAS_COMMANDS), []);
}
