// Adding nodes: where a new one stands, what it is connected with, all as one undo step.
import { connecting, refusalOf, type Start, usualPort } from "~/graph/connecting";
import { type Kind, newNode } from "~/graph/creating";
import { type FlowDocument, type FlowNode, findEdge, findNode, outcomeOf, type Position } from "~/graph/document";
import { all, type Edit } from "~/graph/edits";
import { frameAt, type Geometry } from "~/graph/geometry";
import { freeId } from "~/graph/ids";
import { roomFor } from "~/graph/moving";
import { firstPlace, freePlace, GAP, lastOf, onGrid, placeAfter, roomOnEdge, shiftRight } from "~/graph/placing";
import { splice } from "~/graph/splicing";
import { edgesFrom, levelOrder, parentOf, readingOrder, wiringOf } from "~/graph/wiring";
import { change, current } from "../drawing";
import { useEditor } from "../editor";
import { speak, tell } from "../notices";
import { useRecents } from "../recents";
import { canvasView } from "../view";

export interface Addable extends Kind {
  key: string;
  /** Nothing can follow it. */
  ends: boolean;
}

/** Where a new node goes. */
export type Spot =
  /** After what is selected, else at the end of the flow. */
  | { kind: "usual" }
  /** Connected with this port. */
  | { kind: "after"; start: Start }
  /** Between the two ends of an edge. */
  | { kind: "edge"; edge: string }
  /** Before a node, between it and all that leads to it. */
  | { kind: "before"; node: string }
  /** As the last one in a container; in a parallel one as a path of its own. */
  | { kind: "inside"; node: string }
  /** At a point of the whole canvas, connected with a port if given. */
  | { kind: "point"; point: Position; start?: Start };

interface Made {
  edit: Edit;
  note?: string;
}

/** Add a node and select it. Gives its id, or null where nothing can be added. */
export function addNode(choice: Addable, spot: Spot): string | null {
  const { document, geometry } = current();
  if (useEditor.getState().readOnly) return null;
  const node = newNode(document, choice);
  const made = madeAt(document, geometry, node, choice.ends, certain(document, choice, spot));
  change(`Add ${node.name}`, made.edit);
  useEditor.getState().select([node.id]);
  useRecents.getState().used(choice.key);
  if (made.note) tell(made.note);
  else speak(`Added ${node.name}.`);
  canvasView()?.reveal([node.id]);
  return node.id;
}

/** Where wishes that name no place lead to. */
function certain(document: FlowDocument, choice: Addable, spot: Spot): Spot {
  if (spot.kind === "usual") return usualSpot(document, choice);
  if (spot.kind !== "inside") return spot;
  const wiring = wiringOf(document);
  const order = levelOrder(wiring, wiring.children.get(spot.node) ?? []);
  const last = order.findLast((id) => usualPort(document, id) !== null && !edgesFrom(wiring, id).some(isSuccess));
  const isParallel = wiring.nodes.get(spot.node)?.type === "parallel";
  return last === undefined || isParallel ? spot : { kind: "after", start: { source: last, port: "success" } };
}

/** After the selection: between it and what comes next, if just one thing does; into an empty container. */
function usualSpot(document: FlowDocument, choice: Addable): Spot {
  const { nodes, edges } = useEditor.getState();
  const [edge] = edges;
  if (edges.size === 1 && !nodes.size && edge && !choice.ends) return { kind: "edge", edge };
  const [chosen] = nodes;
  const { geometry } = current();
  if (nodes.size === 1 && chosen) {
    const box = geometry.boxes.get(chosen);
    if (box?.frame && !box.holds) return { kind: "point", point: { x: box.x + 24, y: box.y + 64 } };
    return spotAfter(document, chosen, choice);
  }
  const mayGoOn = (id: string) => usualPort(document, id) !== null && !edgesFrom(geometry.wiring, id).some(isSuccess);
  const last = lastOf(document, readingOrder(document), mayGoOn);
  if (last) return spotAfter(document, last, choice);
  return { kind: "point", point: firstPlace(geometry, undefined) };
}

const isSuccess = (edge: { on?: FlowDocument["edges"][number]["on"] }) => outcomeOf(edge) === "success";

function spotAfter(document: FlowDocument, id: string, choice: Addable): Spot {
  const { geometry } = current();
  const port = usualPort(document, id);
  if (!port) return { kind: "point", point: below(geometry, id) };
  const [next, ...more] = edgesFrom(geometry.wiring, id).filter(isSuccess);
  if (port === "success" && next && !more.length && !choice.ends) return { kind: "edge", edge: next.id };
  return { kind: "after", start: { source: id, port } };
}

function below(geometry: Geometry, id: string): Position {
  const box = geometry.boxes.get(id);
  return box ? { x: box.x, y: box.y + box.height + 28 } : { x: 0, y: 0 };
}

function madeAt(document: FlowDocument, geometry: Geometry, node: FlowNode, ends: boolean, spot: Spot): Made {
  if (spot.kind === "edge") {
    const made = onEdge(document, geometry, node, spot.edge);
    if (made && !ends) return made;
  }
  if (spot.kind === "after") return after(document, geometry, node, spot.start);
  if (spot.kind === "before") return before(geometry, node, spot.node, ends);
  if (spot.kind === "inside")
    return { edit: putNode(node, spot.node, firstPlace(geometry, spot.node), lastInside(document, spot.node)) };
  const point = spot.kind === "point" ? spot.point : below(geometry, findEdgeSource(document, spot));
  const frame = frameAt(geometry, point);
  const place = { x: onGrid(point.x - (frame?.x ?? 0)), y: onGrid(point.y - (frame?.y ?? 0)) };
  const free = freePlace(geometry, frame?.id, place);
  const put = putNode(node, frame?.id, free, undefined);
  const start = spot.kind === "point" ? spot.start : undefined;
  if (!start) return { edit: put };
  return connected(document, put, start, node.id);
}

function findEdgeSource(document: FlowDocument, spot: Spot): string {
  return spot.kind === "edge" ? (findEdge(document, spot.edge)?.source ?? "") : "";
}

function after(document: FlowDocument, geometry: Geometry, node: FlowNode, start: Start): Made {
  const source = findNode(document, start.source);
  const place = placeAfter(geometry, start.source);
  const parent = source && parentOf(source, geometry.wiring.nodes);
  return connected(document, putNode(node, parent, place, start.source), start, node.id);
}

/** What led to the other node leads to the new one, which goes on to it. Without room the others move on. */
function before(geometry: Geometry, node: FlowNode, other: string, ends: boolean): Made {
  const box = geometry.boxes.get(other);
  const place = box ? box.place : { x: 0, y: 0 };
  if (!box || ends) {
    const free = freePlace(geometry, box?.parent, { x: place.x, y: place.y + 84 });
    return { edit: putNode(node, box?.parent, free, undefined), note: "It stands by itself: nothing comes after it." };
  }
  const put = all(
    shiftRight(geometry, box.parent, place.x, box.width + GAP),
    putNode(node, box.parent, place, undefined, other),
  );
  const lead: Edit = (current) => ({
    ...current,
    ...(current.start === other ? { start: node.id } : {}),
    edges: [
      ...current.edges.map((edge) => (edge.target === other ? { ...edge, target: node.id } : edge)),
      {
        id: freeId(`${node.id}_${other}`, new Set(current.edges.map((edge) => edge.id))),
        source: node.id,
        target: other,
      },
    ],
  });
  return { edit: all(put, lead) };
}

const lastInside = (document: FlowDocument, id: string) => document.nodes.findLast((node) => node.parent === id)?.id;

function onEdge(document: FlowDocument, geometry: Geometry, node: FlowNode, id: string): Made | null {
  const edge = findEdge(document, id);
  const [source, target] = [geometry.boxes.get(edge?.source ?? ""), geometry.boxes.get(edge?.target ?? "")];
  if (!edge || !source || !target) return null;
  const room = roomOnEdge(geometry, source, target);
  return { edit: all(room.edit, putNode(node, source.parent, room.place, source.id), splice(id, node.id)) };
}

/** In the order of declaration, which is that of scheduling, a new node stands right after the one before it. */
function putNode(
  node: FlowNode,
  parent: string | undefined,
  place: Position,
  before: string | undefined,
  behind?: string,
): Edit {
  const put: Edit = (document) => {
    const made = { ...node, ...(parent === undefined ? {} : { parent }), layout: { x: place.x, y: place.y } };
    const beside = behind ?? before;
    const index = beside === undefined ? -1 : document.nodes.findIndex((one) => one.id === beside);
    const at = index < 0 ? document.nodes.length : behind ? index : index + 1;
    return { ...document, nodes: [...document.nodes.slice(0, at), made, ...document.nodes.slice(at)] };
  };
  return all(put, roomFor(parent));
}

function connected(document: FlowDocument, put: Edit, start: Start, id: string): Made {
  const next = put(document);
  const refusal = refusalOf(next, start, id);
  if (refusal) return { edit: put, note: `It stands by itself: ${refusal}` };
  const { edit, note } = connecting(next, start, id);
  return { edit: all(put, edit), ...(note ? { note } : {}) };
}
