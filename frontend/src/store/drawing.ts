// The document as it is laid out: which types are containers, where every box stands. Made once for each document.
import type { FlowDocument } from "~/graph/document";
import { type Geometry, geometryOf } from "~/graph/geometry";
import { useCatalog } from "./catalog";
import { useEditor } from "./editor";

/** What every site has, so that a flow is drawn rightly before and without the catalog. */
const CONTAINERS = new Set(["sequence", "parallel", "for_each"]);

export function isContainer(type: string): boolean {
  const known = useCatalog.getState().nodeTypes.find((one) => one.name === type);
  return known ? known.is_container : CONTAINERS.has(type);
}

const made = new WeakMap<FlowDocument, Geometry>();

export function drawnOf(document: FlowDocument): Geometry {
  const found = made.get(document);
  if (found) return found;
  const geometry = geometryOf(document, { isContainer });
  made.set(document, geometry);
  return geometry;
}

/** The edited document and where everything in it stands. */
export function current(): { document: FlowDocument; geometry: Geometry } {
  const { document } = useEditor.getState();
  return { document, geometry: drawnOf(document) };
}
