// The parts of the document's schema, as the server gives it.
import { isObject } from "~/graph/pointer";
import type { Schema } from "~/graph/schema";

const NONE: { [name: string]: Schema } = {};

export function definitionsOf(documentSchema: Schema): { [name: string]: Schema } {
  return isObject(documentSchema.$defs) ? (documentSchema.$defs as { [name: string]: Schema }) : NONE;
}

export function definitionOf(documentSchema: Schema, name: string): Schema {
  return definitionsOf(documentSchema)[name] ?? { type: "object" };
}

/** What every node has beside its config: that of its type, or of any where this site does not have the type. */
export function nodeSchema(documentSchema: Schema, type: string): Schema {
  const found = definitionsOf(documentSchema);
  return found[`node_${type}`] ?? found.node_transform ?? { type: "object" };
}
