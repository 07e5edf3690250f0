// What commands, menus and gestures do to the selection: each as one undo step, with a word on what else it changed.
import { connecting, edgeName, refusalOf, type Start } from "~/graph/connecting";
import {
  type FlowDocument,
  type FlowEdge,
  type FlowNode,
  findEdge,
  findNode,
  labelOf,
  type Position,
} from "~/graph/document";
import { all, type Edit, removeEdges, updateNode } from "~/graph/edits";
import { frameAt } from "~/graph/geometry";
import { freeId } from "~/graph/ids";
import { group, moveInto, moveRefusal, moveWithin, outermost, type Plan, ungroup } from "~/graph/moving";
import { deletion, splice, spliceRefusal } from "~/graph/splicing";
import { closesLoop, reachable, wiringOf } from "~/graph/wiring";
import { ask } from "../ask";
import { change, current } from "../drawing";
import { useEditor } from "../editor";
import { isFoldedIn, useFolds } from "../folds";
import { speak, tell } from "../notices";
import { usePanels } from "../panels";

const editor = () => useEditor.getState();

/** "Pay invoice", or "3 nodes". */
export function named(document: FlowDocument, ids: readonly string[]): string {
  const only = ids.length === 1 ? findNode(document, ids[0] ?? "") : undefined;
  return only ? labelOf(only) : `${ids.length} nodes`;
}

/** Delete what is selected. With `heal`, what led to a node leads on to what came after it. */
export function deleteSelection(heal = true): void {
  const { document, nodes, edges } = editor();
  if (!nodes.size && !edges.size) return;
  const ids = outermost(document, nodes);
  const { edit, healed } = heal ? deletion(document, ids) : deletion({ ...document, edges: [] }, ids);
  const what = ids.length ? named(document, ids) : edges.size === 1 ? "an edge" : `${edges.size} edges`;
  const others = [...edges].filter((id) => {
    const edge = findEdge(document, id);
    return edge && !nodes.has(edge.source) && !nodes.has(edge.target);
  });
  editor().apply(`Delete ${what}`, all(removeEdges(others), edit));
  const inside = document.nodes.length - editor().document.nodes.length - ids.length;
  const deleted = inside ? `${what} and ${inside === 1 ? "the node" : `${inside} nodes`} inside` : what;
  tell(healed ? `Deleted ${deleted}. What came before now leads to what came after.` : `Deleted ${deleted}.`);
}

/** Connect a port with a node, or say why not. */
export function connectTo(start: Start, target: string): boolean {
  const { document, apply } = editor();
  const refusal = refusalOf(document, start, target);
  if (refusal) {
    tell(refusal, "refused");
    return false;
  }
  const loop = closesLoop(document, start.source, target);
  const { edit, edge, note } = connecting(document, start, target);
  apply(findEdge(document, edge) ? `Lead an edge to ${named(document, [target])}` : "Connect", edit);
  const joined =
    findNode(editor().document, target)?.join === "active" && findNode(document, target)?.join === undefined;
  const notes = [
    loop ? "This closes a loop: the policy bounds how often it runs." : "",
    joined ? `${named(document, [target])} now waits for all paths that were taken (join: active).` : "",
    note ?? "",
  ].filter(Boolean);
  if (notes.length) tell(notes.join(" "));
  else
    speak(`Connected ${edgeName(editor().document, findEdge(editor().document, edge) ?? { source: "", target: "" })}.`);
  // A branch is worth nothing without its condition, so that is what is asked for next.
  if (note) usePanels.getState().openInspector({ kind: "edge", id: edge }, "/when");
  return true;
}

/** Nodes were dragged to these places of the whole canvas. `pointer`: where they were let go. */
export async function dropNodes(places: ReadonlyMap<string, Position>, pointer: Position): Promise<void> {
  const { document, geometry } = current();
  const ids = [...places.keys()];
  const frame = frameAt(geometry, pointer, new Set(ids));
  const parents = new Set(ids.map((id) => geometry.boxes.get(id)?.parent));
  const label = `Move ${named(document, ids)}`;
  if (parents.size === 1 && parents.has(frame?.id)) {
    const inner = new Map(
      [...places].map(([id, at]) => [id, { x: at.x - (frame?.x ?? 0), y: at.y - (frame?.y ?? 0) }]),
    );
    change(label, moveWithin(document, inner));
    return;
  }
  await carryOut(label, moveInto(document, geometry, frame?.id, places), frame ? "into it" : "out of its container");
}

/** Move the selection into a container, or out to top level, where there is room. */
export async function moveSelectionInto(parent: string | undefined): Promise<void> {
  const { document, geometry } = current();
  const ids = outermost(document, editor().nodes);
  const refusal = moveRefusal(document, ids, parent);
  if (refusal) return tell(refusal, "refused");
  const box = parent === undefined ? undefined : geometry.boxes.get(parent);
  const inner = [...geometry.boxes.values()].filter((one) => one.parent === parent);
  const y = box ? (inner.length ? Math.max(...inner.map((one) => one.y + one.height)) + 28 : box.y + 64) : 0;
  const places = new Map(
    ids.map((id, index) => {
      const at = geometry.boxes.get(id);
      const outside = geometry.boxes.get(at?.parent ?? "");
      return [
        id,
        box
          ? { x: box.x + 24 + index * 280, y }
          : { x: at?.x ?? 0, y: (outside ? outside.y + outside.height : (at?.y ?? 0)) + 28 },
      ];
    }),
  );
  await carryOut(`Move ${named(document, ids)}`, moveInto(document, geometry, parent, places), "there");
}

/** A plan that removes edges is asked about first. */
async function carryOut(label: string, { edit, lost }: Plan, where: string): Promise<boolean> {
  const { document } = editor();
  if (lost.length && !(await confirmed(label, document, lost, where))) return false;
  if (editor().document !== document) {
    tell("The flow has changed meanwhile. Try it again.", "refused");
    return false;
  }
  change(label, edit);
  return true;
}

function confirmed(label: string, document: FlowDocument, lost: readonly FlowEdge[], where: string): Promise<boolean> {
  const one = lost.length === 1;
  return ask({
    title: `${label} ${where}?`,
    text: `${one ? "One edge" : `${lost.length} edges`} would cross the border of a container and ${one ? "is" : "are"} removed:`,
    lines: lost.map((edge) => edgeName(document, edge)),
    confirm: one ? "Move and remove it" : "Move and remove them",
  });
}

/** Put a node onto an edge. */
export function spliceOnto(edge: string, node: string, place?: Position): boolean {
  const { document, geometry } = current();
  const refusal = spliceRefusal(document, edge, node);
  if (refusal) return false;
  const at = place ?? geometry.boxes.get(node) ?? { x: 0, y: 0 };
  const parent = geometry.boxes.get(findEdge(document, edge)?.source ?? "")?.parent;
  const { edit } = moveInto(document, geometry, parent, new Map([[node, { x: at.x, y: at.y }]]));
  change(`Put ${named(document, [node])} onto an edge`, all(edit, splice(edge, node)));
  return true;
}

/** Put the selection into a new container. */
export async function groupSelection(type: string, title: string): Promise<void> {
  const { document, geometry } = current();
  const ids = outermost(document, editor().nodes);
  if (new Set(ids.map((id) => geometry.boxes.get(id)?.parent)).size > 1)
    return tell("Only nodes of one container can be grouped.", "refused");
  const id = freeId(type, new Set(document.nodes.map((node) => node.id)));
  const config = type === "for_each" ? { items: "" } : {};
  const container: FlowNode = { id, type, name: title, config };
  const plan = group(document, geometry, ids, container);
  if (await carryOut(`Group ${named(document, ids)}`, plan, `into ${title}`)) editor().select([id]);
}

export async function ungroupSelection(): Promise<void> {
  const { document, geometry } = current();
  const [id] = editor().nodes;
  if (!id) return;
  const inner = document.nodes.filter((node) => node.parent === id).map((node) => node.id);
  if (await carryOut(`Ungroup ${named(document, [id])}`, ungroup(document, geometry, id), "")) editor().select(inner);
}

/** Fold a container, or open it again. One that this page folded, or may only be looked at, is no edit. */
export function toggleCollapsed(id: string): void {
  const node = findNode(current().document, id);
  if (!node) return;
  const { folds, fold } = useFolds.getState();
  if (folds.has(id) || editor().readOnly) {
    const folded = isFoldedIn(folds, node);
    fold(id, !folded);
    speak(`${labelOf(node)} is ${folded ? "open" : "folded"}.`);
    return;
  }
  const { position: _, ...rest } = node;
  const { collapsed, ...place } = node.layout ?? node.position ?? { x: 0, y: 0 };
  const layout = collapsed ? place : { ...place, collapsed: true };
  const edit: Edit = (document) => ({
    ...document,
    nodes: document.nodes.map((one) => (one.id === id ? { ...rest, layout } : one)),
  });
  change(`${collapsed ? "Open" : "Collapse"} ${labelOf(node)}`, edit);
}

/** Let nodes be passed through, or run again. */
export function toggleEnabled(): void {
  const { document, nodes } = editor();
  const ids = [...nodes];
  const off = ids.every((id) => findNode(document, id)?.enabled === false);
  const label = `${off ? "Enable" : "Disable"} ${named(document, ids)}`;
  editor().apply(label, all(...ids.map((id) => updateNode(id, { enabled: off ? undefined : false }))));
  speak(`${label}.`);
}

/** Move the selection by some steps, as one gesture while the keys follow one another. */
export function moveSelection(dx: number, dy: number): void {
  const { document, geometry } = current();
  const ids = outermost(document, editor().nodes);
  const places = new Map(
    ids.map((id) => {
      const place = geometry.boxes.get(id)?.place ?? { x: 0, y: 0 };
      return [id, { x: place.x + dx, y: place.y + dy }];
    }),
  );
  change(`Move ${named(document, ids)}`, moveWithin(document, places), `move:${ids.join(",")}`);
}

export function rename(id: string, name: string): void {
  const node = findNode(editor().document, id);
  if (!node || labelOf(node) === name.trim()) return;
  editor().apply(`Rename ${labelOf(node)}`, updateNode(id, { name: name.trim() || undefined }));
}

/** Select all that can lead to the selection, or all that it can lead to. */
export function selectAlong(direction: "into" | "out"): void {
  const { document, nodes, select } = editor();
  const found = reachable(wiringOf(document), nodes, direction);
  select([...nodes, ...found]);
  speak(`${editor().nodes.size} nodes selected.`);
}
