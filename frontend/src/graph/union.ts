// Two documents of one flow as one picture: everything of the newer one, and of the older what was removed.
import type { FlowDocument } from "./document";

/** The newer document with the nodes and edges that only the older one has; their ids say which they are. */
export function unionOf(before: FlowDocument, after: FlowDocument): FlowDocument {
  const nodeIds = new Set(after.nodes.map((node) => node.id));
  const edgeIds = new Set(after.edges.map((edge) => edge.id));
  const removed = before.nodes.filter((node) => !nodeIds.has(node.id));
  const all = new Set([...nodeIds, ...removed.map((node) => node.id)]);
  return {
    ...after,
    nodes: [...after.nodes, ...removed],
    edges: [
      ...after.edges,
      ...before.edges.filter((edge) => !edgeIds.has(edge.id) && all.has(edge.source) && all.has(edge.target)),
    ],
  };
}
