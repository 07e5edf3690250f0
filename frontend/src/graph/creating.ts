// New nodes: an id, a name, and a config that says as much as can be known.
import type { FlowDocument, FlowNode, JsonObject } from "./document";
import { freeId } from "./ids";

/** As much of a node type, and of a tool, as a new node needs. */
export interface Kind {
  type: string;
  title: string;
  configSchema: { [key: string]: unknown };
  tool?: { name: string; schema: { [key: string]: unknown } };
}

/** A node of a kind, with an id that is free and a name that no other node has. */
export function newNode(document: FlowDocument, kind: Kind): FlowNode {
  const ids = new Set(document.nodes.map((node) => node.id));
  const names = new Set(document.nodes.map((node) => node.name));
  const wanted = kind.tool?.name ?? kind.type;
  const config = requiredValues(kind.configSchema);
  if (kind.tool) {
    config.tool = kind.tool.name;
    const known = knownArguments(document, kind.tool.schema);
    if (Object.keys(known).length) config.arguments = known;
  }
  return { id: freeId(wanted, ids), type: kind.type, name: freeName(kind.title, names), config };
}

function freeName(title: string, taken: ReadonlySet<string | undefined>): string {
  if (!taken.has(title)) return title;
  for (let number = 2; ; number += 1) if (!taken.has(`${title} ${number}`)) return `${title} ${number}`;
}

/** What a schema demands, each as its default or as the least value of its type. */
export function requiredValues(schema: { [key: string]: unknown }): JsonObject {
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : [];
  const properties = (schema.properties ?? {}) as { [key: string]: unknown };
  return Object.fromEntries(required.map((name) => [name, leastValue(properties[name])])) as JsonObject;
}

function leastValue(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return "";
  const {
    default: given,
    const: fixed,
    enum: options,
    type,
    anyOf,
    oneOf,
    minimum,
  } = schema as Record<string, unknown>;
  if (given !== undefined) return given;
  if (fixed !== undefined) return fixed;
  if (Array.isArray(options)) return options[0];
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return leastValue(choices[0]);
  if (type === "object") return requiredValues(schema as { [key: string]: unknown });
  if (type === "array") return [];
  if (type === "boolean") return false;
  if (type === "integer" || type === "number") return typeof minimum === "number" ? minimum : 0;
  return "";
}

/** Arguments that are called like an input or a variable of the flow get its value; other required ones stand empty. */
function knownArguments(document: FlowDocument, schema: { [key: string]: unknown }): JsonObject {
  const variables = new Set<string>();
  for (const input of document.inputs ?? []) variables.add(input.name);
  for (const node of document.nodes) if (node.output_variable) variables.add(node.output_variable);
  const properties = Object.entries((schema.properties ?? {}) as { [key: string]: unknown });
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const values: JsonObject = {};
  for (const [name, inner] of properties) {
    if (variables.has(name)) values[name] = `{{${name}}}`;
    else if (required.has(name) && (inner as { type?: unknown }).type === "string") values[name] = "";
  }
  return values;
}
