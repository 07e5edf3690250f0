// Values of configs: written out, as a text with placeholders, or worked out by an expression. Pure text work; what an
// expression gives is the server's to say.
import type { Json, JsonObject } from "./document";
import { isObject } from "./pointer";

export type Source = "fixed" | "template" | "expression";

export type Computed = { $expr: string };

export function isComputed(value: unknown): value is Computed {
  return isObject(value) && Object.keys(value).length === 1 && typeof value.$expr === "string";
}

export function isTemplate(value: unknown): value is string {
  return typeof value === "string" && (value.includes("{{") || /^\$[A-Za-z_]\w*$/.test(value));
}

/** How a value is given. A text is fixed only where texts are what is asked for. */
export function sourceOf(value: Json | undefined, asksForText: boolean): Source {
  if (isComputed(value)) return "expression";
  return typeof value === "string" && !asksForText ? "template" : "fixed";
}

const PATH = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[(?:\d+|'[^'\\]*')\])*$/;

/** The same value, worked out by an expression where that can be said. */
export function toExpression(value: Json | undefined): Computed {
  if (isComputed(value)) return value;
  if (typeof value !== "string") return { $expr: scalarText(value) };
  const whole = /^\{\{\s*(.+?)\s*\}\}$/.exec(value);
  if (whole?.[1] && PATH.test(whole[1])) return { $expr: whole[1] };
  const dollar = /^\$([A-Za-z_]\w*)$/.exec(value);
  if (dollar?.[1]) return { $expr: dollar[1] };
  return { $expr: value === "" ? "" : quoted(value) };
}

function scalarText(value: Json | undefined): string {
  return typeof value === "number" || typeof value === "boolean" || value === null ? String(value) : "";
}

/** As a text literal; placeholders in it stay placeholders. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n")}'`;
}

/** The same value as a text with placeholders, or null where an expression says more than one can. */
export function toTemplate(value: Json | undefined): string | null {
  if (typeof value === "string") return value;
  if (!isComputed(value)) return value === undefined || isContainer(value) ? null : String(value);
  const text = value.$expr.trim();
  if (text === "") return "";
  if (PATH.test(text) && !/^(true|false|null)$/.test(text)) return `{{${text}}}`;
  const literal = /^'((?:[^'\\]|\\.)*)'$/.exec(text);
  return literal?.[1] === undefined ? null : literal[1].replaceAll("\\n", "\n").replaceAll(/\\(.)/g, "$1");
}

function isContainer(value: Json): value is Json[] | JsonObject {
  return typeof value === "object" && value !== null;
}

/** Every text in a value that names can stand in, with a function to write it anew. */
export function mapTexts(value: Json, change: (text: string, isExpression: boolean) => string): Json {
  if (typeof value === "string") return change(value, false);
  if (isComputed(value)) {
    const text = change(value.$expr, true);
    return text === value.$expr ? value : { $expr: text };
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => mapTexts(item, change));
    return items.some((item, place) => item !== value[place]) ? items : value;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]): [string, Json] => [key, mapTexts(item, change)]);
  return entries.some(([key, item]) => item !== value[key]) ? Object.fromEntries(entries) : value;
}
