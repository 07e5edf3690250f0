// What can be tried and pinned, as named commands: menus, keys and the palette share them.
import { findNode } from "~/graph/document";
import type { Command } from "~/store/commands";
import { editor, fixed, needsOne, one } from "~/store/guards";
import { usePins } from "~/store/pins";
import { useTrying } from "~/store/trying";
import { simulate } from "./simulating";

const ONLY_WAYS = new Set(["artifact", "one_of", "return", "end", "throw"]);

/** Why no output can be pinned to the selected node. */
export function pinRefusal(): string | null {
  const refusal = needsOne();
  if (refusal) return refusal;
  const type = findNode(editor().document, one() ?? "")?.type;
  return type && ONLY_WAYS.has(type) ? "This node only says where to go on: pin another." : null;
}

const needsNode = () => (editor().nodes.size ? null : "Select a node first.");

export function realRefusal(): string | null {
  if (!editor().nodes.size) return "Select a node first.";
  return useTrying.getState().mayRun ? fixed() : "Your role on this flow does not allow it.";
}

/** The selected nodes in the order of the document. */
export function chosen(): string[] {
  const { document, nodes } = editor();
  return document.nodes.filter((node) => nodes.has(node.id)).map((node) => node.id);
}

export const TRY_COMMANDS: readonly Command[] = [
  {
    id: "try",
    title: "Try up to here, in the simulator",
    group: "Try",
    keys: ["R"],
    scope: "canvas",
    refusal: needsNode,
    run: () => void simulate(chosen()),
  },
  {
    id: "try-real",
    title: "Try this step for real",
    group: "Try",
    keys: ["Shift+R"],
    scope: "canvas",
    refusal: realRefusal,
    run: () => useTrying.getState().open({ kind: "real", nodes: chosen() }),
  },
  {
    id: "pin",
    title: "Pin an output",
    group: "Try",
    keys: ["P"],
    scope: "canvas",
    refusal: pinRefusal,
    run: () => useTrying.getState().open({ kind: "pin", node: one() ?? "" }),
  },
  {
    id: "unpin",
    title: "Unpin the output",
    group: "Try",
    scope: "canvas",
    refusal: () => needsOne() ?? (usePins.getState().pins.has(one() ?? "") ? null : "Nothing is pinned to it."),
    run: () => void usePins.getState().unpin(one() ?? ""),
  },
  {
    id: "pins",
    title: "Pinned outputs of the flow",
    group: "Try",
    scope: "page",
    run: () => useTrying.getState().open({ kind: "pins" }),
  },
];
