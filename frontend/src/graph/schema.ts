// JSON Schemas as forms see them: which control a part asks for, what a new value looks like. It judges nothing: the
// server does. What is not understood here is edited as JSON and never lost.
import type { Json, JsonObject } from "./document";
import { isObject } from "./pointer";

export type Schema = { [key: string]: unknown };

/** `schema` with the definitions that its references name. */
export interface Rooted {
  schema: Schema;
  defs: { [name: string]: Schema };
}

export type Shape =
  | { kind: "text"; long: boolean }
  | { kind: "number"; whole: boolean; least?: number; most?: number }
  | { kind: "boolean" }
  | { kind: "choice"; options: Json[] }
  | { kind: "list"; items: Schema }
  | { kind: "object"; properties: [string, Schema][]; required: ReadonlySet<string>; others: Schema | null }
  | { kind: "variants"; variants: Schema[] }
  | { kind: "any" }
  | { kind: "json" };

const MOST_RADIOS = 5;

/** Words that say nothing of the control. */
const QUIET = new Set(["title", "description", "default", "examples", "$comment", "$schema", "deprecated"]);

/** Words with which a part is more than the controls can show. */
const BEYOND = ["allOf", "not", "if", "patternProperties", "propertyNames", "dependentSchemas", "prefixItems"];

const ANY_VARIANTS: Schema[] = [
  { title: "Text", type: "string" },
  { title: "Number", type: "number" },
  { title: "Yes or no", type: "boolean" },
  { title: "List", type: "array", items: {} },
  { title: "Object", type: "object", additionalProperties: true },
  { title: "Null", type: "null" },
];

/** Follow `$ref`, take a lone `anyOf` apart, and leave out the way to write a value expression. */
export function plain(schema: unknown, defs: Rooted["defs"]): Schema {
  let here = schema === true || !isObject(schema) ? {} : (schema as Schema);
  for (let turns = 0; turns < 16; turns += 1) {
    const next = referred(here, defs) ?? simpler(here);
    if (next === null) return here;
    here = next;
  }
  return here;
}

function referred(schema: Schema, defs: Rooted["defs"]): Schema | null {
  const name = typeof schema.$ref === "string" ? schema.$ref.replace(/^#\/\$defs\//, "") : null;
  const found = name === null ? undefined : defs[name];
  if (!found) return null;
  const { $ref: _, ...own } = schema;
  return { ...found, ...own };
}

/** A union with fewer members, or what is left of it; null where there is nothing to take away. */
function simpler(schema: Schema): Schema | null {
  const variants = (schema.anyOf ?? schema.oneOf) as unknown[] | undefined;
  if (!Array.isArray(variants)) return null;
  const kept = variants.filter((one) => !isExpressionSchema(one));
  const lone = kept.length === 1 ? (kept[0] as Schema) : mergedNumbers(kept);
  if (lone) return { ...lone, ...withoutUnion(schema) };
  return kept.length === variants.length ? null : { ...withoutUnion(schema), anyOf: kept };
}

function withoutUnion(schema: Schema): Schema {
  const { anyOf: _a, oneOf: _o, ...rest } = schema;
  return rest;
}

/** Whole numbers beside numbers are numbers. */
function mergedNumbers(variants: unknown[]): Schema | null {
  const all = variants.every((one) => isObject(one) && (one.type === "integer" || one.type === "number"));
  if (!all || !variants.length) return null;
  return { ...(variants[0] as Schema), type: "number" };
}

function isExpressionSchema(schema: unknown): boolean {
  return isObject(schema) && isObject(schema.propertyNames) && schema.propertyNames.const === "$expr";
}

/** Which control a part asks for. */
export function shapeOf(given: unknown, defs: Rooted["defs"] = {}): Shape {
  const schema = plain(given, defs);
  if (Array.isArray(schema.enum)) return { kind: "choice", options: schema.enum as Json[] };
  if ("const" in schema) return { kind: "choice", options: [schema.const as Json] };
  const { properties: _p, patternProperties: pattern, ...rest } = schema;
  // `x-` keys may stand anywhere in a document; that alone makes no part strange.
  const onlyOwnPattern = isObject(pattern) && Object.keys(pattern).every((key) => key === "^x-");
  if (BEYOND.some((word) => word in rest) || (pattern !== undefined && !onlyOwnPattern)) return { kind: "json" };
  const variants = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (Array.isArray(variants)) return { kind: "variants", variants };
  if (Array.isArray(schema.type)) {
    const one = schema.type.length === 1 ? (schema.type[0] as string) : null;
    return one ? shapeOf({ ...schema, type: one }, defs) : typeVariants(schema);
  }
  return byType(schema);
}

function typeVariants(schema: Schema): Shape {
  const { title: _, default: _d, ...rest } = schema;
  return { kind: "variants", variants: (schema.type as string[]).map((type) => ({ ...rest, type })) };
}

function byType(schema: Schema): Shape {
  switch (schema.type) {
    case "string":
      return { kind: "text", long: isLong(schema) };
    case "integer":
    case "number":
      return { kind: "number", whole: schema.type === "integer", ...bounds(schema) };
    case "boolean":
      return { kind: "boolean" };
    case "null":
      return { kind: "choice", options: [null] };
    case "array":
      return { kind: "list", items: (schema.items ?? {}) as Schema };
    case "object":
      return objectShape(schema);
    default:
      if (isObject(schema.properties)) return objectShape(schema);
      return Object.keys(schema).every((key) => QUIET.has(key) || key.startsWith("x-"))
        ? { kind: "any" }
        : { kind: "json" };
  }
}

function objectShape(schema: Schema): Shape {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties as { [key: string]: Schema }) : [];
  const extra = schema.additionalProperties;
  const open = extra === undefined ? properties.length === 0 : extra !== false;
  return {
    kind: "object",
    properties,
    required: new Set(Array.isArray(schema.required) ? (schema.required as string[]) : []),
    others: open ? (isObject(extra) ? (extra as Schema) : {}) : null,
  };
}

function bounds(schema: Schema): { least?: number; most?: number } {
  const least = schema.minimum ?? schema.ge;
  const most = schema.maximum ?? schema.le;
  return {
    ...(typeof least === "number" ? { least } : {}),
    ...(typeof most === "number" ? { most } : {}),
  };
}

function isLong(schema: Schema): boolean {
  return schema.format === "textarea" || (typeof schema.maxLength === "number" && schema.maxLength > 200);
}

/** The ways to fill a part in: those of a union, or each kind of value where anything may stand. */
export function variantsOf(shape: Shape): Schema[] {
  if (shape.kind === "variants") return shape.variants;
  return shape.kind === "any" ? ANY_VARIANTS : [];
}

/** The first variant that a value could be of; -1 for none. */
export function variantOf(variants: readonly Schema[], value: Json | undefined, defs: Rooted["defs"] = {}): number {
  if (value === undefined) return -1;
  const exact = variants.findIndex((one) => fits(one, value, defs, true));
  return exact >= 0 ? exact : variants.findIndex((one) => fits(one, value, defs, false));
}

function fits(given: Schema, value: Json, defs: Rooted["defs"], exactly: boolean): boolean {
  const schema = plain(given, defs);
  if ("const" in schema) return schema.const === value;
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (types[0] === undefined) return !exactly;
  if (exactly && typeof value === "string" && typeof schema.pattern === "string") {
    return types.includes("string") && matches(schema.pattern, value);
  }
  return types.some((type) => isOfType(type as string, value));
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return true;
  }
}

function isOfType(type: string, value: Json): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  if (type === "object") return isObject(value);
  return typeof value === type;
}

/** A value to begin with where somebody adds one: its default, else the least that has the right type. */
export function blankOf(given: unknown, defs: Rooted["defs"] = {}): Json {
  const schema = plain(given, defs);
  if ("default" in schema && schema.default !== null) return schema.default as Json;
  const shape = shapeOf(schema, defs);
  switch (shape.kind) {
    case "text":
      return "";
    case "number":
      return shape.least ?? 0;
    case "boolean":
      return false;
    case "choice":
      return shape.options[0] ?? null;
    case "list":
      return [];
    case "object":
      return Object.fromEntries(
        shape.properties
          .filter(([key]) => shape.required.has(key))
          .map(([key, part]): [string, Json] => [key, blankOf(part, defs)]),
      );
    case "variants":
      return shape.variants[0] ? blankOf(shape.variants[0], defs) : null;
    default:
      return "";
  }
}

export function isRadio(options: readonly Json[]): boolean {
  return options.length <= MOST_RADIOS;
}

/** The title of a field: the schema's where it says more than the key, else the key in words. */
export function titleOf(key: string, schema: Schema): string {
  const words = inWords(key);
  const title = typeof schema.title === "string" ? schema.title : "";
  // The server makes titles out of keys ("Output Schema"); in a sentence's case they read better.
  return title && title.toLowerCase() !== key.replaceAll("_", " ").toLowerCase() ? title : words;
}

export function inWords(key: string): string {
  const unit = /_(ms|usd)$/.exec(key);
  const words = key
    .replace(/_(ms|usd)$/, "")
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .trim()
    .toLowerCase();
  const told = words.charAt(0).toUpperCase() + words.slice(1);
  return unit ? `${told} (${unit[1] === "ms" ? "ms" : "US dollars"})` : told;
}

/** What a variant is called on its switch. */
export function variantTitle(given: Schema, defs: Rooted["defs"] = {}): string {
  const schema = plain(given, defs);
  if ("const" in schema) return String(schema.const);
  if (typeof given.title === "string") return given.title;
  if (typeof schema.pattern === "string" && schema.pattern.endsWith("%$")) return "Share";
  if (Array.isArray(schema.enum)) return "Choice";
  const words: Record<string, string> = {
    string: "Text",
    integer: "Number",
    number: "Number",
    boolean: "Yes or no",
    array: "List",
    object: "Object",
    null: "Null",
  };
  return words[schema.type as string] ?? (typeof schema.title === "string" ? schema.title : "Other");
}

/** Keys of a value that the schema does not name: shown beside the others and kept. */
export function unknownKeys(value: JsonObject, shape: Extract<Shape, { kind: "object" }>): string[] {
  const known = new Set(shape.properties.map(([key]) => key));
  return Object.keys(value).filter((key) => !known.has(key));
}
