// Putting nodes between others and taking them out again, so that what comes before still leads to what comes after.
import { type FlowDocument, type FlowEdge, findEdge, findNode, outcomeOf, withDescendants } from "./document";
import { all, connectionRefusal, type Edit, removeNodes } from "./edits";
import { freeId } from "./ids";
import { endsPath } from "./ports";
import { edgesFrom, edgesInto, wiringOf } from "./wiring";

/** Why a node cannot be put onto an edge, or null. Into the edge's container it is moved, if need be. */
export function spliceRefusal(document: FlowDocument, edgeId: string, nodeId: string): string | null {
  const [edge, node] = [findEdge(document, edgeId), findNode(document, nodeId)];
  if (!edge || !node) return "One of the two is not there any more.";
  if (edge.source === nodeId || edge.target === nodeId) return "The edge is one of its own.";
  if (endsPath(node)) return "This node ends its path, so it cannot stand between two others.";
  const wiring = wiringOf(document);
  if (edgesFrom(wiring, nodeId).length || edgesInto(wiring, nodeId).length)
    return "Only a node without edges is put onto an edge.";
  return withDescendants(document, [nodeId]).has(edge.source) ? "A container cannot hold itself." : null;
}

/** The edge leads to the node now, keeping its outcome, condition and label; from there another goes on. */
export function splice(edgeId: string, nodeId: string): Edit {
  return (document) => {
    const index = document.edges.findIndex((edge) => edge.id === edgeId);
    const edge = document.edges[index];
    if (!edge || edge.source === nodeId || edge.target === nodeId) return document;
    const taken = new Set(document.edges.map((one) => one.id));
    const rest = { id: freeId(`${nodeId}_${edge.target}`, taken), source: nodeId, target: edge.target };
    const before = document.edges.slice(0, index);
    return { ...document, edges: [...before, { ...edge, target: nodeId }, rest, ...document.edges.slice(index + 1)] };
  };
}

export interface Deletion {
  edit: Edit;
  /** How many edges were led on to what came after. */
  healed: number;
}

/** Take nodes out. Where one thing came next, what led to them leads there. */
export function deletion(document: FlowDocument, ids: readonly string[]): Deletion {
  const healing = all(...ids.map((id) => bypass(id)));
  const next = removeNodes(ids)(healing(document));
  const kept = removeNodes(ids)(document).edges.length;
  return { edit: all(healing, removeNodes(ids)), healed: next.edges.length - kept };
}

/** Lead what comes into a node on to the one node that comes after it, if there is just one. */
export function bypass(id: string): Edit {
  return (document) => {
    const wiring = wiringOf(document);
    const success = edgesFrom(wiring, id).filter((edge) => outcomeOf(edge) === "success");
    const next = success[0];
    if (success.length !== 1 || !next || next.when !== undefined || next.target === id) return document;
    const incoming = new Set(edgesInto(wiring, id).map((edge) => edge.id));
    const touching = (edge: FlowEdge) => edge.source === id;
    let current: FlowDocument = { ...document, edges: document.edges.filter((edge) => !touching(edge)) };
    for (const edge of document.edges) {
      if (!incoming.has(edge.id)) continue;
      const moved = { ...edge, target: next.target };
      const without = { ...current, edges: current.edges.filter((one) => one.id !== edge.id) };
      const refused =
        edge.source === next.target || connectionRefusal(without, edge.source, next.target, outcomeOf(edge)) !== null;
      if (refused) current = without;
      else current = { ...current, edges: current.edges.map((one) => (one.id === edge.id ? moved : one)) };
    }
    return current;
  };
}
