// The names at a place, asked of the server and kept for a moment, so that typing does not ask at each key.
import { type Names, readNames, type Spot } from "~/api/expressions";
import type { FlowDocument } from "~/graph/document";
import { useEditor } from "./editor";

const FRESH_MS = 2_000;
const KEPT = 50;

interface Answer {
  document: FlowDocument;
  at: number;
  names: Promise<Names>;
}

const answers = new Map<string, Answer>();

/** What can be read at a spot of the document as it is now, or was some seconds ago. */
export function namesAt(flow: string, spot: Spot, now: number = Date.now()): Promise<Names> {
  const { document } = useEditor.getState();
  const key = JSON.stringify([flow, spot]);
  const before = answers.get(key);
  if (before && (before.document === document || now - before.at < FRESH_MS)) return before.names;
  const names = readNames(flow, document, spot);
  answers.delete(key);
  answers.set(key, { document, at: now, names });
  names.catch(() => answers.delete(key));
  const oldest = answers.keys().next().value;
  if (answers.size > KEPT && oldest !== undefined) answers.delete(oldest);
  return names;
}
