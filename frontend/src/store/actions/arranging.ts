// Laying out, lining up, spreading: positions only, each one undo step.
import { aligned, distributed, type Side } from "~/graph/align";
import type { FlowDocument, Position } from "~/graph/document";
import { type Edit, moveNodes } from "~/graph/edits";
import { outermost } from "~/graph/moving";
import type { TidyAnswer, TidyQuestion } from "~/graph/tidy.worker";
import { useCatalog } from "../catalog";
import { change, current, hasNoPlace, isContainer, useAutomatic } from "../drawing";
import { useEditor } from "../editor";
import { speak, tell } from "../notices";
import { canvasView } from "../view";

let worker: Worker | null = null;
let count = 0;
const waiting = new Map<number, (answer: TidyAnswer) => void>();

/** Where a layout puts the nodes. Rejects where the layout fails. */
export async function layoutOf(document: FlowDocument, only: readonly string[] | null): Promise<Map<string, Position>> {
  worker ??= startWorker();
  count += 1;
  const number = count;
  const names = new Set([
    ...document.nodes.map((node) => node.type),
    ...useCatalog.getState().nodeTypes.map((t) => t.name),
  ]);
  const containers = [...names].filter(isContainer);
  const answer = await new Promise<TidyAnswer>((resolve) => {
    waiting.set(number, resolve);
    worker?.postMessage({ number, document, containers, only } satisfies TidyQuestion);
  });
  if (!answer.places) throw new Error(answer.error);
  return new Map(answer.places);
}

function startWorker(): Worker {
  const started = new Worker(new URL("../../graph/tidy.worker.ts", import.meta.url), { type: "module", name: "tidy" });
  started.onmessage = ({ data }: MessageEvent<TidyAnswer>) => {
    waiting.get(data.number)?.(data);
    waiting.delete(data.number);
  };
  started.onerror = () => {
    for (const [number, resolve] of waiting) resolve({ number, places: null, error: "The layout's script failed." });
    waiting.clear();
    worker = null;
  };
  return started;
}

/** Lay out everything, or what is selected. */
export async function tidy(selectionOnly: boolean): Promise<void> {
  const { document, nodes } = useEditor.getState();
  const only = selectionOnly ? [...nodes] : null;
  let places: Map<string, Position>;
  try {
    places = await layoutOf(document, only);
  } catch (error) {
    return tell(`The layout failed: ${String(error)} Nothing was moved.`, "refused");
  }
  if (useEditor.getState().document !== document)
    return tell("The flow has changed meanwhile. Try it again.", "refused");
  canvasView()?.animate();
  change(only ? "Lay out the selection" : "Lay out the flow", rearranged(places));
  speak("Laid out.");
  if (!only) canvasView()?.fit();
}

/** Places for the nodes of the edited document that have none. Without such nodes nothing is asked. */
export async function placeAutomatically(document: FlowDocument): Promise<void> {
  const automatic = await missingPlaces(document);
  useAutomatic.setState({ automatic });
}

export async function missingPlaces(document: FlowDocument): Promise<Map<string, Position>> {
  const missing = new Set(document.nodes.filter(hasNoPlace).map((node) => node.id));
  if (!missing.size) return new Map();
  try {
    return new Map([...(await layoutOf(document, null))].filter(([id]) => missing.has(id)));
  } catch {
    // Then they lie over one another, and can still be laid out by hand.
    return new Map();
  }
}

/** Put nodes at new places. Frames forget stored sizes, so that they fit what they hold. */
export function rearranged(places: ReadonlyMap<string, Position>): Edit {
  return (document) => {
    const moved = moveNodes(places)(document);
    const nodes = moved.nodes.map((node) => {
      if (!node.layout || (node.layout.width === undefined && node.layout.height === undefined)) return node;
      const { width: _, height: __, ...layout } = node.layout;
      return { ...node, layout };
    });
    const same = nodes.every((node, index) => sameLayout(node.layout, document.nodes[index]?.layout));
    return same ? document : { ...moved, nodes };
  };
}

function sameLayout(one: object | undefined, other: object | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export function alignSelection(side: Side): void {
  arrange(`Align ${side}`, (boxes) => aligned(boxes, side));
}

export function distributeSelection(along: "x" | "y"): void {
  arrange("Distribute", (boxes) => distributed(boxes, along));
}

function arrange(label: string, placesOf: (boxes: Parameters<typeof aligned>[0]) => Map<string, Position>): void {
  const { document, geometry } = current();
  const boxes = outermost(document, useEditor.getState().nodes).flatMap((id) => geometry.boxes.get(id) ?? []);
  if (new Set(boxes.map((box) => box.parent)).size > 1) {
    tell("Only nodes of one container can be lined up.", "refused");
    return;
  }
  canvasView()?.animate();
  change(label, moveNodes(placesOf(boxes)));
}
