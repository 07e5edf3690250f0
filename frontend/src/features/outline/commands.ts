// What can be done in the outline beside what canvas and outline share.
import { useLayoutEffect } from "react";
import { findEdge, labelOf } from "~/graph/document";
import { moveEdge } from "~/graph/edits";
import { reordering } from "~/graph/reordering";
import { type Command, commandOf, useCommands } from "~/store/commands";
import { change, current } from "~/store/drawing";
import { askAt, editor, FIXED, needsContainer, needsOne, one } from "~/store/guards";
import { speak, tell } from "~/store/notices";
import { canvasView } from "~/store/view";

const edgeChosen = () => {
  const { nodes, edges } = editor();
  const [edge] = edges;
  return edges.size === 1 && !nodes.size ? edge : undefined;
};

const needsRow = () => {
  if (editor().readOnly) return FIXED;
  return edgeChosen() || one() ? null : "Select one row first.";
};

/** Up or down: a node changes places with its neighbour, an edge is tried earlier or later. */
function move(by: 1 | -1): void {
  const edge = edgeChosen();
  if (edge) {
    moveBranch(edge, by);
    return;
  }
  const id = one() ?? "";
  const { document, geometry } = current();
  const found = reordering(document, id, by);
  if ("refusal" in found) {
    tell(found.refusal, "refused");
    return;
  }
  const name = (which: string) => labelOf(geometry.boxes.get(which)?.node ?? { id: which });
  change(`Move ${name(id)} ${by < 0 ? "up" : "down"}`, found.edit);
  speak(`${name(id)} stands ${by < 0 ? "before" : "after"} ${name(found.beside)} now.`);
  canvasView()?.focus(id);
}

function moveBranch(id: string, by: 1 | -1): void {
  const before = editor().document;
  editor().apply(`Try a branch ${by < 0 ? "earlier" : "later"}`, moveEdge(id, by));
  const moved = editor().document !== before;
  if (moved) speak(`It is tried ${by < 0 ? "earlier" : "later"} now.`);
  else tell(`It is the ${by < 0 ? "first" : "last"} of its kind.`, "refused");
}

/** From a node to another one; an edge is led elsewhere. */
function connect(): void {
  const edge = findEdge(editor().document, edgeChosen() ?? "");
  if (edge) askAt({ kind: "connect", start: { source: edge.source, port: `branch:${edge.id}` } });
  else commandOf("connect")?.run();
}

export const OUTLINE_COMMANDS: readonly Command[] = [
  {
    id: "add-before",
    title: "Add a node before it",
    group: "Outline",
    keys: ["Shift+A"],
    scope: "outline",
    refusal: needsOne,
    run: () => askAt({ kind: "add", spot: { kind: "before", node: one() ?? "" } }),
  },
  {
    id: "add-inside",
    title: "Add a node inside it",
    group: "Outline",
    keys: ["I"],
    scope: "outline",
    refusal: needsContainer,
    run: () => askAt({ kind: "add", spot: { kind: "inside", node: one() ?? "" } }),
  },
  {
    id: "connect-row",
    title: "Connect with, or lead elsewhere",
    group: "Outline",
    keys: ["C"],
    scope: "outline",
    refusal: needsRow,
    run: connect,
  },
  {
    id: "row-up",
    title: "Move up",
    group: "Outline",
    keys: ["Alt+ArrowUp"],
    scope: "outline",
    refusal: needsRow,
    run: () => move(-1),
  },
  {
    id: "row-down",
    title: "Move down",
    group: "Outline",
    keys: ["Alt+ArrowDown"],
    scope: "outline",
    refusal: needsRow,
    run: () => move(1),
  },
  {
    id: "rows",
    title: "Next and previous row, unfold and fold",
    group: "Outline",
    keys: ["ArrowDown", "ArrowUp", "ArrowRight", "ArrowLeft"],
    scope: "outline",
    quiet: true,
    run: () => {},
  },
];

export function useOutlineCommands(): void {
  useLayoutEffect(() => useCommands.getState().add(OUTLINE_COMMANDS), []);
}
