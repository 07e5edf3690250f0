// Drawing an edge: from which port, where in the routing order, and what the target needs where paths live at once.
import { type FlowDocument, type FlowEdge, findNode, labelOf, type Outcome, outcomeOf } from "./document";
import { all, connect, connectionRefusal, type Edit, updateEdge, updateNode } from "./edits";
import { freeId } from "./ids";
import { endsPath, isBranching } from "./ports";
import { edgesFrom, edgesInto, reaches, type Wiring, wiringOf } from "./wiring";

/** Where a new edge begins: a node and one of its ports (graph/ports.ts); any outcome is a port too. */
export interface Start {
  source: string;
  port: string;
}

export interface Connecting {
  edit: Edit;
  /** The edge that is new, or that leads elsewhere now. */
  edge: string;
  /** What to tell beside that it worked. */
  note?: string;
}

export const outcomeOfPort = (port: string): Outcome =>
  port === "success" || port === "new" || port.startsWith("branch:") ? "success" : (port as Outcome);

/** Why a port cannot be connected with a node, or null. Stricter than the language: nobody draws a node onto itself. */
export function refusalOf(document: FlowDocument, { source, port }: Start, target: string): string | null {
  if (source === target) return "A node does not lead to itself. To try again, give it a retry.";
  const from = findNode(document, source);
  if (from && endsPath(from)) return "This node ends its path: nothing comes after it.";
  const edge = branchOf(document, port);
  if (edge) return leadRefusal(document, edge, target);
  const outcome = outcomeOfPort(port);
  // A further branch gets its own condition, so it is never the same as one without.
  if (from && startsBranch(document, source, outcome)) {
    return borderRefusal(document, source, target);
  }
  return connectionRefusal(document, source, target, outcome);
}

/** Why an edge that is there cannot lead to another node. One with a condition may stand beside another. */
function leadRefusal(document: FlowDocument, edge: FlowEdge, target: string): string | null {
  if (edge.target === target) return "It leads there already.";
  if (edge.when !== undefined) return borderRefusal(document, edge.source, target);
  const others = { ...document, edges: document.edges.filter((one) => one !== edge) };
  return connectionRefusal(others, edge.source, target, outcomeOf(edge));
}

function borderRefusal(document: FlowDocument, source: string, target: string): string | null {
  const bare = { ...document, edges: [] };
  return connectionRefusal(bare, source, target);
}

/** The port that stands for one edge, to lead it elsewhere. */
export const portOfEdge = (edge: string) => `branch:${edge}`;

function branchOf(document: FlowDocument, port: string): FlowEdge | undefined {
  return port.startsWith("branch:") ? document.edges.find((edge) => portOfEdge(edge.id) === port) : undefined;
}

/** Whether one more edge with this outcome is a branch beside others, of which the one without a condition remains. */
function startsBranch(document: FlowDocument, source: string, outcome: Outcome): boolean {
  const node = findNode(document, source);
  if (!node || (outcome === "success" && node.fan_out)) return false;
  return edgesFrom(wiringOf(document), source).some((edge) => outcomeOf(edge) === outcome && edge.when === undefined);
}

/** The edit that connects a port with a node, all in one. The edge is refused where `refusalOf` says so. */
export function connecting(document: FlowDocument, { source, port }: Start, target: string): Connecting {
  const branch = branchOf(document, port);
  if (branch) {
    const moved = updateEdge(branch.id, { target });
    return { edge: branch.id, edit: withJoin(document, moved, target) };
  }
  const outcome = outcomeOfPort(port);
  const id = freeId(`${source}_${target}`, new Set(document.edges.map((edge) => edge.id)));
  const edge: FlowEdge = { id, source, target, ...(outcome === "success" ? {} : { on: outcome }) };
  if (!startsBranch(document, source, outcome)) return { edge: id, edit: withJoin(document, connect(edge), target) };
  return {
    edge: id,
    edit: withJoin(document, beforeRemaining({ ...edge, when: "" }), target),
    note: "This branch needs a condition: the first branch whose condition holds is taken.",
  };
}

/** A branch with a condition stands before the one that takes what remains, which would hide it. */
function beforeRemaining(edge: FlowEdge): Edit {
  return (document) => {
    const index = document.edges.findIndex(
      (one) => one.source === edge.source && outcomeOf(one) === outcomeOf(edge) && one.when === undefined,
    );
    const at = index < 0 ? document.edges.length : index;
    return { ...document, edges: [...document.edges.slice(0, at), edge, ...document.edges.slice(at)] };
  };
}

/** `edit`, and where paths that may live at once then meet in `target`: it waits for those that were taken. */
export function withJoin(document: FlowDocument, edit: Edit, target: string): Edit {
  return needsJoin(edit(document), target) ? all(edit, updateNode(target, { join: "active" })) : edit;
}

/** Whether paths that may live at once lead to a node, which would then run once for each. As the server checks it. */
export function needsJoin(document: FlowDocument, target: string): boolean {
  const wiring = wiringOf(document);
  const node = wiring.nodes.get(target);
  if (!node || merges(document, target) || edgesInto(wiring, target).length < 2) return false;
  const stop = new Set(document.nodes.filter((one) => merges(document, one.id)).map((one) => one.id));
  return rootsOfScopes(wiring, node.parent).some((roots) => {
    const leading = roots.filter((root) => root === target || (!stop.has(root) && reaches(wiring, root, target, stop)));
    return leading.length > 1;
  });
}

function merges(document: FlowDocument, id: string): boolean {
  const join = findNode(document, id)?.join;
  return (join !== undefined && join !== "each") || document.nodes.some((node) => node.synthesis === id);
}

/** For each place of one level where several paths live at once: the nodes that they begin with. */
function rootsOfScopes(wiring: Wiring, parent: string | undefined): string[][] {
  const level = wiring.children.get(parent) ?? [];
  const found = level
    .filter((node) => node.fan_out)
    .map((node) => {
      const leaving = edgesFrom(wiring, node.id).filter((edge) => outcomeOf(edge) === "success");
      return [...new Set(leaving.map((edge) => edge.target))].filter((id) => id !== node.synthesis);
    });
  if (parent !== undefined && wiring.nodes.get(parent)?.type === "parallel")
    found.push(level.filter((node) => !edgesInto(wiring, node.id).length).map((node) => node.id));
  return found;
}

/** In words, for lists and for what is read out: "Pay invoice to Note: paid". */
export function edgeName(document: FlowDocument, edge: Pick<FlowEdge, "source" | "target" | "on" | "label" | "when">) {
  const name = (id: string) => {
    const node = findNode(document, id);
    return node ? labelOf(node) : id;
  };
  const said = edge.label || edge.when || (edge.on && edge.on !== "success" ? edge.on.replace("_", " ") : "");
  return `${name(edge.source)} to ${name(edge.target)}${said ? `, ${said}` : ""}`;
}

/** The port that a further edge from a node would leave by, where nobody chose one. */
export function usualPort(document: FlowDocument, source: string): string | null {
  const node = findNode(document, source);
  if (!node || endsPath(node)) return null;
  const success = edgesFrom(wiringOf(document), source).filter((edge) => outcomeOf(edge) === "success");
  return isBranching(node, success) ? "new" : "success";
}
