// Moving a node up or down among those that it stands with: along its edges it changes places with its neighbour, where
// there are none it changes places in the order of declaration.
import { type FlowDocument, type FlowEdge, findNode, labelOf, outcomeOf } from "./document";
import type { Edit } from "./edits";
import { endsPath } from "./ports";
import { edgesFrom, edgesInto, levelOrder, parentOf, type Wiring, wiringOf } from "./wiring";

export type Reordering = { edit: Edit; beside: string } | { refusal: string };

/** Change places with the node of the row before (-1) or after (1) of the same level. */
export function reordering(document: FlowDocument, id: string, by: 1 | -1): Reordering {
  const wiring = wiringOf(document);
  const node = wiring.nodes.get(id);
  if (!node) return { refusal: "The node is not there any more." };
  const level = levelOrder(wiring, wiring.children.get(parentOf(node, wiring.nodes)) ?? []);
  const beside = level[level.indexOf(id) + by];
  if (beside === undefined) return { refusal: by < 0 ? "It is the first one here." : "It is the last one here." };
  const [upper, lower]: [string, string] = by < 0 ? [beside, id] : [id, beside];
  if (!edgesFrom(wiring, upper).some((edge) => edge.target === lower)) return declared(document, upper, lower, beside);
  const refusal = swapRefusal(document, wiring, upper, lower);
  return refusal ? { refusal } : { edit: swapped(upper, lower), beside };
}

function swapRefusal(document: FlowDocument, wiring: Wiring, upper: string, lower: string): string | null {
  const name = (id: string) => labelOf(findNode(document, id) ?? { id });
  const [way, ...others] = edgesFrom(wiring, upper).filter(isSuccess);
  if (!way || others.length || way.when !== undefined || way.target !== lower)
    return `${name(upper)} leads to several places, so what is meant is not certain. Connect it elsewhere instead.`;
  if (edgesInto(wiring, lower).length !== 1)
    return `Several paths meet in ${name(lower)}, so it keeps its place. Connect it elsewhere instead.`;
  const last = findNode(document, lower);
  if (last && endsPath(last)) return `${name(lower)} ends its path: nothing comes after it.`;
  const next = edgesFrom(wiring, lower).filter(isSuccess);
  return next.length > 1 || next[0]?.when !== undefined
    ? `${name(lower)} leads to several places, so what is meant is not certain. Connect it elsewhere instead.`
    : null;
}

const isSuccess = (edge: FlowEdge) => outcomeOf(edge) === "success";

/** … > upper > lower > … becomes … > lower > upper > …; other outcomes stay with their node. */
function swapped(upper: string, lower: string): Edit {
  return (document) => {
    const edges = document.edges.map((edge) => {
      if (edge.source === upper && edge.target === lower && isSuccess(edge))
        return { ...edge, source: lower, target: upper };
      if (edge.source === lower && isSuccess(edge)) return { ...edge, source: upper };
      return edge.target === upper ? { ...edge, target: lower } : edge;
    });
    const start = document.start === upper ? { start: lower } : {};
    return { ...exchanged(document, upper, lower), ...start, edges };
  };
}

function declared(document: FlowDocument, upper: string, lower: string, beside: string): Reordering {
  const edit: Edit = (current) => exchanged(current, upper, lower);
  const next = edit(document);
  const wiring = wiringOf(next);
  const node = wiring.nodes.get(upper);
  const level = levelOrder(wiring, wiring.children.get(node && parentOf(node, wiring.nodes)) ?? []);
  if (level.indexOf(upper) < level.indexOf(lower))
    return { refusal: "Its place follows from its edges. Connect it elsewhere to move it." };
  return { edit, beside };
}

/** Both in one another's place: in the list, and where they are drawn. */
function exchanged(document: FlowDocument, one: string, other: string): FlowDocument {
  const [a, b] = [findNode(document, one), findNode(document, other)];
  if (!a || !b) return document;
  const put = (node: typeof a, from: typeof a) => {
    const { layout: _, position: __, ...rest } = node;
    const place = from.layout ?? from.position;
    const { collapsed, width, height } = node.layout ?? {};
    if (!place) return rest;
    const own = { ...(width ? { width } : {}), ...(height ? { height } : {}), ...(collapsed ? { collapsed } : {}) };
    return { ...rest, layout: { x: place.x, y: place.y, ...own } };
  };
  const nodes = document.nodes.map((node) => (node === a ? put(b, a) : node === b ? put(a, b) : node));
  return { ...document, nodes };
}
