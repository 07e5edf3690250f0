// A flow to look at: the editor's canvas with states or differences over it, and nothing that can be changed.
import { useEffect, useMemo, useState } from "react";
import type { FlowDocument } from "~/graph/document";
import { geometryOf } from "~/graph/geometry";
import type { DiffMarks, Overlay } from "~/nodes/overlay";
import { missingPlaces } from "~/store/actions/arranging";
import { isContainer, type Places, withPlaces } from "~/store/drawing";
import FlowCanvas from "./FlowCanvas";
import Minimap from "./Minimap";
import type { FullView } from "./useView";
import ViewTools from "./ViewTools";

export interface FlowViewProps {
  /** What the canvas is called: "Run 214", "Versions 6 and 8". */
  label: string;
  document: FlowDocument;
  overlay?: Overlay | null;
  diff?: DiffMarks | null;
  selectedNode?: string | null;
  onSelectNode?: (id: string | null) => void;
  /** Enter on a node, or a double click. */
  onOpenNode?: (id: string) => void;
  onView?: (view: FullView) => void;
}

const NONE: ReadonlySet<string> = new Set();

export default function FlowView({ document, selectedNode, onSelectNode, onOpenNode, ...rest }: FlowViewProps) {
  const [folded, setFolded] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [automatic, setAutomatic] = useState<Places | null>(null);
  useEffect(() => {
    let gone = false;
    missingPlaces(document).then((places) => {
      if (!gone) setAutomatic(places);
    });
    return () => {
      gone = true;
    };
  }, [document]);
  const drawing = useMemo(() => {
    const shown = withFolds(withPlaces(automatic ?? new Map())(document), folded);
    return { document: shown, geometry: geometryOf(shown, { isContainer }) };
  }, [document, folded, automatic]);
  const selected = useMemo(() => (selectedNode ? new Set([selectedNode]) : NONE), [selectedNode]);
  if (!automatic) return null;
  return (
    <FlowCanvas
      {...rest}
      drawing={drawing}
      selectedNodes={selected}
      selectedEdges={NONE}
      onSelect={(nodes) => onSelectNode?.([...nodes].at(-1) ?? null)}
      onOpen={onOpenNode}
      onFold={(id) => setFolded((before) => new Map(before).set(id, !isFolded(document, before, id)))}
      tools={(scene, view) => (
        <>
          <ViewTools view={view} />
          <Minimap scene={scene} />
        </>
      )}
    />
  );
}

function isFolded(document: FlowDocument, folded: ReadonlyMap<string, boolean>, id: string): boolean {
  return folded.get(id) ?? document.nodes.find((node) => node.id === id)?.layout?.collapsed ?? false;
}

function withFolds(document: FlowDocument, folded: ReadonlyMap<string, boolean>): FlowDocument {
  if (!folded.size) return document;
  const nodes = document.nodes.map((node) => {
    const collapsed = folded.get(node.id);
    if (collapsed === undefined) return node;
    return { ...node, layout: { x: 0, y: 0, ...(node.layout ?? node.position), collapsed } };
  });
  return { ...document, nodes };
}
