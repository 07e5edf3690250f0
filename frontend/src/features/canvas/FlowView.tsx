// A flow to look at: the editor's canvas with states or differences over it, and nothing that can be changed.
import { useEffect, useMemo, useState } from "react";
import { type FlowDocument, findNode } from "~/graph/document";
import { geometryOf } from "~/graph/geometry";
import type { DiffMarks, Overlay } from "~/nodes/overlay";
import { missingPlaces } from "~/store/actions/arranging";
import { drawnWith, type Places, withPlaces } from "~/store/drawing";
import { type Folds, foldsAtFirst, isFoldedIn, openedAround } from "~/store/folds";
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
  const [folds, setFolds] = useState<Folds>(() => foldsAtFirst(document));
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
    const shown = withPlaces(automatic ?? new Map())(document);
    return { document: shown, geometry: geometryOf(shown, drawnWith(folds)) };
  }, [document, folds, automatic]);
  // What is looked at is not left hidden.
  useEffect(() => {
    if (selectedNode) setFolds((before) => openedAround(before, document, [selectedNode]));
  }, [document, selectedNode]);
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
      onFold={(id) => setFolds((before) => new Map(before).set(id, !isFolded(document, before, id)))}
      tools={(scene, view) => (
        <>
          <ViewTools view={view} />
          <Minimap scene={scene} />
        </>
      )}
    />
  );
}

function isFolded(document: FlowDocument, folds: Folds, id: string): boolean {
  const node = findNode(document, id);
  return node !== undefined && isFoldedIn(folds, node);
}
