// The drawing as elements for React Flow, each kept as long as nothing about it changed.
import { useMemo, useRef } from "react";
import type { FlowDocument } from "~/graph/document";
import type { Box } from "~/graph/geometry";
import type { Way } from "~/graph/route";
import { backEdges, readingOrder } from "~/graph/wiring";
import { useCatalog } from "~/store/catalog";
import {
  type Drawing,
  type Drawn,
  type LineElement,
  lineElements,
  type StepElement,
  stepElements,
  waysOf,
} from "./elements";
import { spokenName } from "./naming";

interface Asked {
  drawing: Drawing;
  selectedNodes: ReadonlySet<string>;
  selectedEdges: ReadonlySet<string>;
  /** Nodes that are being dragged: the ways of edges elsewhere stay. */
  moving: ReadonlySet<string> | null;
  classNameOf: ((box: Box) => string | undefined) | undefined;
}

export interface Elements {
  nodes: StepElement[];
  edges: LineElement[];
  ways: ReadonlyMap<string, Way>;
  order: readonly string[];
  nameOf: (box: Box) => string;
}

export function useElements({ drawing, selectedNodes, selectedEdges, moving, classNameOf }: Asked): Elements {
  const drawn = useRef<Drawn>({ elements: new Map(), nameOf: null });
  const lines = useRef<ReadonlyMap<string, LineElement>>(new Map());
  const lastWays = useRef<ReadonlyMap<string, Way>>(new Map());
  const types = useCatalog((state) => state.nodeTypes);
  const structure = useStructure(drawing.document);

  const nameOf = useMemo(() => {
    const titles = new Map(types.map((type) => [type.name, type.title]));
    const places = new Map(structure.order.map((id, index) => [id, index + 1]));
    return (box: Box) =>
      spokenName(box, titles.get(box.node.type) ?? box.node.type, places.get(box.id) ?? 0, structure.order.length);
  }, [types, structure]);

  const nodes = useMemo(() => {
    const marks = { selected: selectedNodes, moving, nameOf, ...(classNameOf ? { className: classNameOf } : {}) };
    const made = stepElements(drawing.geometry, marks, drawn.current);
    drawn.current = { elements: new Map(made.map((one) => [one.id, one])), nameOf };
    return made;
  }, [drawing, selectedNodes, moving, nameOf, classNameOf]);

  const ways = useMemo(() => {
    lastWays.current = waysOf(drawing, lastWays.current, moving);
    return lastWays.current;
  }, [drawing, moving]);

  const edges = useMemo(() => {
    const marks = { selected: selectedEdges, loops: structure.loops };
    const made = lineElements(drawing, ways, marks, lines.current);
    lines.current = new Map(made.map((one) => [one.id, one]));
    return made;
  }, [drawing, ways, selectedEdges, structure]);

  return { nodes, edges, ways, order: structure.order, nameOf };
}

/** What follows from nodes and edges alone. A drag gives new documents for each frame, with the same edges. */
function useStructure(document: FlowDocument) {
  const ids = useMemo(() => document.nodes.map((node) => `${node.id}<${node.parent ?? ""}`).join(), [document.nodes]);
  const held = useRef<{ ids: string; edges: unknown; order: string[]; loops: Set<string> } | null>(null);
  if (held.current?.ids !== ids || held.current.edges !== document.edges)
    held.current = { ids, edges: document.edges, order: readingOrder(document), loops: backEdges(document) };
  return held.current;
}
