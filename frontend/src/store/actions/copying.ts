// Copy, cut, paste and duplicate: nodes as JSON text, through the system's clipboard.
import type { Position } from "~/graph/document";
import { all } from "~/graph/edits";
import { type Fragment, fragmentOf, fragmentText, parseFragment, paste } from "~/graph/fragment";
import { frameAt } from "~/graph/geometry";
import { outermost, roomFor } from "~/graph/moving";
import { freePlace } from "~/graph/placing";
import { change, current } from "../drawing";
import { useEditor } from "../editor";
import { tell } from "../notices";
import { canvasView } from "../view";
import { deleteSelection, named } from "./editing";

const editor = () => useEditor.getState();

/** The selection as text, or null where nothing is selected. */
export function selectionText(): string | null {
  const { nodes } = editor();
  return nodes.size ? fragmentText(selected()) : null;
}

function selected(): Fragment {
  const { document, geometry } = current();
  return fragmentOf(document, editor().nodes, (id) => {
    const box = geometry.boxes.get(id);
    return { x: box?.x ?? 0, y: box?.y ?? 0 };
  });
}

/** Copy by menu or palette; the keys use the browser's own copy event, which needs no permission. */
export async function copySelection(cut = false): Promise<void> {
  const text = selectionText();
  if (!text) return;
  const { document, nodes } = editor();
  const what = named(document, outermost(document, nodes));
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    tell("The browser does not let this page use the clipboard. Use Ctrl+C and Ctrl+V.", "refused");
    return;
  }
  copied(what, cut);
}

/** After the clipboard has the text. */
export function copied(what: string, cut: boolean): void {
  if (cut) deleteSelection();
  tell(cut ? `Cut ${what}.` : `Copied ${what}.`);
}

export async function pasteFromClipboard(): Promise<void> {
  let text: string;
  try {
    text = await navigator.clipboard.readText();
  } catch {
    return tell("The browser does not let this page read the clipboard. Press Ctrl+V on the canvas.", "refused");
  }
  pasteText(text);
}

/** Put copied nodes where the pointer is, into the container there; without a pointer below the selection. */
export function pasteText(text: string): boolean {
  const parsed = parseFragment(text);
  if ("refusal" in parsed) {
    tell(parsed.refusal, "refused");
    return false;
  }
  const view = canvasView();
  const beside = belowSelection();
  if (beside && !view?.hasPointer()) insert(parsed.fragment, beside.at, "Paste", beside.parent);
  else insert(parsed.fragment, view?.pointer() ?? { x: 0, y: 0 }, "Paste");
  return true;
}

/** A step below and to the right of the selection, in its container. */
function belowSelection(): { at: Position; parent: string | null } | null {
  const { geometry } = current();
  const boxes = [...editor().nodes].flatMap((id) => geometry.boxes.get(id) ?? []);
  const [first] = boxes;
  if (!first) return null;
  const bottom = Math.max(...boxes.map((one) => one.y + one.height));
  return { at: { x: Math.min(...boxes.map((one) => one.x)) + 24, y: bottom + 24 }, parent: first.parent ?? null };
}

/** A copy of the selection, a step below and to the right of it. */
export function duplicateSelection(): void {
  const beside = belowSelection();
  if (beside) insert(selected(), beside.at, "Duplicate", beside.parent);
}

function insert(fragment: Fragment, at: Position, label: string, into?: string | null): void {
  const { document, geometry } = current();
  const frame = into === undefined ? frameAt(geometry, at) : into === null ? undefined : geometry.boxes.get(into);
  const place = freePlace(geometry, frame?.id, { x: at.x - (frame?.x ?? 0), y: at.y - (frame?.y ?? 0) });
  const pasted = paste(document, fragment, frame?.id, place);
  const what = pasted.ids.length === 1 ? (fragment.nodes[0]?.name ?? "a node") : `${pasted.ids.length} nodes`;
  change(`${label} ${what}`, all(pasted.edit, roomFor(frame?.id)));
  editor().select(pasted.ids);
  const missing = pasted.unresolved;
  tell(
    missing.length
      ? `${label}d ${what}. This flow has no node called ${missing.join(", ")}, which they refer to.`
      : `${label}d ${what}.`,
  );
}
