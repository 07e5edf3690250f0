// The document as it is laid out: which types are containers, where every box stands. Made once for each document.
// Nodes that the document gives no place stand where the layout puts them; the document gets it with the first change
// that moves or adds something, so that looking at a flow never makes it differ from what is saved.
import { create } from "zustand";
import type { FlowDocument, FlowNode, Position } from "~/graph/document";
import { type Edit, moveNodes } from "~/graph/edits";
import { type Drawn, type Geometry, geometryOf } from "~/graph/geometry";
import { withRoom } from "~/graph/growing";
import { useCatalog } from "./catalog";
import { useEditor } from "./editor";
import { type Folds, isFoldedIn, useFolds } from "./folds";

/** What every site has, so that a flow is drawn rightly before and without the catalog. */
const CONTAINERS = new Set(["sequence", "parallel", "for_each"]);

export function isContainer(type: string): boolean {
  const known = useCatalog.getState().nodeTypes.find((one) => one.name === type);
  return known ? known.is_container : CONTAINERS.has(type);
}

export type Places = ReadonlyMap<string, Position>;

interface DrawingState {
  /** Where the layout puts the nodes of the edited document that have no place of their own. */
  automatic: Places;
}

export const useAutomatic = create<DrawingState>()(() => ({ automatic: new Map() }));

export const hasNoPlace = (node: FlowNode) => !node.layout && !node.position;

/** The document with these places for the nodes that have none. */
export function withPlaces(automatic: Places): Edit {
  return (document) => {
    const missing = document.nodes.filter((node) => hasNoPlace(node) && automatic.has(node.id));
    return missing.length
      ? moveNodes(new Map([...automatic].filter(([id]) => missing.some((n) => n.id === id))))(document)
      : document;
  };
}

const placed = new WeakMap<FlowDocument, { automatic: Places; document: FlowDocument }>();

/** The edited document as it is drawn. */
export function placedOf(document: FlowDocument): FlowDocument {
  const { automatic } = useAutomatic.getState();
  if (!automatic.size) return document;
  const found = placed.get(document);
  if (found?.automatic === automatic) return found.document;
  const made = withPlaces(automatic)(document);
  placed.set(document, { automatic, document: made });
  return made;
}

/** How the page draws: with these containers folded. */
export const drawnWith = (folds: Folds): Drawn => ({ isContainer, isFolded: (node) => isFoldedIn(folds, node) });

const made = new WeakMap<FlowDocument, { folds: Folds; geometry: Geometry }>();

/** Where everything stands in a document that has its places. */
export function drawnOf(document: FlowDocument): Geometry {
  const { folds } = useFolds.getState();
  const found = made.get(document);
  if (found?.folds === folds) return found.geometry;
  const geometry = geometryOf(document, drawnWith(folds));
  made.set(document, { folds, geometry });
  return geometry;
}

/** The edited document and where everything in it stands. */
export function current(): { document: FlowDocument; geometry: Geometry } {
  const document = placedOf(useEditor.getState().document);
  return { document, geometry: drawnOf(document) };
}

/**
 * An edit that moves, adds or opens: with it, what was placed by the layout alone gets its place in the document, and
 * containers that grow do not cover what stands beside them.
 */
export function change(label: string, edit: Edit, gesture?: string): void {
  const { automatic } = useAutomatic.getState();
  const before = current().geometry;
  const roomy: Edit = (document) => {
    const next = edit(withPlaces(automatic)(document));
    return next === document ? document : withRoom(before, next, drawnWith(useFolds.getState().folds));
  };
  useEditor.getState().apply(label, roomy, gesture);
}
