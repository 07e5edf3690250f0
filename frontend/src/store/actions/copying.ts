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

/** Put copied nodes where the pointer is, into the container there. */
export function pasteText(text: string): boolean {
  const parsed = parseFragment(text);
  if ("refusal" in parsed) {
    tell(parsed.refusal, "refused");
    return false;
  }
  const at = canvasView()?.pointer() ?? { x: 0, y: 0 };
  insert(parsed.fragment, at, "Paste");
  return true;
}

/** A copy of the selection, a step below and to the right of it. */
export function duplicateSelection(): void {
  const { geometry } = current();
  const boxes = [...editor().nodes].flatMap((id) => geometry.boxes.get(id) ?? []);
  if (!boxes.length) return;
  const corner = { x: Math.min(...boxes.map((one) => one.x)), y: Math.max(...boxes.map((one) => one.y + one.height)) };
  const parent = boxes[0]?.parent;
  insert(selected(), { x: corner.x + 24, y: corner.y + 24 }, "Duplicate", parent ?? null);
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
