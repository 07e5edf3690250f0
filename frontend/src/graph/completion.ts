// What can follow at a place of a text: out of the names that the server tells, and the schemas of their values.
import type { JsonObject } from "./document";
import { isObject } from "./pointer";

interface NameLike {
  name: string;
  kind: string;
  type: string;
  certain: boolean;
  schema: JsonObject;
  description: string;
}

export interface Suggestion {
  label: string;
  kind: "variable" | "property" | "function" | "method" | "constant";
  detail?: string;
  info?: string;
  apply?: string;
  boost?: number;
}

export interface Suggestions {
  from: number;
  options: Suggestion[];
}

const CONSTANTS: Suggestion[] = ["true", "false", "null"].map((label) => ({ label, kind: "constant", boost: -2 }));

/** The path that ends at a position: where it begins, its finished keys, and the beginning of the next. */
export function pathAt(text: string, position: number): { from: number; keys: string[]; word: string } {
  const before = text.slice(0, position);
  const path = /(?:[A-Za-z_]\w*|\])?(?:(?:\.|\[(?:\d+|'[^']*')\])[\w]*)*$/.exec(before)?.[0] ?? "";
  const word = /\w*$/.exec(path)?.[0] ?? "";
  const head = path.slice(0, path.length - word.length).replace(/\.$/, "");
  const keys =
    head === "" ? [] : head.replaceAll(/\[(?:'([^']*)'|(\d+))\]/g, (_, key, index) => `.${key ?? index}`).split(".");
  return { from: position - word.length, keys: keys.filter((key) => key !== ""), word };
}

/** Whether a position of a text with placeholders lies inside one. */
export function insidePlaceholder(text: string, position: number): boolean {
  const before = text.slice(0, position);
  return before.lastIndexOf("{{") > before.lastIndexOf("}}");
}

/** What can be written at a position of an expression. */
export function suggestionsAt(
  text: string,
  position: number,
  names: readonly NameLike[],
  functions: readonly string[],
): Suggestions {
  const { from, keys, word } = pathAt(text, position);
  const isMember = text[from - 1] === ".";
  if (!isMember) return { from, options: [...roots(names), ...called(functions, false), ...CONSTANTS] };
  const options = [...members(keys, names), ...called(functions, true)];
  return { from: position - word.length, options };
}

/** What can be written in a placeholder of a text; a placeholder that is still open is closed along with the name. */
export function placeholderSuggestionsAt(text: string, position: number, names: readonly NameLike[]): Suggestions {
  const found = suggestionsAt(text, position, names, []);
  const isClosed = /^[\w.]*\s*\}\}/.test(text.slice(position));
  const options = found.options.filter((one) => one.kind !== "constant");
  return {
    ...found,
    options: isClosed ? options : options.map((one) => ({ ...one, apply: `${one.apply ?? one.label}}}` })),
  };
}

function roots(names: readonly NameLike[]): Suggestion[] {
  const found = new Map<string, Suggestion>();
  for (const one of names) {
    const [root = "", ...rest] = one.name.split(".");
    if (rest.length === 0) found.set(root, suggestion(root, one));
    else if (!found.has(root)) found.set(root, { label: root, kind: "variable", detail: "object", boost: -1 });
    // Whole paths are offered as well: what one looks for is rarely `steps` alone.
    if (rest.length) found.set(one.name, { ...suggestion(one.name, one), boost: one.certain ? 0 : -1 });
  }
  return [...found.values()];
}

function suggestion(label: string, one: NameLike): Suggestion {
  const detail = one.certain ? one.type : `${one.type}, may be unset`;
  const boosts: Record<string, number> = { item: 3, output: 3, state: 2, input: 2, step: 0, reserved: -1 };
  return {
    label,
    kind: "variable",
    detail,
    boost: boosts[one.kind] ?? 0,
    ...(one.description ? { info: one.description } : {}),
  };
}

/** Keys behind a path: the rest of a name, or the properties of a known value. */
function members(keys: readonly string[], names: readonly NameLike[]): Suggestion[] {
  const head = keys.join(".");
  const found = new Map<string, Suggestion>();
  for (const one of names) {
    if (one.name.startsWith(`${head}.`)) {
      const [next = "", ...rest] = one.name.slice(head.length + 1).split(".");
      found.set(next, rest.length ? { label: next, kind: "property", detail: "object" } : propertyOf(next, one));
    }
  }
  for (const one of properties(schemaAt(keys, names))) found.set(one.label, one);
  return [...found.values()];
}

function properties(schema: JsonObject | null): Suggestion[] {
  const found = Object.entries(propertiesOf(schema))
    .filter(([key]) => /^[A-Za-z_]\w*$/.test(key))
    .map(([key, part]): Suggestion => ({ label: key, kind: "property", ...(isObject(part) ? toldOf(part) : {}) }));
  const hasLength = schema?.type === "string" || schema?.type === "array";
  return hasLength ? [...found, { label: "length", kind: "property", detail: "whole number" }] : found;
}

function toldOf(schema: JsonObject): { detail?: string; info?: string } {
  return {
    ...(typeof schema.type === "string" ? { detail: WORDS[schema.type] ?? schema.type } : {}),
    ...(typeof schema.description === "string" ? { info: schema.description } : {}),
  };
}

const WORDS: Record<string, string> = {
  string: "text",
  integer: "whole number",
  boolean: "true or false",
  array: "list",
};

function propertyOf(label: string, one: NameLike): Suggestion {
  return { ...suggestion(label, one), kind: "property" };
}

function schemaAt(keys: readonly string[], names: readonly NameLike[]): JsonObject | null {
  for (let length = keys.length; length > 0; length -= 1) {
    const one = names.find((name) => name.name === keys.slice(0, length).join("."));
    if (one) return keys.slice(length).reduce<JsonObject | null>(inner, one.schema);
  }
  return null;
}

function inner(schema: JsonObject | null, key: string): JsonObject | null {
  if (schema === null) return null;
  if (/^\d+$/.test(key)) return isObject(schema.items) ? schema.items : null;
  const part = propertiesOf(schema)[key];
  return isObject(part) ? part : null;
}

function propertiesOf(schema: JsonObject | null): JsonObject {
  return schema && isObject(schema.properties) ? schema.properties : {};
}

/** Functions and methods, with their arguments to be filled in. */
function called(functions: readonly string[], isMember: boolean): Suggestion[] {
  const wanted = functions.filter((one) => one.startsWith(".") === isMember);
  const found = new Map<string, Suggestion>();
  for (const one of wanted) {
    const name = one.replace(/^\./, "").replace(/\(.*$/, "");
    const empty = one.endsWith("()");
    const apply = `${name}(${empty ? ")" : ""}`;
    found.set(name, { label: name, kind: isMember ? "method" : "function", detail: one, apply, boost: -2 });
  }
  return [...found.values()];
}

/** Methods that conditions have, too. */
export const CONDITION_METHODS = [".includes(x)", ".startsWith(x)", ".endsWith(x)"];
