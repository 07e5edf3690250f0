// A JSON Schema of an object as a table: one row for each property. What the table cannot show stays in the schema.
import type { Json, JsonObject } from "./document";
import { isObject, moved, renamedKey } from "./pointer";

export interface Row {
  name: string;
  /** One of TYPES, or `other` where the schema says more than the table can. */
  type: string;
  title: string;
  description: string;
  required: boolean;
  /** Marked `x-sensitive`: pages and previews cover its values. */
  sensitive: boolean;
  options: string[] | null;
}

export const TYPES: readonly { value: string; label: string }[] = [
  { value: "any", label: "Anything" },
  { value: "string", label: "Text" },
  { value: "choice", label: "Choice" },
  { value: "number", label: "Number" },
  { value: "integer", label: "Whole number" },
  { value: "boolean", label: "Yes or no" },
  { value: "array", label: "List" },
  { value: "object", label: "Object" },
];

const PLAIN = new Set(TYPES.map((type) => type.value));

/** Whether a schema is an object of properties, so that a table shows its main part. */
export function isTabular(schema: Json | undefined): schema is JsonObject {
  if (schema === undefined) return true;
  if (!isObject(schema)) return false;
  const beyond = ["anyOf", "oneOf", "allOf", "not", "if", "$ref"];
  const isOfObjects = schema.type === undefined || schema.type === "object";
  const properties = schema.properties;
  return isOfObjects && !beyond.some((word) => word in schema) && (properties === undefined || isObject(properties));
}

export function rowsOf(schema: JsonObject): Row[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(propertiesOf(schema)).map(([name, part]) => ({
    name,
    type: typeOf(part),
    title: textAt(part, "title"),
    description: textAt(part, "description"),
    required: required.includes(name),
    sensitive: isObject(part) && part["x-sensitive"] === true,
    options: isObject(part) && Array.isArray(part.enum) ? part.enum.map(String) : null,
  }));
}

function textAt(part: Json, key: string): string {
  return isObject(part) && typeof part[key] === "string" ? part[key] : "";
}

function typeOf(part: Json): string {
  if (!isObject(part)) return "other";
  if (Array.isArray(part.enum)) return part.enum.every((one) => typeof one === "string") ? "choice" : "other";
  if (["anyOf", "oneOf", "allOf", "$ref", "const"].some((word) => word in part)) return "other";
  if (part.type === undefined) return "any";
  return typeof part.type === "string" && PLAIN.has(part.type) ? part.type : "other";
}

function propertiesOf(schema: JsonObject): JsonObject {
  return isObject(schema.properties) ? schema.properties : {};
}

/** Change a row; everything else that its part of the schema says stays. */
export function changeRow(schema: JsonObject, name: string, change: Partial<Row>): JsonObject {
  let next = schema;
  if (change.type !== undefined) next = withPart(next, name, retyped(partOf(next, name), change.type));
  if (change.options) next = withPart(next, name, { ...partOf(next, name), enum: change.options });
  for (const key of ["title", "description"] as const) {
    const text = change[key];
    if (text !== undefined) next = withPart(next, name, withText(partOf(next, name), key, text));
  }
  if (change.sensitive !== undefined) next = withPart(next, name, marked(partOf(next, name), change.sensitive));
  if (change.required !== undefined) next = withRequired(next, name, change.required);
  if (change.name !== undefined && change.name !== name) next = renamed(next, name, change.name);
  return next;
}

function partOf(schema: JsonObject, name: string): JsonObject {
  const part = propertiesOf(schema)[name];
  return isObject(part) ? part : {};
}

function withPart(schema: JsonObject, name: string, part: JsonObject): JsonObject {
  return { ...schema, properties: { ...propertiesOf(schema), [name]: part } };
}

/** Words about values of the old type go; title, description, marks of the author's own stay. */
function retyped(part: JsonObject, type: string): JsonObject {
  const kept = Object.entries(part).filter(([key]) => ["title", "description"].includes(key) || key.startsWith("x-"));
  const rest = Object.fromEntries(kept);
  if (type === "any") return rest;
  return type === "choice" ? { ...rest, type: "string", enum: [] } : { ...rest, type };
}

function withText(part: JsonObject, key: string, text: string): JsonObject {
  if (text !== "") return { ...part, [key]: text };
  const { [key]: _, ...rest } = part;
  return rest;
}

function marked(part: JsonObject, sensitive: boolean): JsonObject {
  const { "x-sensitive": _, ...rest } = part;
  return sensitive ? { ...rest, "x-sensitive": true } : rest;
}

function withRequired(schema: JsonObject, name: string, required: boolean): JsonObject {
  const before = Array.isArray(schema.required) ? schema.required : [];
  const next = required ? [...before.filter((one) => one !== name), name] : before.filter((one) => one !== name);
  if (next.length) return { ...schema, required: next };
  const { required: _, ...rest } = schema;
  return rest;
}

function renamed(schema: JsonObject, from: string, to: string): JsonObject {
  const properties = propertiesOf(schema);
  if (to === "" || Object.hasOwn(properties, to)) return schema;
  const required = Array.isArray(schema.required) ? schema.required.map((one) => (one === from ? to : one)) : null;
  return { ...schema, properties: renamedKey(properties, from, to), ...(required ? { required } : {}) };
}

export function addRow(schema: JsonObject | undefined): JsonObject {
  const base: JsonObject = schema ?? { type: "object" };
  const properties = propertiesOf(base);
  for (let number = 1; ; number += 1) {
    const name = `field_${number}`;
    if (!Object.hasOwn(properties, name)) return withPart(base, name, { type: "string" });
  }
}

export function removeRow(schema: JsonObject, name: string): JsonObject {
  const { [name]: _, ...properties } = propertiesOf(schema);
  return withRequired({ ...schema, properties }, name, false);
}

export function moveRow(schema: JsonObject, from: number, to: number): JsonObject {
  const entries = moved(Object.entries(propertiesOf(schema)), from, to);
  return { ...schema, properties: Object.fromEntries(entries) };
}
