// A flow as rows of a tree: nodes in the order in which they are read, below each what it holds and where it leads.
import { type FlowDocument, type FlowEdge, type FlowNode, findNode, labelOf, outcomeOf } from "./document";
import { isBranching, OUTCOME_WORDS } from "./ports";
import { edgesFrom, levelOrder, type Wiring, wiringOf } from "./wiring";

interface RowBase {
  /** Unique in the tree: `node:<id>` or `edge:<id>`. */
  key: string;
  id: string;
  /** From 1, as trees count. */
  level: number;
  /** The key of the row around it. */
  around: string | undefined;
  /** Its place among the rows of its level within the same row, from 1, and how many there are. */
  place: number;
  of: number;
}

export interface NodeRow extends RowBase {
  kind: "node";
  node: FlowNode;
  /** Rows below it, shown or folded. */
  holds: boolean;
  open: boolean;
}

export interface EdgeRow extends RowBase {
  kind: "edge";
  edge: FlowEdge;
  /** When it is taken: "If check.valid", "Else", "On error", "Then". */
  when: string;
  /** Where it leads. */
  target: string;
}

export type OutlineRow = NodeRow | EdgeRow;

export interface Outline {
  rows: OutlineRow[];
  /** Every node, also those in folded rows. */
  order: string[];
}

/** The rows of a document. What folded rows hold is left out. Containers are those that something stands in. */
export function outlineOf(document: FlowDocument, folded: ReadonlySet<string> = new Set()): Outline {
  const wiring = wiringOf(document);
  const rows: OutlineRow[] = [];
  const order: string[] = [];
  const seen = new Set<string>();

  function level(nodes: readonly FlowNode[], depth: number, around: string | undefined, shown: boolean, more: number) {
    const ids = levelOrder(wiring, nodes).filter((id) => !seen.has(id));
    ids.forEach((id, index) => {
      const node = wiring.nodes.get(id);
      if (!node || seen.has(id)) return;
      seen.add(id);
      order.push(id);
      const inner = wiring.children.get(id) ?? [];
      const ways = tellingEdges(wiring, node, ids[index + 1]);
      const key = `node:${id}`;
      const open = !folded.has(id);
      const holds = inner.length + ways.length > 0;
      const base = { key, id, level: depth, around, place: index + 1, of: ids.length + more };
      if (shown) rows.push({ ...base, kind: "node", node, holds, open });
      level(inner, depth + 1, key, shown && open, ways.length);
      if (shown && open)
        ways.forEach((edge, at) => {
          rows.push(edgeRow(document, node, edge, depth + 1, key, inner.length + at + 1, inner.length + ways.length));
        });
    });
  }

  level(wiring.children.get(undefined) ?? [], 1, undefined, true, 0);
  // What containers hold that hold one another is reached from nowhere.
  const lost = document.nodes.filter((node) => !seen.has(node.id));
  if (lost.length) level(lost, 1, undefined, true, 0);
  return { rows, order };
}

/** The edges that the order of rows does not tell: all but a lone one to the node of the next row. */
function tellingEdges(wiring: Wiring, node: FlowNode, next: string | undefined): readonly FlowEdge[] {
  const edges = edgesFrom(wiring, node.id);
  const [only] = edges;
  const plain = edges.length === 1 && only && outcomeOf(only) === "success" && !only.when && !only.label;
  return plain && only.target === next && node.type !== "one_of" ? [] : edges;
}

function edgeRow(
  document: FlowDocument,
  node: FlowNode,
  edge: FlowEdge,
  level: number,
  around: string,
  place: number,
  of: number,
): EdgeRow {
  const target = findNode(document, edge.target);
  return {
    key: `edge:${edge.id}`,
    kind: "edge",
    id: edge.id,
    level,
    around,
    place,
    of,
    edge,
    when: whenOf(document, node, edge),
    target: target ? labelOf(target) : edge.target,
  };
}

function whenOf(document: FlowDocument, node: FlowNode, edge: FlowEdge): string {
  const outcome = outcomeOf(edge);
  const word = outcome === "success" ? "" : `On ${OUTCOME_WORDS[outcome].toLowerCase()}`;
  if (word) return edge.when ? `${word} if ${edge.when}` : word;
  if (edge.when !== undefined) return edge.label || (edge.when.trim() ? `If ${edge.when.trim()}` : "Needs a condition");
  if (edge.label) return edge.label;
  const success = edgesFrom(wiringOf(document), node.id).filter((one) => outcomeOf(one) === "success");
  if (node.fan_out && success.length > 1) return "At once";
  return isBranching(node, success) ? "Else" : "Then";
}
