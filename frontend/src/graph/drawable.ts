// Whether a document can be drawn at all. A draft may say anything (programs and imports write drafts too); what is wrong
// with its meaning the server's checks tell, but a list that is no list has no picture.
import { isObject } from "./pointer";

const LISTS = ["nodes", "edges", "inputs", "presets", "artifacts"] as const;
const OBJECTS = ["state", "policy", "permissions"] as const;
const TEXTS: Record<string, readonly string[]> = {
  nodes: ["id", "type"],
  edges: ["source", "target"],
  inputs: ["name"],
  presets: ["id"],
  artifacts: ["id"],
};

/** Why a document cannot be drawn, in sentences; empty for one that can. */
export function whyNotDrawn(given: unknown): string[] {
  if (!isObject(given)) return ['A flow document is an object: {"format": 1, …}.'];
  const found: string[] = [];
  for (const key of ["id", "name", "description"] as const) {
    if (given[key] !== undefined && typeof given[key] !== "string") found.push(`${key} must be a text.`);
  }
  for (const key of OBJECTS) {
    if (given[key] !== undefined && !isObject(given[key])) found.push(`${key} must be an object.`);
  }
  for (const list of LISTS) found.push(...faultsOfList(list, given[list] ?? []));
  return found;
}

function faultsOfList(list: string, items: unknown): string[] {
  if (!Array.isArray(items) || !items.every(isObject)) return [`${list} must be a list of objects.`];
  const texts = TEXTS[list] ?? [];
  const found: string[] = [];
  for (const item of items) {
    const missing = texts.filter((key) => typeof item[key] !== "string");
    if (missing.length) found.push(`In ${list}, ${missing.join(" and ")} must be a text: ${shown(item)}.`);
    const odd = ["name", "label", "parent", "when", "on"].filter((key) => key in item && typeof item[key] !== "string");
    if (odd.length) found.push(`In ${list}, ${odd.join(" and ")} must be a text: ${shown(item)}.`);
    if ("config" in item && !isObject(item.config)) found.push(`In ${list}, config must be an object: ${shown(item)}.`);
  }
  return found;
}

const shown = (item: unknown) => JSON.stringify(item).slice(0, 80);
