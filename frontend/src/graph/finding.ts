// Searching a document: every text of every node and edge, expressions too.

import { edgeName } from "./connecting";
import { type FlowDocument, labelOf } from "./document";

export interface Found {
  kind: "node" | "edge";
  id: string;
  /** What it is called. */
  title: string;
  /** Where the text stands: `name`, `config.prompt`, `when`. */
  field: string;
  /** JSON pointer of that field below the node or edge. */
  pointer: string;
  /** The text around what was found. */
  excerpt: string;
}

const MOST = 200;
const DEEPEST = 64;
/** Of an id everybody has, and of where things stand, nobody searches. */
const NOT_SEARCHED = new Set(["layout", "position", "parent", "source", "target"]);

/** What holds all words of a query, names first. The empty query finds nothing. */
export function found(document: FlowDocument, query: string): Found[] {
  const words = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const results: { found: Found; rank: number }[] = [];
  const look = (kind: Found["kind"], id: string, title: string, value: object) => {
    for (const { path, text } of textsOf(value)) {
      if (NOT_SEARCHED.has(path.join("."))) continue;
      const low = text.toLowerCase();
      if (!words.every((word) => low.includes(word))) continue;
      const rank = path[0] === "name" || path[0] === "id" || path[0] === "label" ? 0 : 1;
      const pointer = path.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
      const excerpt = excerptOf(text, low.indexOf(words[0] ?? ""));
      results.push({ found: { kind, id, title, field: path.join("."), pointer, excerpt }, rank });
    }
  };
  for (const node of document.nodes) look("node", node.id, labelOf(node), node);
  for (const edge of document.edges) {
    const { id: _, ...rest } = edge;
    look("edge", edge.id, edgeName(document, edge), rest);
  }
  return results
    .sort((a, b) => a.rank - b.rank)
    .slice(0, MOST)
    .map((one) => one.found);
}

interface Text {
  path: string[];
  text: string;
}

function* textsOf(value: object, path: string[] = []): Generator<Text> {
  for (const [key, inner] of Object.entries(value)) {
    const here = [...path, key];
    // Names of keys are texts too: a check or a field is found by what it is called.
    if (path[0] === "config" && !Array.isArray(value)) yield { path: here, text: key };
    if (isPlain(inner)) yield { path: here, text: String(inner) };
    else if (inner && path.length < DEEPEST && !NOT_SEARCHED.has(here.join("."))) yield* textsOf(inner, here);
  }
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function excerptOf(text: string, at: number): string {
  const start = Math.max(0, at - 24);
  const part = text.slice(start, start + 96).replace(/\s+/g, " ");
  return `${start > 0 ? "…" : ""}${part}${start + 96 < text.length ? "…" : ""}`;
}
